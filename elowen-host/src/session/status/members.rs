//! Which members has this JSON object, and where in the text do they stand?

use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt, ops::Range};

/// One member of an object.
pub(super) struct Member<'a> {
    /// The key, unescaped.
    pub(super) key: Cow<'a, str>,
    /// The value's own text.
    pub(super) value: &'a str,
    /// From the end of the member before it (or the opening brace) to the end of its value.
    pub(super) range: Range<usize>,
}

/// The members in their order, or nothing if the text is not one JSON object.
pub(super) fn members(text: &str) -> Option<Vec<Member<'_>>> {
    let mut json = serde_json::Deserializer::from_str(text);
    let members = (&mut json).deserialize_map(Members { text }).ok()?;
    json.end().ok()?;
    Some(members)
}

struct Members<'a> {
    text: &'a str,
}

impl<'a> Visitor<'a> for Members<'a> {
    type Value = Vec<Member<'a>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut start = self.text.find('{').map_or(0, |brace| brace + 1);
        let mut members = Vec::new();
        while let Some((Key(key), raw)) = map.next_entry::<Key<'a>, &'a RawValue>()? {
            let value = raw.get();
            // The value is a slice of the text, so the distance of their beginnings is its place.
            let place = (value.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize);
            let end = place.map(|place| place + value.len()).filter(|end| self.text.is_char_boundary(*end));
            let end = end.ok_or_else(|| A::Error::custom("a value outside the text"))?;
            members.push(Member { key, value, range: start..end });
            start = end;
        }
        Ok(members)
    }
}

/// A key, borrowed where it has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(key)))
            }
            fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}
