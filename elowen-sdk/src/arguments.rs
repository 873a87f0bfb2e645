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
pub(crate) fn read<T: DeserializeOwned>(text: &str, holds_f32: bool) -> Result<T, String> {
    if holds_f32 {
        return carefully(text);
    }
    match serde_json::from_str(text) {
        Ok(arguments) => Ok(arguments),
        // A unit struct has no parameters, which for the model is an empty object.
        Err(_) if text == "{}" => serde_json::from_str("null").or_else(|_| carefully(text)),
        Err(_) => carefully(text),
    }
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
