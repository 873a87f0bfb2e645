//! What becomes of a host whose plugins break the rules? Loads `misbehave.c` once for each case, always beside a
//! good neighbour, and checks what comes out; then does to the library files and to calls under way what has
//! brought down other hosts.
//!
//! The cases are those of the table in `misbehave.c`: one that is not known here fails.

mod bench;
mod files;
mod loaded;
mod refused;
mod under_way;

use std::process::ExitCode;

use bench::Bench;
use elowen_tests::cc::{self, Case};
use elowen_tests::table::{self, Test};

fn main() -> ExitCode {
    let root =
        tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder for the plugins can be made");
    bench::set_root(root.path());
    let mut tests: Vec<Test> = cc::cases().into_iter().map(case).collect();
    tests.push(table::case(
        "FILE",
        "the library's file is empty, a script, or cut off at some 200 places",
        files::what_is_no_library_is_refused_before_anything_runs,
    ));
    macro_rules! stories {
        ($($module:ident::$name:ident),* $(,)?) => {
            tests.extend([$(table::story(stringify!($name), $module::$name)),*])
        };
    }
    stories!(
        files::a_source_that_is_truncated_after_loading_disturbs_nothing,
        files::identical_bytes_are_the_same_image_whatever_their_time_and_name,
        files::other_bytes_at_the_same_path_are_the_new_code,
        files::a_folder_named_through_a_parent_is_loaded,
        under_way::one_instance_is_shut_down_and_another_of_the_same_image_answers,
        under_way::a_call_may_be_dropped_while_the_plugin_is_inside_progress,
        under_way::a_reader_of_updates_that_panics_leaves_nothing_behind,
        under_way::after_sixteen_stuck_calls_a_plugin_is_busy_at_once_and_its_neighbour_is_not,
        under_way::a_shutdown_keeps_its_deadline_whatever_is_under_way,
        under_way::ten_thousand_calls_cancelled_at_once_complete_exactly_once_each,
    );
    table::main(tests)
}

/// The test of one case, and its row.
fn case(case: Case) -> Test {
    let name = case.define.strip_prefix("CASE_").unwrap_or(&case.define).to_owned();
    table::case(name, case.does.clone(), move || run_case(&case.define))
}

fn run_case(define: &str) -> String {
    let mut bench = Bench::new();
    // The plugin's name is its folder's, so it tells in every message which case speaks.
    let name = define.to_lowercase().replace(['_', '='], "-");
    match (refused::refusal(define), loaded::check(define)) {
        (Some((is_right, parts)), _) => {
            let error = bench.load(&name, define).expect_err("the plugin should be refused");
            assert!(is_right(&error.cause), "another error than expected: {error:?}");
            let text = error.to_string();
            let begin = format!("plugin `{name}` ({}) was not loaded: ", error.file.display());
            let said = text.strip_prefix(&begin).unwrap_or_else(|| panic!("unexpected beginning: {text}"));
            let (first, last) = (parts.first().unwrap(), parts.last().unwrap());
            let fits =
                said.starts_with(first) && said.ends_with(last) && parts.iter().all(|p| said.contains(p));
            assert!(fits, "unexpected text: {said}");
            bench.finish(None);
        }
        (None, Some(check)) => {
            let plugin = bench.load(&name, define).unwrap();
            check(&mut bench, &plugin);
            bench.finish(Some(&plugin));
        }
        (None, None) => panic!("nothing is known about this case: add it to refused.rs or loaded.rs"),
    }
    bench.summary()
}
