//! Which manifests are accepted, and in what words the others are refused.

use serde_json::json;
use tempfile::TempDir;

use super::*;

fn good() -> Value {
    json!({"name": "todo", "version": "1.0.0", "apiVersion": "1", "description": "Lists", "entry": "todo"})
}

/// The good manifest with one key set, or removed by `Value::Null`.
fn with(key: &str, value: Value) -> String {
    let mut manifest = good();
    manifest[key] = value;
    manifest.to_string()
}

fn error(text: &str) -> String {
    Manifest::parse(text).unwrap_err().to_string()
}

fn entry(entry: &str) -> Manifest {
    Manifest::parse(&with("entry", json!(entry))).unwrap()
}

#[test]
fn a_minimal_manifest_is_accepted() {
    let manifest = Manifest::parse(&good().to_string()).unwrap();
    assert_eq!((manifest.name.as_str(), manifest.version.as_str()), ("todo", "1.0.0"));
    assert_eq!((manifest.description.as_str(), manifest.entry.as_str()), ("Lists", "todo"));
    assert_eq!(Manifest::parse(&with("description", json!(""))).unwrap().description, "");
}

#[test]
fn unknown_keys_are_carried_along() {
    let manifest = Manifest::parse(&with("requires", json!({"env": ["X"]}))).unwrap();
    assert_eq!(manifest.raw["requires"]["env"][0], "X");
}

#[test]
fn the_shape_is_checked_in_the_platforms_words() {
    for text in ["\"nope\"", "null", "[]", "1"] {
        assert_eq!(error(text), "invalid plugin manifest: / must be object");
    }
    assert_eq!(
        error("{}"),
        "invalid plugin manifest: / must have required properties name, version, apiVersion, description, entry"
    );
    let mut no_name = good();
    no_name.as_object_mut().unwrap().remove("name");
    assert_eq!(error(&no_name.to_string()), "invalid plugin manifest: / must have required properties name");
    assert_eq!(error(&with("name", json!(1))), "invalid plugin manifest: /name must be string");
    assert_eq!(error(&with("name", json!(null))), "invalid plugin manifest: /name must be string");
    assert_eq!(
        error(&with("name", json!(""))),
        "invalid plugin manifest: /name must not have fewer than 1 characters"
    );
    assert_eq!(error(&with("apiVersion", json!(1))), "invalid plugin manifest: /apiVersion must be string");
    assert_eq!(
        error(&with("description", json!([]))),
        "invalid plugin manifest: /description must be string"
    );
}

#[test]
fn only_the_first_mistake_is_reported() {
    let mut manifest = good();
    manifest["entry"] = json!(2);
    manifest["name"] = json!(1);
    manifest["apiVersion"] = json!("999");
    assert_eq!(error(&manifest.to_string()), "invalid plugin manifest: /name must be string");
}

#[test]
fn another_api_version_is_refused_after_the_shape() {
    assert_eq!(error(&with("apiVersion", json!("999"))), r#"unsupported plugin apiVersion "999" (need "1")"#);
}

#[test]
fn a_json_error_has_its_place() {
    assert_eq!(
        error("{\n  not json"),
        "elowen-plugin.json is not JSON: line 2, column 3: key must be a string"
    );
    let deep = "[".repeat(100_000);
    assert!(error(&deep).contains("nested more than 127 levels deep"));
}

#[test]
fn a_manifest_is_read_from_its_folder() {
    let dir = TempDir::new().unwrap();
    let folder = dir.path().join("todo");
    fs::create_dir(&folder).unwrap();
    let read = || Manifest::read(&folder);
    assert!(read().unwrap_err().to_string().starts_with("elowen-plugin.json cannot be read: "));

    let file = folder.join(FILE_NAME);
    fs::write(&file, good().to_string()).unwrap();
    assert_eq!(read().unwrap().name, "todo");
    assert_eq!(Manifest::read(&folder.join(".")).unwrap().name, "todo");

    fs::write(&file, with("name", json!("other"))).unwrap();
    assert_eq!(read().unwrap_err().to_string(), r#"manifest name "other" != folder "todo""#);
    fs::write(&file, b"{\"name\":\"\xff\"}").unwrap();
    assert!(matches!(read(), Err(ManifestError::NotUtf8 { offset: 9, .. })));
    fs::write(&file, vec![b' '; MAX_LEN as usize + 1]).unwrap();
    assert!(matches!(read(), Err(ManifestError::TooLarge { .. })));
}

#[test]
fn the_entry_names_the_library_with_or_without_prefix_and_suffix() {
    let dir = TempDir::new().unwrap();
    let library = dir.path().join(os::library_file_name(OsStr::new("todo")));
    fs::write(&library, "x").unwrap();
    let file_name = library.file_name().unwrap().to_str().unwrap();
    for name in ["todo", file_name, "./todo", "sub/../todo"] {
        assert_eq!(entry(name).library_path(dir.path()).unwrap(), library, "{name}");
    }
    // A folder of that name is not meant.
    fs::create_dir(dir.path().join("todo")).unwrap();
    assert_eq!(entry("todo").library_path(dir.path()).unwrap(), library);

    fs::write(dir.path().join("exact"), "x").unwrap();
    assert_eq!(entry("exact").library_path(dir.path()).unwrap(), dir.path().join("exact"));
}

#[test]
fn an_entry_outside_the_folder_is_refused() {
    let dir = TempDir::new().unwrap();
    for outside in ["../../escape", "..", "sub/../../other", "/etc/passwd"] {
        let error = entry(outside).library_path(&dir.path().join("todo")).unwrap_err().to_string();
        assert_eq!(error, format!("entry {outside:?} escapes plugin dir"));
    }
    // The folder's name as a prefix is not the folder.
    let error = entry("../todo2/x").library_path(&dir.path().join("todo")).unwrap_err().to_string();
    assert_eq!(error, r#"entry "../todo2/x" escapes plugin dir"#);
}

#[test]
fn a_missing_library_says_what_was_looked_for() {
    let dir = TempDir::new().unwrap();
    let file = os::library_file_name(OsStr::new("todo"));
    let error = entry("todo").library_path(dir.path()).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("entry \"todo\" names no file in {:?}; looked for \"todo\" and {file:?}", dir.path())
    );
    let folder = dir.path().join("mine");
    fs::create_dir(&folder).unwrap();
    for itself in [".", "../mine"] {
        let error = entry(itself).library_path(&folder).unwrap_err().to_string();
        assert!(error.ends_with("looked for a file, and that is the folder itself"), "{error}");
    }
    for odd in [".", "a\0b"] {
        assert!(matches!(entry(odd).library_path(dir.path()), Err(ManifestError::NoLibrary { .. })));
    }
}

#[test]
fn what_is_missing_is_explained() {
    let error = Manifest::parse(r#"{"name":"p","version":"1","apiVersion":"1"}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid plugin manifest: / must have required properties description, entry"
    );
    let remedy = error.remedy();
    assert!(
        remedy.contains(r#"Add to elowen-plugin.json: "description" (what the plugin is for"#),
        "{remedy}"
    );
    assert!(remedy.contains(r#""entry" (the library's file name"#), "{remedy}");
}

#[test]
fn a_name_that_no_folder_can_have_is_not_advised() {
    let remedy = |name: &str| {
        ManifestError::Name { name: name.to_owned(), folder: "todo".into() }.remedy().into_owned()
    };
    assert_eq!(remedy("list"), r#"Rename the folder to "list""#);
    for name in ["a/b", "..", "."] {
        assert!(remedy(name).starts_with(r#"Correct "name" in elowen-plugin.json"#), "{}", remedy(name));
    }
}

#[test]
fn a_value_of_the_wrong_kind_is_answered_with_the_right_one() {
    let remedy =
        |key: &str, value: Value| Manifest::parse(&with(key, value)).unwrap_err().remedy().into_owned();
    let cases = [
        ("name", json!(1), r#"Give "name" in elowen-plugin.json a text in double quotes"#),
        ("planSafe", json!("A"), r#"Give "planSafe" in elowen-plugin.json a list: ["one", "two"]"#),
        ("planSafe", json!(["A", 1]), r#"Give "planSafe/1" in elowen-plugin.json a text in double quotes"#),
        ("provides", json!(["A"]), r#"Give "provides" in elowen-plugin.json an object: {"key": ...}"#),
        (
            "userGrantable",
            json!("yes"),
            r#"Give "userGrantable" in elowen-plugin.json true or false, without quotes"#,
        ),
        (
            "requiresSharedApi",
            json!("1"),
            r#"Give "requiresSharedApi" in elowen-plugin.json a whole number, without quotes"#,
        ),
        (
            "name",
            json!(""),
            r#"Correct "name" in elowen-plugin.json: it must not have fewer than 1 characters"#,
        ),
        (
            "capabilities",
            json!({"mutates": ["all"]}),
            r#"Correct "capabilities/mutates/0" in elowen-plugin.json: it must be equal to constant"#,
        ),
    ];
    for (key, value, expected) in cases {
        assert_eq!(remedy(key, value), expected);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_named_over_a_link_and_its_parent_is_the_one_on_the_disk() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    fs::create_dir_all(dir.join("far/away")).unwrap();
    fs::create_dir_all(dir.join("far/todo")).unwrap();
    std::os::unix::fs::symlink(dir.join("far/away"), dir.join("near")).unwrap();
    fs::write(dir.join("far/todo/todo"), "x").unwrap();
    let named = dir.join("near/../todo");
    assert_eq!(entry("todo").library_path(&named).unwrap(), dir.join("far/todo/todo"));
}
