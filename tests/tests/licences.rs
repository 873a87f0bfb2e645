//! Every crate that is linked, for any system, has a licence that `deny.toml` allows.

use serde_json::Value;
use std::{path::Path, process::Command};

/// The `allow` list of `deny.toml`'s `[licenses]`.
fn allowed(deny: &str) -> Vec<String> {
    let list =
        deny.lines().find_map(|line| line.strip_prefix("allow = [")).expect("deny.toml has an allow list");
    list.trim_end_matches(']').split(',').map(|licence| licence.trim().trim_matches('"').to_owned()).collect()
}

#[test]
fn every_dependency_has_an_allowed_licence() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let allowed = allowed(&std::fs::read_to_string(root.join("deny.toml")).expect("deny.toml can be read"));
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(&root)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    assert!(packages.len() > 30, "only {} packages", packages.len());
    for package in packages {
        let licence = package["license"].as_str().unwrap_or_default();
        let expression = spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX)
            .unwrap_or_else(|e| panic!("{}: licence `{licence}`: {e}", package["name"]));
        let ok = expression.evaluate(|wanted| allowed.contains(&wanted.to_string()));
        assert!(ok, "{}: licence `{licence}` is not allowed by deny.toml", package["name"]);
    }
}
