//! Caps at their exact edges (C1-C17; seed s10-s16).

use super::*;
use proptest::prelude::*;

fn tool(name: &str, description: &str, parameters: Value, external: bool) -> Offered {
    Offered {
        name: name.into(),
        description: description.into(),
        parameters,
        external,
        plugin: Some("p".into()),
        read_only: false,
        plan_safe: false,
    }
}

fn small() -> Value {
    json!({"type": "object", "required": ["value"], "properties": {"value": {"type": "string"}}})
}

fn of_bytes(bytes: usize) -> Value {
    json!({"type": "object", "properties": {"a": {"type": "string", "description": "x".repeat(bytes)}}})
}

/// The description that a small external tool ends up with.
fn described(text: &str) -> String {
    cap(tool("L", text, small(), true)).0.description
}

#[test]
fn c1_c8_a_small_definition_is_left_alone_and_not_reported() {
    let before = tool("T", "d", of_bytes(500), true);
    assert_eq!(cap(before.clone()), (before, None));
}

#[test]
fn c2_a_large_schema_is_replaced_and_the_description_says_so() {
    let (after, report) = cap(tool("Big", "Big description", of_bytes(20_000), true));
    assert_eq!(after.parameters, json!({"type": "object", "additionalProperties": true}));
    assert_eq!(after.description, format!("Big description{NOTE}"));
    assert!(NOTE.contains("parameter schema was too large") && NOTE.contains("the server validates them"));
    assert!(NOTE.starts_with(" [") && NOTE.ends_with(']'));
    assert!(size(after.definition()) < MAX_DEFINITION);
    let report = report.unwrap();
    assert!(report.schema_omitted && report.bytes > 20_000);
}

#[test]
fn c3_c15_an_internal_tool_of_any_size_is_left_alone_whatever_its_name() {
    for name in ["A", "mcp__x__y"] {
        let before = tool(name, &"d".repeat(9_000), of_bytes(20_000), false);
        assert_eq!(cap(before.clone()), (before, None));
    }
    assert!(cap(tool("Foo", "", of_bytes(20_000), true)).1.is_some());
}

#[test]
fn c4_c10_c11_a_description_is_cut_at_a_character() {
    assert_eq!(described(&"字".repeat(1_000)), "字".repeat(332) + "…");
    assert_eq!(described(&"字".repeat(1_000)).len(), 999);
    assert_eq!(described(&"字".repeat(333)), "字".repeat(333));
    assert_eq!(described(&"字".repeat(334)).len(), 999);
    assert_eq!(described(&"😀".repeat(260)), "😀".repeat(249) + "…");
}

#[test]
fn c9_c12_the_limit_is_a_thousand_bytes_with_the_ellipsis() {
    assert_eq!(described(&"d".repeat(1_000)), "d".repeat(1_000));
    assert_eq!(described(&"d".repeat(1_001)), "d".repeat(997) + "…");
    let fits = "a".repeat(998) + "é";
    assert_eq!(described(&fits), fits);
    let over = described(&("a".repeat(999) + "é"));
    assert_eq!((over.len(), over.ends_with('…')), (1_000, true));
}

#[test]
fn c5_description_and_note_together_fill_the_limit() {
    let (after, _) = cap(tool("T", &"d".repeat(5_000), of_bytes(20_000), true));
    assert_eq!(after.description.len(), 1_000);
    assert!(after.description.ends_with(&format!("d…{NOTE}")));
}

#[test]
fn c6_c7_a_description_that_is_cut_is_reported_with_its_original_bytes() {
    let report = cap(tool("T", &"d".repeat(9_000), small(), true)).1.unwrap();
    assert!(!report.schema_omitted && report.bytes > 9_000);
    assert_eq!(described(&"d".repeat(5_000)).len(), 1_000);
}

#[test]
fn c13_eight_thousand_bytes_are_kept_and_one_more_is_not() {
    let exact = tool("mcp__x__y", "", of_bytes(7_878), true);
    assert_eq!(size(exact.definition()), 8_000);
    assert_eq!(cap(exact.clone()), (exact, None));
    let report = cap(tool("mcp__x__y", "", of_bytes(7_879), true)).1.unwrap();
    assert_eq!((report.bytes, report.schema_omitted), (8_001, true));
}

#[test]
fn c14_the_schema_of_a_capped_tool_takes_any_object() {
    let arguments = r#"{"anything":1,"nested":{"a":[1,2]},"n":null}"#;
    let fitted = crate::arguments::prepare("T", &permissive(), arguments);
    assert_eq!(fitted, Ok(crate::arguments::Prepared::Unchanged));
}

#[test]
fn a1_an_external_schema_without_an_object_root_is_replaced() {
    for parameters in [json!({"type": "array", "items": {}}), json!({"anyOf": []}), Value::Null, json!(true)]
    {
        let (after, report) = cap(tool("X", "X description", parameters, true));
        assert_eq!(after.parameters, permissive());
        assert!(after.description.ends_with(NOTE));
        assert!(report.unwrap().schema_omitted);
    }
}

#[test]
fn one_warning_names_the_tools_that_lost_their_schema() {
    let capped = |name: &str, schema_omitted, object_root| Capped {
        name: name.into(),
        bytes: 9_000,
        schema_omitted,
        object_root,
    };
    let all = [
        capped("A", true, true),
        capped("B", false, true),
        capped("C", true, true),
        capped("D", true, false),
    ];
    let warnings = warnings(&all);
    let [large, rootless] = &warnings[..] else { panic!("two warnings, not {warnings:?}") };
    assert!(large.starts_with("parameter schema omitted for 2 external tool(s) over 8000 bytes: A, C — "));
    assert!(
        rootless
            .starts_with("parameter schema omitted for 1 external tool(s) whose root is not an object: D — ")
    );
    assert!(super::warnings(&[capped("B", false, true)]).is_empty());
}

proptest! {
    #[test]
    fn clamping_never_splits_a_character_nor_exceeds_its_budget(text in any::<String>(), max in 3usize..64) {
        let clamped = clamp(&text, max);
        prop_assert!(clamped.len() <= max);
        if text.len() <= max {
            prop_assert_eq!(clamped, text);
        } else {
            let kept = clamped.strip_suffix('…').unwrap();
            prop_assert!(text.starts_with(kept));
            // Not a character less than fits.
            let next = text[kept.len()..].chars().next().unwrap();
            prop_assert!(kept.len() + next.len_utf8() + 3 > max);
        }
    }

    #[test]
    fn a_capped_tool_keeps_both_limits(text in "\\PC{0,1500}", bytes in 0usize..12_000) {
        let (after, report) = cap(tool("T", &text, of_bytes(bytes), true));
        prop_assert!(after.description.len() <= MAX_DESCRIPTION);
        prop_assert!(size(after.definition()) <= MAX_DEFINITION);
        prop_assert_eq!(cap(after), (cap(tool("T", &text, of_bytes(bytes), true)).0, None), "capping twice changes nothing");
        let untouched = report.is_none();
        prop_assert_eq!(untouched, text.len() <= 1_000 && size(tool("T", &text, of_bytes(bytes), true).definition()) <= 8_000);
    }
}
