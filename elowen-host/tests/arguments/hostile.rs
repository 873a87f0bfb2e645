//! Arguments and schemas that try to cost more than they are worth.

use std::time::{Duration, Instant};

use super::*;

#[track_caller]
fn quickly(work: impl FnOnce()) {
    let start = Instant::now();
    work();
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 3 });
    assert!(start.elapsed() < limit, "took {:?}", start.elapsed());
}

#[test]
fn depth_ends_where_the_plugins_parser_would_end() {
    for depth in [128usize, 1_000, 1_000_000] {
        let text = format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        let rejection = call(json!({"a": {}}), &text).unwrap_err();
        assert!(rejection.is_syntax() && rejection.text.contains("nested too deeply"));
    }
    // JSON text inside a string must not lead deeper either.
    let inner = format!("{}{}", "[".repeat(127), "]".repeat(127));
    let text = json!({"a": inner}).to_string();
    assert!(call(json!({"a": {"type": "array"}}), &text).is_err());
}

#[test]
fn a_schema_that_refers_to_itself_comes_to_an_end() {
    let loops = json!({"$ref": "#"});
    assert!(prepare("T", &loops, "{}").unwrap_err().text.contains("nested too deeply"));

    let branch = |tag: &str| json!({"type": "object", "required": ["l", "x"], "properties": {"l": {"$ref": "#"}, "x": {"const": tag}}});
    let tree = json!({"anyOf": [branch("a"), branch("b"), branch("c"), branch("d")]});
    let deep = format!("{}{{}}{}", "{\"l\":".repeat(100), ",\"x\":0}".repeat(100));
    quickly(|| {
        let text = prepare("T", &tree, &deep).unwrap_err().text;
        assert!(text.contains("too many alternatives") || text.contains("nested too deeply"), "{text}");
    });
}

#[test]
fn a_million_members_cost_a_million_steps() {
    let schema = json!({"a?": {"type": "integer"}, "maxCount?": {"type": "integer"},
                        "l?": {"type": "array", "items": {"type": "string", "pattern": "^(a|b)*$"}}});
    let many: String = (0..500_000).map(|n| format!(",\"k{n}\":{n}")).collect();
    quickly(|| unchanged(schema.clone(), &format!("{{\"a\":1{many}}}")));
    let same = ",\"a\":2".repeat(500_000);
    quickly(|| becomes(schema.clone(), &format!("{{\"a\":1{same}}}"), "{\"a\":2}"));
    let nulls = ",{\"x\":null}".repeat(100_000);
    let maps = json!({"l": {"type": "array", "items": tool(json!({"x?": {"type": "integer"}}))}});
    quickly(|| assert!(matches!(call(maps, &format!("{{\"l\":[{{}}{nulls}]}}")), Ok(Prepared::Coerced(_)))));
    let texts = ",\"abab\"".repeat(200_000);
    quickly(|| unchanged(schema.clone(), &format!("{{\"l\":[\"a\"{texts}]}}")));
}

#[test]
fn damaged_arguments_are_refused_or_fit_but_never_panic() {
    let schema = tool(json!({
        "a": {"type": "integer"}, "b?": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        "c?": tool(json!({"d?": {"type": "string", "enum": ["x", "y"]}})),
    }));
    let text = r#"{"a":"1","b":"[1.0,null]","c":{"d":null,"e":"\u00e9"},"a":2,"bb":[]}"#;
    for (cut, _) in text.char_indices() {
        for put in ["", "\"", "{", "}", "[", ",", ":", "\\", "null", "1e5", "\u{fffd}", "\0"] {
            let damaged = format!("{}{put}{}", &text[..cut], &text[cut + 1..]);
            if let Ok(Prepared::Coerced(text)) = prepare("T", &schema, &damaged) {
                assert!(
                    serde_json::from_str::<serde_json::Map<String, Value>>(&text).is_ok(),
                    "{damaged}\n{text}"
                );
                assert_eq!(prepare("T", &schema, &text), Ok(Prepared::Unchanged), "{damaged}");
            }
        }
    }
}
