//! Do the C plugins build: the example by its own Makefile, and each case of the misbehaving one without a
//! warning and into something else than the plugin that breaks nothing?

use std::collections::BTreeSet;
use std::path::Path;

use elowen_tests::cc;

fn name(define: &str) -> &str {
    define.split('=').next().unwrap_or(define)
}

#[test]
fn every_case_compiles_without_a_warning_and_changes_the_library() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let build = |define: &str| {
        let out = dir.join(cc::library_name("case"));
        cc::compile(&cc::fixture("misbehave.c"), &out, &[define]);
        std::fs::read(out).unwrap()
    };
    let good = build("CASE_NONE");
    let cases = cc::cases();
    for case in cases.iter().filter(|case| case.define != "CASE_NONE") {
        assert!(build(&case.define) != good, "{} compiles to a plugin that breaks nothing", case.define);
    }
}

#[test]
fn the_table_lists_the_cases_that_the_code_knows() {
    let text = std::fs::read_to_string(cc::fixture("misbehave.c")).unwrap();
    let code = text.split_once("*/").unwrap().1;
    let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '(');
    let known = words.filter_map(|word| {
        let case = word.rsplit('(').next().unwrap_or(word);
        if word.contains("IS(") {
            Some(format!("CASE_{case}"))
        } else {
            case.starts_with("CASE_").then(|| case.to_owned())
        }
    });
    let known: BTreeSet<_> = known.collect();
    let listed = cc::cases().into_iter().map(|case| name(&case.define).to_owned());
    let listed: BTreeSet<_> = listed.filter(|define| define != "CASE_NONE").collect();
    assert_eq!(listed, known);
}

#[test]
fn a_plugin_folder_holds_a_manifest_and_a_library_of_the_same_name() {
    let folder = cc::plugin_folder(Path::new(env!("CARGO_TARGET_TMPDIR")), "well-named", &["CASE_NONE"]);
    let manifest = std::fs::read_to_string(folder.join("elowen-plugin.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["name"], "well-named");

    let library = std::fs::read(folder.join(cc::library_name(manifest["entry"].as_str().unwrap()))).unwrap();
    let name = br#"{"plugin":{"name":"well-named","#;
    assert!(library.windows(name.len()).any(|window| window == name), "the blob has another name");
}

#[test]
fn the_makefile_of_the_example_builds_what_its_manifest_names() {
    let folder = cc::c_hello_folder(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let manifest = std::fs::read_to_string(folder.join("elowen-plugin.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let library = folder.join(cc::library_name(manifest["entry"].as_str().unwrap()));
    assert!(library.is_file(), "{} was not built", library.display());
}
