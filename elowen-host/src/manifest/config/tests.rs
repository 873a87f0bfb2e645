//! Which parts of a configuration field must fit together, and where a misfit is reported.

use super::*;
use serde_json::json;

fn outcome(schema: &str, field: Value) -> Result<(), String> {
    let manifest = json!({ schema: [{"key": "a", "label": "A", "type": "string"}, field] });
    check(manifest.as_object().unwrap()).map_err(|Mismatch { at, message }| format!("{at} {message}"))
}

fn at(field: Value) -> String {
    let wrong = outcome("configSchema", field).unwrap_err();
    wrong.split_once(' ').unwrap().0.strip_prefix("/configSchema/1/").unwrap().to_owned()
}

#[test]
fn a_number_stays_between_its_bounds_and_on_its_steps() {
    for field in [
        json!({"type": "number", "min": 0, "max": 10, "step": 0.5, "default": 3}),
        json!({"type": "number", "min": 0.1, "step": 0.1, "default": 0.7}),
        json!({"type": "number", "step": 3, "default": -9}),
        json!({"type": "number", "min": 4, "max": 4}),
        json!({"type": "number", "min": 0, "max": 1, "step": 0.1, "display": {"control": "slider"}}),
        json!({"type": "string", "min": 5, "max": 1, "default": 7}),
    ] {
        assert_eq!(outcome("configSchema", field.clone()), Ok(()), "{field}");
    }
    for (field, part) in [
        (json!({"type": "number", "step": 0}), "step"),
        (json!({"type": "number", "min": 2, "max": 1}), "min"),
        (json!({"type": "number", "default": "3"}), "default"),
        (json!({"type": "number", "min": 1, "default": 0}), "default"),
        (json!({"type": "number", "max": 1, "default": 2}), "default"),
        (json!({"type": "number", "min": 1, "step": 2, "default": 2}), "default"),
        (json!({"type": "number", "display": {"divisor": 0}}), "display/divisor"),
        (json!({"type": "number", "min": 0, "max": 1, "display": {"control": "slider"}}), "display/control"),
        (json!({"type": "number", "min": 1, "max": 1, "step": 1, "display": {"control": "slider"}}), "min"),
        (json!({"type": "number", "min": 0, "max": 5, "step": 2, "display": {"control": "slider"}}), "max"),
        (json!({"type": "string", "display": {"control": "slider"}}), "display/control"),
    ] {
        assert_eq!(at(field.clone()), part, "{field}");
    }
    let wrong = outcome("configSchema", json!({"type": "number", "max": 1, "default": 2})).unwrap_err();
    assert_eq!(wrong, "/configSchema/1/default must be <= max, which is 1");
}

#[test]
fn lists_time_zones_and_folders_have_fields_of_their_own() {
    for field in [
        json!({"type": "tokenList", "default": ["a", "b"], "browse": "directory"}),
        json!({"type": "tokenList", "default": []}),
        json!({"type": "timezone", "default": "Europe/Prague"}),
        json!({"type": "timezone", "default": ""}),
    ] {
        assert_eq!(outcome("configSchema", field.clone()), Ok(()), "{field}");
    }
    for (field, part) in [
        (json!({"type": "tokenList", "default": "a"}), "default"),
        (json!({"type": "tokenList", "default": ["a", "a"]}), "default"),
        (json!({"type": "tokenList", "default": [" a"]}), "default"),
        (json!({"type": "tokenList", "default": [""]}), "default"),
        (json!({"type": "multiSelect", "default": ["a"]}), "default"),
        (json!({"type": "timezone", "default": " UTC"}), "default"),
        (json!({"type": "timezone", "default": "Europe//Prague"}), "default"),
        (json!({"type": "timezone", "default": 1}), "default"),
        (json!({"type": "string", "browse": "directory"}), "browse"),
    ] {
        assert_eq!(at(field.clone()), part, "{field}");
    }
    let own = outcome("userConfigSchema", json!({"type": "tokenList", "browse": "directory"}));
    assert_eq!(own.unwrap_err(), "/userConfigSchema/1/browse must not stand in userConfigSchema");
}

#[test]
fn defaults_are_collected_by_key() {
    let manifest = json!({"configSchema": [
        {"key": "a", "label": "A", "type": "number", "default": 3},
        {"key": "h", "label": "H", "type": "section", "default": "x"},
        {"key": "b", "label": "B", "type": "boolean", "default": false},
        {"key": "c", "label": "C", "type": "string"},
        {"key": "a", "label": "A again", "type": "number", "default": 4},
    ]});
    let manifest = manifest.as_object().unwrap();
    assert_eq!(Value::Object(defaults(manifest, "configSchema")), json!({"a": 3, "b": false}));
    assert_eq!(defaults(manifest, "userConfigSchema"), Map::new());
}
