//! One hash for one JSON value, however its keys are ordered, and whatever it says about caching.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// SHA-256 of the canonical text.
pub(super) type Digest = [u8; 32];

/// Hashes compact JSON with sorted keys, without any `cache_control`.
pub(super) fn digest(value: &Value) -> Digest {
    let mut hasher = Sha256::new();
    feed(&mut hasher, value);
    hasher.finalize().into()
}

fn feed(hasher: &mut Sha256, value: &Value) {
    match value {
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().filter(|(key, _)| *key != "cache_control").collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            hasher.update("{");
            for (index, (key, value)) in members.into_iter().enumerate() {
                hasher.update(if index > 0 { "," } else { "" });
                hasher.update(Value::from(key.as_str()).to_string());
                hasher.update(":");
                feed(hasher, value);
            }
            hasher.update("}");
        }
        Value::Array(items) => {
            hasher.update("[");
            for (index, item) in items.iter().enumerate() {
                hasher.update(if index > 0 { "," } else { "" });
                feed(hasher, item);
            }
            hasher.update("]");
        }
        scalar => hasher.update(scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn order_of_keys_and_caching_do_not_count_and_everything_else_does() {
        let value = json!({"a": [1, {"b": "x", "c": null}], "d": true});
        let same = json!({"d": true, "a": [1, {"c": null, "b": "x", "cache_control": {"t": 1}}]});
        assert_eq!(digest(&value), digest(&same));
        let text = r#"{"a":[1,{"b":"x","c":null}],"d":true}"#;
        assert_eq!(digest(&value), <Digest>::from(Sha256::digest(text)));
        for other in [json!({"a": [1, {"b": "x", "c": null}]}), json!("x"), json!([]), json!({})] {
            assert_ne!(digest(&value), digest(&other));
        }
    }
}
