//! The whole text of every failure, as its reader sees it.

use std::error::Error as _;
use std::io;
use std::path::PathBuf;

use super::*;

mod running;

/// The text after `plugin .. was not loaded: `.
fn text(cause: impl Into<LoadFailure>) -> String {
    let error = LoadError { plugin: "todo".into(), file: "/p/todo/libtodo.so".into(), cause: cause.into() };
    let text = error.to_string();
    text.strip_prefix("plugin `todo` (/p/todo/libtodo.so) was not loaded: ").unwrap().to_owned()
}

fn path() -> PathBuf {
    "/p/todo".into()
}

fn io_error() -> io::Error {
    io::Error::other("input/output error")
}

#[test]
fn a_whole_sentence_names_plugin_and_file_and_cause_and_remedy_and_fault() {
    let error = LoadError {
        plugin: "todo".into(),
        file: "/p/todo/libtodo.so".into(),
        cause: BlobError::NoCommonAbi { plugin: 1..=1, host: 2..=2 }.into(),
    };
    assert_eq!(
        error.to_string(),
        "plugin `todo` (/p/todo/libtodo.so) was not loaded: it speaks ABI 1, this host speaks 2: the plugin is too \
         old. Rebuild it against elowen-sdk 0.1 (fault of the plugin)."
    );
}

#[test]
fn the_cause_can_be_taken_apart() {
    let source = io::Error::from(io::ErrorKind::NotFound);
    let error = LoadError {
        plugin: "todo".into(),
        file: path(),
        cause: TrustError::Open { path: path(), source }.into(),
    };
    let failure = error.source().unwrap();
    assert!(matches!(failure.downcast_ref(), Some(LoadFailure::Trust(TrustError::Open { .. }))));
    assert!(failure.source().unwrap().is::<io::Error>());
}

#[test]
fn manifests() {
    let cases: [(ManifestError, &str); 10] = [
        (
            ManifestError::Read { path: path(), source: io_error() },
            r#"elowen-plugin.json cannot be read: input/output error. Make the manifest readable for this host (fault of the installation)."#,
        ),
        (
            ManifestError::NotRegular { path: path() },
            r#"elowen-plugin.json is not a regular file. Put the manifest itself there (fault of the installation)."#,
        ),
        (
            ManifestError::TooLarge { path: path() },
            r#"elowen-plugin.json has more than 1048576 bytes. Shorten the manifest (fault of the plugin)."#,
        ),
        (
            ManifestError::NotUtf8 { path: path(), offset: 9 },
            r#"elowen-plugin.json is not UTF-8: byte 9 is wrong. Save the manifest as UTF-8 (fault of the plugin)."#,
        ),
        (
            ManifestError::Json { line: 2, column: 3, message: "key must be a string".into() },
            "elowen-plugin.json is not JSON: line 2, column 3: key must be a string. Correct elowen-plugin.json (fault of the plugin).",
        ),
        (
            ManifestError::Shape { at: "/name".into(), message: "must be string".into() },
            "invalid plugin manifest: /name must be string. Give \"name\" in elowen-plugin.json a text in double quotes (fault of the plugin).",
        ),
        (
            ManifestError::ApiVersion { found: "999".into() },
            r#"unsupported plugin apiVersion "999" (need "1"). Use a release of the plugin for apiVersion "1", or another host (fault of the plugin)."#,
        ),
        (
            ManifestError::Name { name: "todo".into(), folder: "list".into() },
            r#"manifest name "todo" != folder "list". Rename the folder to "todo" (fault of the installation)."#,
        ),
        (
            ManifestError::Escapes { entry: "../x".into() },
            r#"entry "../x" escapes plugin dir. Let `entry` name a file in the plugin's own folder (fault of the plugin)."#,
        ),
        (
            ManifestError::NoLibrary {
                entry: "todo".into(),
                folder: path(),
                looked_for: "\"todo\" and \"libtodo.so\"".into(),
            },
            r#"entry "todo" names no file in "/p/todo"; looked for "todo" and "libtodo.so". Build the plugin and copy its library there, or correct `entry` (fault of the installation)."#,
        ),
    ];
    for (error, expected) in cases {
        assert_eq!(text(error), expected);
    }
}

#[test]
fn file_checks() {
    let cases: [(TrustError, &str); 13] = [
        (
            TrustError::NotAbsolute { path: "todo".into() },
            r#"the path "todo" is not absolute. Name the plugin root by an absolute path (fault of the installation)."#,
        ),
        (
            TrustError::Nul,
            "its path contains a NUL byte. Rename or move the plugin's folder (fault of the installation).",
        ),
        (
            TrustError::TooLong { len: 5000 },
            "its path is 5000 bytes long. Rename or move the plugin's folder (fault of the installation).",
        ),
        (
            TrustError::DotDot,
            "its path contains `..`. Put the library into the plugin's own folder (fault of the installation).",
        ),
        (
            TrustError::OutsideRoot { root: "/q".into() },
            r#"it lies outside the plugin root "/q". Put the library into the plugin's own folder (fault of the installation)."#,
        ),
        (
            TrustError::Open { path: path(), source: io_error() },
            r#""/p/todo" cannot be opened: input/output error. Make the file and its folders readable for this host (fault of the installation)."#,
        ),
        (
            TrustError::SymbolicLink,
            "it is a symbolic link. Copy the library itself into the plugin's folder (fault of the installation).",
        ),
        (
            TrustError::NotRegular { kind: "named pipe" },
            "it is a named pipe, not a regular file. Let the manifest's `entry` name the library file (fault of the installation).",
        ),
        (
            TrustError::Owner { path: path(), uid: 1234 },
            r#""/p/todo" belongs to user 1234, who is neither the one running this host nor root. Install it as the user of this host, or `chown` "/p/todo" (fault of the installation)."#,
        ),
        (
            TrustError::WorldWritable { path: path() },
            r#""/p/todo" is writable by everybody. Run `chmod o-w` on "/p/todo" (fault of the installation)."#,
        ),
        (TrustError::Empty, "it is empty. Build or copy the library again (fault of the installation)."),
        (
            TrustError::TooLarge { len: 7, max: 6 },
            "it has 7 bytes, the limit is 6. Strip the library, or raise the limit (fault of the installation).",
        ),
        (
            TrustError::Read(io_error()),
            "it cannot be read: input/output error. Make the file and its folders readable for this host (fault of the installation).",
        ),
    ];
    for (error, expected) in cases {
        assert_eq!(text(error), expected);
    }
    assert_eq!(
        text(TrustError::Changed),
        "it changed while it was read. Wait for the build or copy to finish, and move the finished file into place (fault of the installation)."
    );
}

#[test]
fn private_copies() {
    let cases: [(CacheError, &str); 5] = [
        (
            CacheError::NoSpace { dir: "/s/plugin-cache".into() },
            r#"there is no space left for private copies in "/s/plugin-cache". Make room there, or let ELOWEN_STATE_DIR or --state-dir name another folder (fault of the machine)."#,
        ),
        (
            CacheError::ReadOnly { dir: "/s/plugin-cache".into() },
            r#"private copies cannot be written: "/s/plugin-cache" is on a read-only file system. Let ELOWEN_STATE_DIR or --state-dir name a folder that this user can write to (fault of the machine)."#,
        ),
        (
            CacheError::Denied { dir: "/s/plugin-cache".into() },
            r#"private copies cannot be written: this user may not write to "/s/plugin-cache". Let ELOWEN_STATE_DIR or --state-dir name a folder that this user can write to (fault of the machine)."#,
        ),
        (
            CacheError::Insecure { dir: "/s/plugin-cache".into(), why: "is writable by everybody".into() },
            r#"private copies are not safe in "/s/plugin-cache", which is writable by everybody. Give "/s/plugin-cache" to this user and take away the others' right to write, or let ELOWEN_STATE_DIR or --state-dir name another folder (fault of the machine)."#,
        ),
        (
            CacheError::Io { dir: "/s/plugin-cache".into(), source: io_error() },
            r#"private copies cannot be kept in "/s/plugin-cache": input/output error. Let ELOWEN_STATE_DIR or --state-dir name a folder that this user can write to (fault of the machine)."#,
        ),
    ];
    for (error, expected) in cases {
        assert_eq!(text(error), expected);
    }
}

#[test]
fn metadata() {
    let cases: [(BlobError, &str); 20] = [
        (BlobError::Empty, "it is empty. Build or copy the library again (fault of the installation)."),
        (
            BlobError::NotALibrary,
            "it is not a library: neither ELF, Mach-O nor PE. Let the manifest's `entry` name the library that a crate of type `cdylib` gives (fault of the installation).",
        ),
        (
            BlobError::Damaged { message: "it has 4 bytes".into() },
            "it is a truncated or damaged library: it has 4 bytes. Build or copy the library again (fault of the installation).",
        ),
        (
            BlobError::NotShared { kind: "an executable" },
            "it is an executable, not a shared library. Let the manifest's `entry` name the library that a crate of type `cdylib` gives (fault of the installation).",
        ),
        (
            BlobError::OtherMachine { file: "PE for x86_64".into(), host: "ELF for aarch64".into() },
            "it is built for another machine (PE for x86_64); this host is ELF for aarch64. Install the build for ELF for aarch64, or build it here (fault of the installation).",
        ),
        (
            BlobError::NoSection { section: ".elowen.abi" },
            r#"it is not an elowen plugin, or the linker has dropped its metadata: it has no section ".elowen.abi". Declare the plugin with `#[plugin]`, or keep the linker from dropping the section (fault of the plugin)."#,
        ),
        (
            BlobError::Magic,
            "its metadata do not begin with the mark of an elowen plugin. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
        ),
        (
            BlobError::Truncated { got: 12, need: 32 },
            "its metadata are truncated: 12 of 32 bytes. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
        ),
        (
            BlobError::Length { len: 7 },
            "its metadata claim a length of 7 bytes; 32 to 1048576 are possible. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
        ),
        (
            BlobError::MoreThanOne,
            "it holds the metadata of more than one plugin. Let exactly one crate in the library be a plugin (fault of the plugin).",
        ),
        (
            BlobError::UnknownFlags { bits: 2 },
            "its metadata have flags 0x0002, which a host must understand and this one does not. Update the host (fault of the host).",
        ),
        (
            BlobError::Layout { pointer_width: 4, byte_order: 1 },
            "its metadata are for 4-byte pointers and little-endian order, its code is not. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
        ),
        (
            BlobError::AbiRange { lowest: 2, highest: 1 },
            "its metadata name an impossible ABI range, 2 to 1. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
        ),
        (
            BlobError::Utf8 { offset: 3 },
            "its metadata are not UTF-8: byte 3 of the JSON is wrong. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
        ),
        (
            BlobError::Json { message: "EOF while parsing a value at line 1 column 0".into() },
            "its metadata are not the JSON object that a host reads: EOF while parsing a value at line 1 column 0. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
        ),
        (
            BlobError::TooDeep,
            "its metadata are nested too deeply. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
        ),
        (
            BlobError::NoCommonAbi { plugin: 2..=3, host: 1..=1 },
            "it speaks ABI 2 to 3, this host speaks 1: the host is too old. Rebuild it against elowen-sdk 0.1, or update the host (fault of the host).",
        ),
        (
            BlobError::PanicAbort { profile: "release".into() },
            r#"it is built with panic = "abort", so a panic in a tool would end this host. Set `panic = "unwind"` under `[profile.release]` (or the profile it was built with, if that is another) in the Cargo.toml of the plugin's workspace and rebuild it (fault of the plugin)."#,
        ),
        (
            BlobError::PanicAbort { profile: "debug".into() },
            r#"it is built with panic = "abort", so a panic in a tool would end this host. Set `panic = "unwind"` under `[profile.dev]` (or the profile it was built with, if that is another) in the Cargo.toml of the plugin's workspace and rebuild it (fault of the plugin)."#,
        ),
        (
            BlobError::PanicAbort { profile: String::new() },
            r#"it is built with panic = "abort", so a panic in a tool would end this host. Build it so that panics unwind (fault of the plugin)."#,
        ),
    ];
    for (error, expected) in cases {
        assert_eq!(text(error), expected);
    }
}

#[test]
fn the_file_is_named_once() {
    let cause = TrustError::WorldWritable { path: path() }.into();
    let text = LoadError { plugin: "todo".into(), file: path(), cause }.to_string();
    assert!(text.contains("(/p/todo) was not loaded: it is writable by everybody. Run `chmod"), "{text}");
}

#[test]
fn a_main_that_returns_it_shows_the_sentence() {
    let error = LoadError { plugin: "todo".into(), file: path(), cause: LoadFailure::NoEntry };
    assert_eq!(format!("{error:?}"), error.to_string());
}
