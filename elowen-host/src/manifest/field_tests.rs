//! Every field of a manifest: what is taken, what is refused, where and in what words (cases M1 to M26).

use serde_json::{Map, Value, json};

use super::*;

/// A good manifest with these keys on top.
fn with(keys: Value) -> Value {
    let mut manifest =
        json!({"name": "m", "version": "1.0.0", "apiVersion": "1", "description": "m", "entry": "m"});
    for (key, value) in keys.as_object().unwrap() {
        manifest[key] = value.clone();
    }
    manifest
}

fn without(key: &str) -> Value {
    let mut manifest = with(json!({}));
    manifest.as_object_mut().unwrap().remove(key);
    manifest
}

fn parse(keys: Value) -> Manifest {
    Manifest::parse(&with(keys).to_string()).unwrap()
}

fn error(manifest: &Value) -> String {
    Manifest::parse(&manifest.to_string()).unwrap_err().to_string()
}

/// Checks that each is refused with the message after `invalid plugin manifest: `.
fn all_refused(cases: &[(Value, &str)]) {
    for (keys, message) in cases {
        let expected = format!("invalid plugin manifest: {message}");
        assert_eq!(error(&with(keys.clone())), expected, "{keys}");
    }
}

#[test]
fn m1_m12_a_minimal_manifest_declares_nothing() {
    let manifest = parse(json!({}));
    assert_eq!(*manifest.declared(), Declared::default());
    assert_eq!((manifest.provides_tools(), manifest.capabilities()), (None, None));
    assert_eq!((manifest.label(), manifest.icon(), manifest.requires_core()), ("m", None, None));
    assert_eq!((manifest.config_defaults(), manifest.user_config_defaults()), (Map::new(), Map::new()));
    assert_eq!(manifest.warnings, [""; 0]);
}

#[test]
fn m2_m11_unknown_keys_are_taken_at_every_level() {
    let manifest = parse(json!({
        "requires": {"env": ["X"]},
        "web": {"entry": 1},
        "provides": {"tools": [], "later": 1},
        "capabilities": {"hooks": true},
        "configSchema": [{"key": "k", "label": "K", "type": "string", "later": {}}],
    }));
    assert_eq!(manifest.raw["requires"]["env"][0], "X");
    assert_eq!(manifest.raw["provides"]["later"], 1);
    assert_eq!(manifest.raw["configSchema"][0]["later"], json!({}));
    assert_eq!(manifest.capabilities(), Some(Capabilities::default()));
}

#[test]
fn m3_m4_the_lists_are_kept_as_written() {
    let manifest = parse(json!({
        "label": "Em",
        "icon": "m.svg",
        "requiresControls": ["db"],
        "provides": {"tools": ["A", "mcp__*"], "readOnlyTools": ["mcp__*"]},
        "planSafe": [" A ", ""],
        "showOutput": ["Bash", "Lsp*"],
        "deferLoading": ["ScanCode", "mcp__*"],
        "icons": {"Z": "z", "A*": " a "},
        "userGrantable": true,
    }));
    assert_eq!(manifest.provides_tools().unwrap(), ["A", "mcp__*"]);
    assert_eq!(manifest.read_only_tools(), ["mcp__*"]);
    assert_eq!(manifest.plan_safe(), [" A ", ""]);
    assert_eq!(manifest.show_output(), ["Bash", "Lsp*"]);
    assert_eq!(manifest.defer_loading(), ["ScanCode", "mcp__*"]);
    assert_eq!(manifest.icons(), [("Z".into(), "z".into()), ("A*".into(), " a ".into())]);
    assert!(manifest.user_grantable());
    assert_eq!((manifest.label(), manifest.icon()), ("Em", Some("m.svg")));
    assert_eq!(manifest.requires_controls(), ["db"]);
    assert_eq!(parse(json!({"provides": {"tools": []}})).provides_tools(), Some(&[][..]));
    assert_eq!(parse(json!({"provides": {"skills": ["x"]}})).provides_tools(), None);
}

#[test]
fn m7_m8_a_config_field_of_unknown_type_is_left_out_with_a_warning() {
    for schema in ["configSchema", "userConfigSchema"] {
        let manifest = parse(json!({ schema: [
            {"key": "k", "label": "K", "type": "hologram"},
            {"key": "z", "label": "Z", "type": "secret", "default": "d"},
            {"type": "future"},
        ]}));
        assert_eq!(
            manifest.warnings,
            [
                "ignoring config field \"k\": unknown type \"hologram\" (needs a newer core)",
                "ignoring config field \"?\": unknown type \"future\" (needs a newer core)",
            ]
        );
        let kept = json!([{"key": "z", "label": "Z", "type": "secret", "default": "d"}]);
        assert_eq!(manifest.raw[schema], kept);
        let defaults = match schema {
            "configSchema" => manifest.config_defaults(),
            _ => manifest.user_config_defaults(),
        };
        assert_eq!(Value::Object(defaults), json!({"z": "d"}));
    }
}

#[test]
fn every_known_config_field_type_is_taken() {
    let known = "string secret boolean number textarea rolePolicies model provider section enum multiSelect code \
                 prompt json embeddingModel mcpServers destination projects plugins tools models timezone tokenList";
    for kind in known.split_whitespace() {
        let manifest = parse(json!({"configSchema": [{"key": "k", "label": "K", "type": kind}]}));
        assert_eq!(
            (manifest.warnings.len(), manifest.raw["configSchema"][0]["type"].as_str()),
            (0, Some(kind))
        );
    }
}

#[test]
fn m11_m13_capabilities_are_typed() {
    let manifest = parse(json!({"capabilities": {
        "mutates": ["turnContext", "tools"], "reads": ["controls"], "network": true, "hooks": 1
    }}));
    let capabilities = manifest.capabilities().unwrap();
    assert!(capabilities.may_mutate("tools") && !capabilities.may_mutate("memory"));
    assert_eq!((capabilities.reads, capabilities.network), (vec!["controls".to_owned()], true));
    all_refused(&[
        (
            json!({"capabilities": {"mutates": ["filesystem"]}}),
            "/capabilities/mutates/0 must be equal to constant",
        ),
        (json!({"capabilities": {"network": "yes"}}), "/capabilities/network must be boolean"),
        (json!({"capabilities": []}), "/capabilities must be object"),
    ]);
}

#[test]
fn m14_m18_what_is_missing_is_named_and_only_an_object_is_a_manifest() {
    for key in ["name", "version", "apiVersion", "description", "entry"] {
        let expected = format!("invalid plugin manifest: / must have required properties {key}");
        assert_eq!(error(&without(key)), expected);
    }
    for value in [json!(null), json!([]), json!("x"), json!(7), json!(true)] {
        assert_eq!(error(&value), "invalid plugin manifest: / must be object");
    }
    assert_eq!(
        error(&json!({})),
        "invalid plugin manifest: / must have required properties name, version, apiVersion, description, entry"
    );
}

#[test]
fn m15_m17_m19_m21_m22_m23_wrong_types_are_refused_where_they_stand() {
    all_refused(&[
        (json!({"name": 5}), "/name must be string"),
        (json!({"name": ""}), "/name must not have fewer than 1 characters"),
        (json!({"version": 1}), "/version must be string"),
        (json!({"apiVersion": 1}), "/apiVersion must be string"),
        (json!({"description": null}), "/description must be string"),
        (json!({"entry": ["m"]}), "/entry must be string"),
        (json!({"provides": []}), "/provides must be object"),
        (json!({"provides": {"tools": "One"}}), "/provides/tools must be array"),
        (json!({"provides": {"tools": ["One", 2]}}), "/provides/tools/1 must be string"),
        (json!({"provides": {"skills": 1}}), "/provides/skills must be array"),
        (json!({"planSafe": "R"}), "/planSafe must be array"),
        (json!({"showOutput": [1]}), "/showOutput/0 must be string"),
        (json!({"deferLoading": {}}), "/deferLoading must be array"),
        (json!({"icons": {"A": 1}}), "/icons/A must be string"),
        (json!({"userGrantable": "yes"}), "/userGrantable must be boolean"),
        (json!({"icon": 1}), "/icon must be string"),
        (json!({"workspaceSafe": 1}), "/workspaceSafe must be boolean"),
        (json!({"requiresControls": [""]}), "/requiresControls/0 must not have fewer than 1 characters"),
        (json!({"requiresSharedApi": 0}), "/requiresSharedApi must be >= 1"),
        (json!({"requiresSharedApi": 1.5}), "/requiresSharedApi must be integer"),
    ]);
    assert_eq!(parse(json!({"description": ""})).description, "");
}

#[test]
fn m5_m6_defer_loading_is_a_list_of_texts() {
    all_refused(&[
        (json!({"deferLoading": "ScanCode"}), "/deferLoading must be array"),
        (json!({"deferLoading": ["ScanCode", 42]}), "/deferLoading/1 must be string"),
    ]);
}

#[test]
fn m9_m10_config_fields_are_refused_where_they_are_wrong() {
    let field = |keys: Value| {
        let mut field = json!({"key": "k", "label": "K", "type": "string"});
        for (key, value) in keys.as_object().unwrap() {
            field[key] = value.clone();
        }
        field
    };
    let cases = [
        (json!("nope"), " must be array"),
        (json!([null]), "/0 must be object"),
        (json!([{"key": "k", "type": "string"}]), "/0 must have required properties label"),
        (json!([{"key": "k", "label": "K"}]), "/0 must have required properties type"),
        (json!([field(json!({"key": ""}))]), "/0/key must not have fewer than 1 characters"),
        (json!([field(json!({"type": 5}))]), "/0/type must be string"),
        (json!([field(json!({})), field(json!({"options": ["a"]}))]), "/1/options/0 must be object"),
        (json!([field(json!({"default": null}))]), "/0/default must be string"),
        (json!([field(json!({"risk": "extreme"}))]), "/0/risk must be equal to constant"),
        (json!([field(json!({"min": "1"}))]), "/0/min must be number"),
        (
            json!([field(json!({"visibleWhen": {"key": "x"}}))]),
            "/0/visibleWhen must have required properties equals",
        ),
        (json!([field(json!({"type": "number", "min": 2, "max": 1}))]), "/0/min must be <= max, which is 1"),
    ];
    for (value, message) in cases {
        all_refused(&[
            (json!({"configSchema": value.clone()}), &format!("/configSchema{message}")),
            (json!({"userConfigSchema": value}), &format!("/userConfigSchema{message}")),
        ]);
    }
    parse(json!({"configSchema": [
        field(json!({"type": "enum", "options": [{"value": "a", "label": "A"}]})),
        field(json!({"type": "number", "min": 0, "max": 10, "step": 0.5, "default": 3})),
        field(json!({"visibleWhen": {"key": "x", "equals": true}, "risk": "low"})),
    ]}));
}

#[test]
fn m16_another_api_version_is_refused_to_the_letter() {
    for version in ["999", "1.0", " 1", "2", "0", "\u{ff11}"] {
        let expected = format!("unsupported plugin apiVersion \"{version}\" (need \"1\")");
        assert_eq!(error(&with(json!({"apiVersion": version}))), expected);
    }
}

#[test]
fn m20_requires_core_is_numbers_between_dots() {
    for version in ["1", "0.29.0", "1.2.3.4", "01.002"] {
        assert_eq!(parse(json!({"requiresCore": version})).requires_core(), Some(version));
    }
    for version in ["v1.0.0", "1.0.0-beta", "", "1.", ">=1.0.0", "0.29.x", "\u{0661}", "1\n"] {
        all_refused(&[(
            json!({"requiresCore": version}),
            r#"/requiresCore must match pattern "^\d+(\.\d+)*$""#,
        )]);
    }
}

#[test]
fn m24_only_the_first_mistake_is_reported_and_the_shape_comes_before_the_versions() {
    let missing = "invalid plugin manifest: / must have required properties apiVersion, description, entry";
    assert_eq!(error(&json!({"name": 1, "version": 2})), missing);
    all_refused(&[
        (json!({"entry": 2, "name": 1, "apiVersion": "2"}), "/name must be string"),
        (
            json!({"description": 1, "requiresCore": "x"}),
            r#"/requiresCore must match pattern "^\d+(\.\d+)*$""#,
        ),
        (json!({"apiVersion": "2", "planSafe": 5}), "/planSafe must be array"),
        (json!({"planSafe": [2], "provides": {"tools": [1]}}), "/provides/tools/0 must be string"),
        (
            json!({"apiVersion": "2", "configSchema": [{"key": "k", "label": "K", "type": "number", "step": 0}]}),
            "/configSchema/0/step must be > 0",
        ),
    ]);
    let both = with(json!({"apiVersion": "2", "requiresSharedApi": 9, "extra": 1}));
    assert_eq!(error(&both), "unsupported plugin apiVersion \"2\" (need \"1\")");
}

#[test]
fn m25_the_shared_api_is_the_hosts_or_none() {
    parse(json!({"requiresSharedApi": SHARED_API}));
    let newer = SHARED_API + 1;
    let needs = "needs elowen-plugin-shared API";
    assert_eq!(
        error(&with(json!({"requiresSharedApi": newer}))),
        format!(
            "\"m\" {needs} {newer}, but this daemon ships {SHARED_API} \u{2014} update Elowen so the two match"
        )
    );
    let older = ManifestError::SharedApi { name: "m".into(), needs: SHARED_API - 1 };
    assert_eq!(
        older.to_string(),
        format!("\"m\" {needs} 0, but this daemon ships {SHARED_API} \u{2014} update m so the two match")
    );
}

#[test]
fn m26_read_only_tools_are_a_list_of_texts() {
    let manifest = parse(json!({"provides": {"readOnlyTools": ["mcp__*"]}}));
    assert_eq!(manifest.read_only_tools(), ["mcp__*"]);
    all_refused(&[
        (json!({"provides": {"readOnlyTools": ["a", 1]}}), "/provides/readOnlyTools/1 must be string"),
        (json!({"provides": {"readOnlyTools": "a"}}), "/provides/readOnlyTools must be array"),
    ]);
}

#[test]
fn a_name_is_any_text_that_is_not_empty() {
    for name in ["a", "A B", "../x", "\u{148}", ".", &"x".repeat(300)] {
        assert_eq!(parse(json!({"name": name})).name, name);
    }
}
