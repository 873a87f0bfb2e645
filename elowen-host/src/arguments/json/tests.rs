//! The scanner against serde_json, which plugins read with: the same texts are JSON, and the same values are in them.

use serde_json::{Map, Value};

use super::*;

/// Rebuilds the value by walking the text.
fn rebuild(value: Json) -> Value {
    match value.kind() {
        Kind::Object => Value::Object(
            value.members().map(|m| (m.key.into_owned(), rebuild(m.value))).collect::<Map<_, _>>(),
        ),
        Kind::Array => Value::Array(value.elements().map(rebuild).collect()),
        Kind::String => Value::String(value.string().unwrap().into_owned()),
        _ => serde_json::from_str(value.raw()).unwrap(),
    }
}

#[track_caller]
fn agrees(text: &str) {
    let ours = Json::parse(text, DEPTH);
    match serde_json::from_str::<Value>(text) {
        Ok(theirs) => {
            assert_eq!(rebuild(ours.unwrap_or_else(|error| panic!("{text}: {error}"))), theirs, "{text}")
        }
        // It reads numbers into floats, which the scanner leaves to the check of the type.
        Err(error) if error.to_string().starts_with("number out of range") => {}
        Err(error) => assert!(ours.is_err(), "{text}: {error}"),
    }
}

const SEEDS: [&str; 8] = [
    r#"{"a":1,"b":[true,false,null],"c":{"d":"x\n\"y\""},"a":2}"#,
    " { \"k\" : [ 1 , -0.5e+3 , \"\\u00e9\\ud83d\\ude00\" ] ,\r\n\t\"\" : { } } ",
    r#"[[],{},"",0,-1,1e5,"\\",{"x":[{"y":[]}]}]"#,
    r#""just \/ text ü ☃""#,
    "12345678901234567890123",
    r#"{"a,b":"}]","c:d":"[{","\\\"":"\\"}"#,
    "null",
    "[1,2,,3]",
];

#[test]
fn the_same_texts_are_json_however_they_are_damaged() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(below).unwrap()).unwrap()
    };
    let spare: Vec<char> = "{}[]\",:\\u0019eE+-. tfn\n\u{1}dé".chars().collect();
    for seed in SEEDS {
        agrees(seed);
        for _ in 0..4_000 {
            let mut text: Vec<char> = seed.chars().collect();
            for _ in 0..=random(3) {
                let at = random(text.len());
                match random(3) {
                    0 => text[at] = spare[random(spare.len())],
                    1 => text.insert(at, spare[random(spare.len())]),
                    _ if text.len() > 1 => drop(text.remove(at)),
                    _ => {}
                }
            }
            agrees(&text.into_iter().collect::<String>());
        }
    }
}

#[test]
fn every_prefix_of_a_text_is_judged_as_serde_json_judges_it() {
    for seed in SEEDS {
        for (end, _) in seed.char_indices() {
            agrees(&seed[..end]);
        }
    }
}

#[test]
fn nesting_ends_where_serde_json_ends() {
    for depth in [1, 126, 127, 128, 100_000] {
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(
            Json::parse(&text, DEPTH).is_ok(),
            serde_json::from_str::<Value>(&text).is_ok(),
            "{depth}"
        );
    }
}

#[test]
fn an_error_says_line_and_column_in_characters() {
    let error = Json::parse("{\n  \"é\": tru\n}", DEPTH).unwrap_err();
    assert_eq!(error.to_string(), "expected a value at line 2 column 8");
    let error = Json::parse("{\"a\": 1", DEPTH).unwrap_err();
    assert_eq!(error.to_string(), "the text ends inside an array or object at line 1 column 8");
}
