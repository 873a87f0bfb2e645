//! Library files that change, move or are damaged around a running plugin.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use elowen_host::blob::BlobError;
use elowen_host::trust::TrustError;
use elowen_host::{FailureKind, LoadFailure};
use elowen_tests::cc;

use crate::bench::{Bench, SHUTDOWN, hello, library, new_folder};

pub(crate) fn a_source_that_is_truncated_after_loading_disturbs_nothing() {
    let bench = Bench::new();
    let folder = cc::c_hello_folder(&new_folder());
    let plugin = bench.host.load(&folder).unwrap();
    let file = folder.join(cc::library_name("c_hello"));
    // In place, as a copying build does it: mapped pages beyond the new end would be lost.
    File::options().write(true).open(&file).unwrap().set_len(0).unwrap();
    hello(&plugin);
    fs::remove_dir_all(&folder).unwrap();
    hello(&plugin);
    plugin.shutdown(SHUTDOWN).unwrap();
}

/// The image remembers what a late thread of its first instance was answered.
pub(crate) fn identical_bytes_are_the_same_image_whatever_their_time_and_name() {
    let mut bench = Bench::new();
    let first = bench.load("late", "CASE_QUERY_LATE").unwrap();
    assert_eq!(bench.ok(&first).late, 0);
    first.shutdown(SHUTDOWN).unwrap();
    std::thread::sleep(Duration::from_millis(100));

    let file = library(first.folder());
    let bytes = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    fs::write(&file, bytes).unwrap();
    let later = SystemTime::now() + Duration::from_secs(3600);
    File::options().write(true).open(&file).unwrap().set_modified(later).unwrap();
    let again = bench.host.load(first.folder()).unwrap();
    crate::bench::eventually(|| bench.ok(&again).late != 0);

    let moved = new_folder().join("late");
    fs::rename(first.folder(), &moved).unwrap();
    let elsewhere = bench.host.load(&moved).unwrap();
    assert_ne!(bench.ok(&elsewhere).late, 0);
    again.shutdown(SHUTDOWN).unwrap();
    elsewhere.shutdown(SHUTDOWN).unwrap();
}

/// A, then B at the same path, then A again: each load runs the code that is there, and each instance keeps its own.
pub(crate) fn other_bytes_at_the_same_path_are_the_new_code() {
    let mut bench = Bench::new();
    let dir = new_folder();
    let fails = "the result is not UTF-8";
    let folder = cc::plugin_folder(&dir, "changes", &["CASE_NONE"]);
    let code_a = fs::read(library(&folder)).unwrap();
    let a = bench.host.load(&folder).unwrap();
    bench.ok(&a);

    cc::plugin_folder(&dir, "changes", &["CASE_RESULT_NOT_UTF8"]);
    let b = bench.host.load(&folder).unwrap();
    bench.fails_by_its_own_fault(&b, fails);
    bench.ok(&a);

    // Over the same inode, with the time it had: nothing but the bytes tells.
    let time = fs::metadata(library(&folder)).unwrap().modified().unwrap();
    fs::write(library(&folder), &code_a).unwrap();
    File::options().write(true).open(library(&folder)).unwrap().set_modified(time).unwrap();
    let a_again = bench.host.load(&folder).unwrap();
    bench.ok(&a_again);
    bench.fails_by_its_own_fault(&b, fails);

    [a, b, a_again].iter().for_each(|plugin| plugin.shutdown(SHUTDOWN).unwrap());
    let a_after_all = bench.host.load(&folder).unwrap();
    bench.ok(&a_after_all);
    a_after_all.shutdown(SHUTDOWN).unwrap();
    let failure = bench.probe(&b, SHUTDOWN).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Closed);
    bench.finish(None);
}

/// `..` behind a link leads to the parent of what the link names.
#[cfg(unix)]
pub(crate) fn a_folder_named_through_a_parent_is_loaded() {
    let bench = Bench::new();
    let dir = new_folder();
    let folder = cc::plugin_folder(&dir.join("far"), "parent", &["CASE_NONE"]);
    fs::create_dir(dir.join("far/deep")).unwrap();
    std::os::unix::fs::symlink(dir.join("far/deep"), dir.join("near")).unwrap();
    let plugin = bench.host.load(&dir.join("near/../parent")).unwrap();
    assert_eq!(plugin.folder(), folder.canonicalize().unwrap());
    plugin.shutdown(SHUTDOWN).unwrap();
    let report = bench.host.load_dir(&dir.join("near/..")).unwrap();
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    report.registry.plugins()[0].shutdown(SHUTDOWN).unwrap();
}

pub(crate) fn what_is_no_library_is_refused_before_anything_runs() -> String {
    let bench = Bench::new();
    let folder = cc::plugin_folder(&new_folder(), "damaged", &["CASE_NONE"]);
    let whole = fs::read(library(&folder)).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(library(&folder), bytes).unwrap();
        bench.host.load(&folder).unwrap_err()
    };

    let empty = refused(b"");
    assert!(matches!(empty.cause, LoadFailure::Trust(TrustError::Empty)), "{empty}");
    assert_eq!(
        empty.to_string(),
        sentence(&folder, "it is empty. Build or copy the library again (fault of the installation).")
    );
    let script = refused(b"#!/bin/sh\nexit 1\n");
    assert!(matches!(script.cause, LoadFailure::Blob(BlobError::NotALibrary)), "{script}");
    assert_eq!(
        script.to_string(),
        sentence(
            &folder,
            "it is not a library: neither ELF, Mach-O nor PE. Let the manifest's `entry` name the library that \
             a crate of type `cdylib` gives (fault of the installation)."
        )
    );
    // The loader would map some of these, and fault at the first page that is missing.
    let mut cuts = 0;
    for len in (1..whole.len()).step_by(whole.len() / 200) {
        cuts += 1;
        let truncated = refused(&whole[..len]);
        assert!(
            matches!(truncated.cause, LoadFailure::Blob(_)),
            "{len} of {} bytes: {truncated}",
            whole.len()
        );
    }
    fs::write(library(&folder), &whole).unwrap();
    let plugin = bench.host.load(&folder).unwrap();
    plugin.shutdown(SHUTDOWN).unwrap();
    bench.neighbour_answers();
    format!("refused: {}; {}; {cuts} times for what is cut off", empty.cause, script.cause)
}

fn sentence(folder: &Path, rest: &str) -> String {
    format!("plugin `damaged` ({}) was not loaded: {rest}", library(folder).display())
}
