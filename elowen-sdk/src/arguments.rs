//! Do the arguments of a call fit the tool's Rust types, and if not, what is the model told?
//!
//! The last line behind the host's check: a schema that every provider accepts says less than a Rust type does
//! (`i128`, the parts of a tuple, what lies below a recursion), and an `f32` turns 1e39 into infinity without a
//! word. A call whose arguments fit pays nothing for this; the others are read again with an eye on the place.

mod place;
mod track;
mod words;

use serde::de::DeserializeOwned;
use serde_json::Deserializer;
use track::{Track, Tracked};

/// Reads the JSON text of the arguments. `holds_f32`: the type has such a number somewhere, which then has to be
/// looked at while it is read.
///
/// # Errors
/// One line for the model: the place, what belongs there and what was found.
#[inline]
pub(crate) fn read<T: DeserializeOwned>(text: &str, holds_f32: bool) -> Result<T, String> {
    match holds_f32 {
        false => serde_json::from_str(text).or_else(|_| again(text)),
        true => carefully(text),
    }
}

/// They did not fit as they are.
#[cold]
fn again<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    // A unit struct has no parameters, which for the model is an empty object.
    let unit = if text == "{}" { serde_json::from_str("null").ok() } else { None };
    unit.map_or_else(|| carefully(text), Ok)
}

/// Reads them with an eye on the place.
#[cold]
fn carefully<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let track = Track::default();
    let mut json = Deserializer::from_str(text);
    let read = T::deserialize(Tracked::new(&mut json, &track)).and_then(|arguments| {
        json.end()?;
        Ok(arguments)
    });
    read.map_err(|error| words::problem(&error, &track.into_failure(), text))
}

#[cfg(test)]
mod tests;
