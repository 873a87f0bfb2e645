//! What stands at a place of the arguments' text, and how is the place called?
//!
//! In the same form as the host's check has it: `page.items[2]`, and values on one line, cut.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, value::RawValue};
use std::fmt;

use super::track::Failure;

/// Longer values are cut to this many characters.
const SHOWN: usize = 60;

/// A place in the arguments.
pub(super) struct Place {
    path: String,
    name: Option<String>,
    value: Option<String>,
}

impl Place {
    /// The place of a failure in `text`, which is JSON.
    pub(super) fn of(failure: &Failure, text: &str) -> Self {
        let mut place = Place { path: String::new(), name: None, value: Some(text.to_owned()) };
        for (index, step) in failure.steps.iter().enumerate() {
            let member = place.value.take().and_then(|value| member(&value, *step));
            let Some(member) = member else { return place };
            let is_key = failure.in_key && index + 1 == failure.steps.len();
            place.path = match &member.name {
                Some(name) => join(&place.path, name),
                None => format!("{}[{step}]", place.path()),
            };
            place.value = if is_key { member.name.clone() } else { Some(member.value) };
            place.name = member.name.filter(|_| is_key);
        }
        place
    }

    /// `page.items[2]`, or `arguments` for the whole.
    pub(super) fn path(&self) -> &str {
        if self.path.is_empty() { "arguments" } else { &self.path }
    }

    /// The path of the member called `name` in it.
    pub(super) fn member(&self, name: &str) -> String {
        join(&self.path, name)
    }

    /// The name of the member, if the place is the name and not its value.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What stands there, for people.
    pub(super) fn shown(&self) -> Option<String> {
        match &self.name {
            Some(name) => Some(cut(&Value::from(name.as_str()).to_string())),
            None => self.value.as_deref().map(shown),
        }
    }

    /// How many members an object there has.
    pub(super) fn members(&self) -> Option<usize> {
        struct Count;
        impl<'de> Visitor<'de> for Count {
            type Value = usize;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<usize, A::Error> {
                let mut count = 0;
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(count)
            }
        }
        serde_json::Deserializer::from_str(self.value.as_deref()?).deserialize_map(Count).ok()
    }
}

/// A member of an object or, without a name, of an array, as JSON text.
struct Member {
    name: Option<String>,
    value: String,
}

/// Member `number` of the object or array in `text`.
fn member(text: &str, number: usize) -> Option<Member> {
    struct Nth(usize);
    impl<'de> Visitor<'de> for Nth {
        type Value = Option<Member>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object or an array")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let (mut found, mut number) = (None, 0);
            while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                if number == self.0 {
                    found = Some(Member { name: Some(name), value: value.get().to_owned() });
                }
                number += 1;
            }
            Ok(found)
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let (mut found, mut number) = (None, 0);
            while let Some(value) = seq.next_element::<&RawValue>()? {
                if number == self.0 {
                    found = Some(Member { name: None, value: value.get().to_owned() });
                }
                number += 1;
            }
            Ok(found)
        }
    }
    serde_json::Deserializer::from_str(text).deserialize_any(Nth(number)).ok().flatten()
}

fn join(path: &str, name: &str) -> String {
    let plain = !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$'));
    match (plain, path.is_empty()) {
        (true, true) => name.to_owned(),
        (true, false) => format!("{path}.{name}"),
        (false, true) => format!("arguments[{}]", cut(&Value::from(name).to_string())),
        (false, false) => format!("{path}[{}]", cut(&Value::from(name).to_string())),
    }
}

/// The value on one line, cut. Digits stay as they were sent.
fn shown(value: &str) -> String {
    let (mut compact, mut quoted, mut escaped) = (String::with_capacity(value.len()), false, false);
    for character in value.chars() {
        if !quoted && character.is_ascii_whitespace() {
            continue;
        }
        compact.push(character);
        quoted ^= character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
    }
    cut(&compact)
}

fn cut(text: &str) -> String {
    let length = text.chars().count();
    if length <= SHOWN {
        return text.to_owned();
    }
    let head: String = text.chars().take(SHOWN).collect();
    format!("{head}… ({length} characters)")
}

/// Whether the text is JSON.
pub(super) fn is_json(text: &str) -> bool {
    let mut json = serde_json::Deserializer::from_str(text);
    IgnoredAny::deserialize(&mut json).is_ok() && json.end().is_ok()
}
