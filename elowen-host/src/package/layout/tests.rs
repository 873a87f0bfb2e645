//! What a packaged folder holds, and what is refused.

use super::*;
use tempfile::TempDir;

fn built(dir: &Path) -> Built {
    let library = dir.join(os::library_file_name("my_plugin".as_ref()));
    fs::write(&library, "library").unwrap();
    Built {
        library,
        name: "my-plugin".to_owned(),
        version: "1.2.3".to_owned(),
        description: "Does \"it\"".to_owned(),
        target_dir: dir.to_path_buf(),
    }
}

fn crate_with(manifest: &str) -> (TempDir, Built) {
    let dir = TempDir::new().unwrap();
    let built = built(dir.path());
    if !manifest.is_empty() {
        fs::write(dir.path().join(FILE_NAME), manifest).unwrap();
    }
    (dir, built)
}

fn manifest(name: &str, entry: &str) -> String {
    json!({"name": name, "version": "9", "apiVersion": "1", "description": "", "entry": entry, "more": [1]})
        .to_string()
}

#[test]
fn a_crate_without_a_manifest_gets_one_that_the_loader_reads() {
    let (dir, built) = crate_with("");
    let packaged = package(dir.path(), &built, &dir.path().join("out")).unwrap();
    assert_eq!(packaged.folder, dir.path().join("out/my-plugin"));
    let read = Manifest::read(&packaged.folder).unwrap();
    assert_eq!((read.version.as_str(), read.description.as_str()), ("1.2.3", "Does \"it\""));
    assert_eq!(read.entry, "my_plugin");
    assert_eq!(fs::read(read.library_path(&packaged.folder).unwrap()).unwrap(), b"library");
}

#[test]
fn a_crates_own_manifest_is_kept_to_the_letter_and_names_the_folder() {
    let text = manifest("other", "lib/my_plugin");
    let (dir, built) = crate_with(&text);
    let packaged = package(dir.path(), &built, dir.path()).unwrap();
    assert_eq!((packaged.name.as_str(), packaged.version.as_str()), ("other", "9"));
    assert_eq!(fs::read_to_string(packaged.folder.join(FILE_NAME)).unwrap(), text);
    let read = Manifest::read(&packaged.folder).unwrap();
    assert!(read.library_path(&packaged.folder).unwrap().starts_with(packaged.folder.join("lib")));
}

#[test]
fn packaging_again_replaces_the_library_and_leaves_nothing_behind() {
    let (dir, built) = crate_with("");
    let out = dir.path().join("out");
    package(dir.path(), &built, &out).unwrap();
    fs::write(&built.library, "newer").unwrap();
    let packaged = package(dir.path(), &built, &out).unwrap();
    let read = Manifest::read(&packaged.folder).unwrap();
    assert_eq!(fs::read(read.library_path(&packaged.folder).unwrap()).unwrap(), b"newer");
    assert_eq!(fs::read_dir(&packaged.folder).unwrap().count(), 2);
}

#[test]
fn an_entry_that_is_not_the_crates_library_is_told_what_to_be() {
    for entry in ["hello", "../my_plugin", "/my_plugin"] {
        let (dir, built) = crate_with(&manifest("p", entry));
        let error = package(dir.path(), &built, dir.path()).unwrap_err().to_string();
        assert!(error.contains(r#"write "entry": "my_plugin""#), "{error}");
    }
}

#[test]
fn a_name_cannot_lead_out_of_the_folder() {
    for name in ["..", "../x", "a/b", "/x", "."] {
        let (dir, built) = crate_with(&manifest(name, "my_plugin"));
        let error = package(dir.path(), &built, dir.path()).unwrap_err();
        assert!(matches!(error, PackageError::Name { .. }), "{name}: {error}");
    }
}

#[test]
fn a_broken_manifest_says_where() {
    let (dir, built) = crate_with("{");
    let error = package(dir.path(), &built, dir.path()).unwrap_err().to_string();
    assert!(error.contains("line 1, column 1") && error.contains("Correct elowen-plugin.json"), "{error}");
}
