//! Checks a JSON value against a small vocabulary of shapes, and names the first place where it is another.
//!
//! What is missing in an object comes first, then its fields in the order of the table, not of the text, so that the
//! same manifest is always refused for the same reason. Keys that no table names are nobody's business. The words
//! are those of the platform's own validator, so that an author finds them in its documentation.

use serde_json::{Map, Value};

/// What a value may be.
#[derive(Debug)]
pub(super) enum Shape {
    /// Text of at least so many characters.
    Text { min: usize },
    /// Numbers between dots, such as `0.29.0`.
    Version,
    /// `true` or `false`.
    Flag,
    /// Any number.
    Number,
    /// A whole number, not less than this.
    Integer { min: u64 },
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A text, a number or a flag.
    Scalar,
    /// A text, a number, a flag or a list of texts.
    ScalarOrTexts,
    /// A list of such.
    List(&'static Shape),
    /// An object with such under each key.
    Map(&'static Shape),
    /// An object with these fields, and any others.
    Object(&'static [Field]),
}

/// One field of an object.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) key: &'static str,
    pub(super) shape: Shape,
    pub(super) required: bool,
}

/// The first thing that is wrong.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    /// JSON pointer; `/` is the whole.
    pub(super) at: String,
    /// What it must be.
    pub(super) message: String,
}

impl Mismatch {
    pub(super) fn new(at: &str, message: impl Into<String>) -> Self {
        Mismatch { at: if at.is_empty() { "/".to_owned() } else { at.to_owned() }, message: message.into() }
    }
}

/// The fields alone, for an object whose missing fields were reported already.
pub(super) fn check_fields(fields: &[Field], object: &Map<String, Value>, at: &str) -> Result<(), Mismatch> {
    fields.iter().try_for_each(|field| match object.get(field.key) {
        Some(value) => check(&field.shape, value, &below(at, field.key)),
        None => Ok(()),
    })
}

/// The required fields that are not there, in the table's order.
pub(super) fn missing(fields: &[Field], object: &Map<String, Value>) -> Vec<&'static str> {
    let required = fields.iter().filter(|field| field.required && !object.contains_key(field.key));
    required.map(|field| field.key).collect()
}

fn check(shape: &Shape, value: &Value, at: &str) -> Result<(), Mismatch> {
    let must = |message: &str| Err(Mismatch::new(at, format!("must {message}")));
    match (shape, value) {
        (Shape::Text { min }, Value::String(text)) if text.chars().count() < *min => {
            must(&format!("not have fewer than {min} characters"))
        }
        (Shape::Version, Value::String(text)) if !is_version(text) => {
            must(r#"match pattern "^\d+(\.\d+)*$""#)
        }
        (Shape::Choice(choices), Value::String(text)) if !choices.contains(&text.as_str()) => {
            must("be equal to constant")
        }
        (Shape::Text { .. } | Shape::Version | Shape::Choice(_), Value::String(_)) => Ok(()),
        (Shape::Text { .. } | Shape::Version | Shape::Choice(_), _) => must("be string"),
        (Shape::Flag, Value::Bool(_)) => Ok(()),
        (Shape::Flag, _) => must("be boolean"),
        (Shape::Number, Value::Number(_)) => Ok(()),
        (Shape::Number, _) => must("be number"),
        (Shape::Integer { min }, Value::Number(number)) => match number.as_f64() {
            Some(number) if number.fract() != 0.0 => must("be integer"),
            Some(number) if number < *min as f64 => must(&format!("be >= {min}")),
            _ => Ok(()),
        },
        (Shape::Integer { .. }, _) => must("be integer"),
        (Shape::Scalar | Shape::ScalarOrTexts, Value::String(_) | Value::Number(_) | Value::Bool(_)) => {
            Ok(())
        }
        (Shape::ScalarOrTexts, Value::Array(items)) if items.iter().all(Value::is_string) => Ok(()),
        (Shape::Scalar | Shape::ScalarOrTexts, _) => must("be string"),
        (Shape::List(shape), Value::Array(items)) => items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| check(shape, item, &below(at, &index.to_string()))),
        (Shape::List(_), _) => must("be array"),
        (Shape::Map(shape), Value::Object(object)) => {
            object.iter().try_for_each(|(key, item)| check(shape, item, &below(at, key)))
        }
        (Shape::Object(fields), Value::Object(object)) => match missing(fields, object) {
            missing if missing.is_empty() => check_fields(fields, object, at),
            missing => must(&format!("have required properties {}", missing.join(", "))),
        },
        (Shape::Map(_) | Shape::Object(_), _) => must("be object"),
    }
}

pub(super) fn below(at: &str, key: &str) -> String {
    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn is_version(text: &str) -> bool {
    text.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn wrong(shape: &Shape, value: Value) -> String {
        let Mismatch { at, message } = check(shape, &value, "").unwrap_err();
        format!("{at} {message}")
    }

    fn takes(shape: &Shape, values: &[Value]) {
        for value in values {
            assert_eq!(check(shape, value, ""), Ok(()), "{shape:?} {value}");
        }
    }

    fn refuses(shape: &Shape, values: &[(Value, &str)]) {
        for (value, message) in values {
            assert_eq!(wrong(shape, value.clone()), *message, "{shape:?}");
        }
    }

    #[test]
    fn every_shape_takes_its_own_and_says_what_it_wants_instead() {
        takes(&Shape::Text { min: 0 }, &[json!(""), json!("x")]);
        refuses(&Shape::Text { min: 0 }, &[(json!(null), "/ must be string")]);
        takes(&Shape::Flag, &[json!(false)]);
        refuses(&Shape::Flag, &[(json!("yes"), "/ must be boolean")]);
        takes(&Shape::Number, &[json!(1), json!(-0.5)]);
        refuses(&Shape::Number, &[(json!("1"), "/ must be number")]);
        takes(&Shape::Integer { min: 1 }, &[json!(1), json!(2.0), json!(u64::MAX)]);
        refuses(
            &Shape::Integer { min: 1 },
            &[
                (json!(0), "/ must be >= 1"),
                (json!(1.5), "/ must be integer"),
                (json!("1"), "/ must be integer"),
            ],
        );
        takes(&Shape::Choice(&["a", "b"]), &[json!("b")]);
        refuses(
            &Shape::Choice(&["a", "b"]),
            &[(json!("c"), "/ must be equal to constant"), (json!(1), "/ must be string")],
        );
        takes(&Shape::Scalar, &[json!(""), json!(0), json!(true)]);
        refuses(&Shape::Scalar, &[(json!(["a"]), "/ must be string")]);
        takes(&Shape::ScalarOrTexts, &[json!(["a"]), json!([])]);
        refuses(
            &Shape::ScalarOrTexts,
            &[(json!([1]), "/ must be string"), (json!(null), "/ must be string")],
        );
        takes(&Shape::Map(&Shape::Flag), &[json!({}), json!({"a": true})]);
        refuses(
            &Shape::Map(&Shape::Flag),
            &[(json!([]), "/ must be object"), (json!({"a/b~c": 1}), "/a~1b~0c must be boolean")],
        );
    }

    #[test]
    fn what_is_missing_comes_first_then_the_tables_order_counts() {
        const INNER: Shape = Shape::Object(&[
            Field { key: "a", shape: Shape::Flag, required: false },
            Field { key: "b", shape: Shape::Flag, required: true },
            Field { key: "c", shape: Shape::Flag, required: true },
        ]);
        const LIST: Shape = Shape::List(&INNER);
        assert_eq!(wrong(&LIST, json!([{"a": 1}])), "/0 must have required properties b, c");
        assert_eq!(wrong(&LIST, json!([{"c": 1, "b": 1, "a": 1}])), "/0/a must be boolean");
        assert_eq!(wrong(&LIST, json!([{"b": true, "c": true}, 7])), "/1 must be object");
        assert_eq!(check(&LIST, &json!([{"b": true, "c": true, "other": 1}]), ""), Ok(()));
    }
}
