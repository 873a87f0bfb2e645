//! How many instructions does a call cost beyond the work it does?
//!
//! Runs itself under callgrind, twice for each way of doing the work, with different numbers of calls; what
//! the second run executes more, divided by the calls it makes more, is a call's cost. Nothing is sampled.
//!
//! `cargo run --release -p elowen-tests --bin instructions [-- --json]`. Exit 0: the raw host call is within its
//! limits. 1: it is not. 2: it could not be measured.

use elowen_host::package::{BuildOptions, Profile};
use elowen_tests::{
    build, echo,
    valgrind::{self, ValgrindError},
};
use serde_json::json;
use std::{hint::black_box, path::Path, process::ExitCode};

/// The runs' numbers of calls.
const CALLS: [u64; 2] = [1_000, 3_000];
/// Text lengths in bytes, each with the instructions that a raw host call may need over the work.
const PAYLOADS: [(usize, i64); 2] = [(16, 1_200), (1024, 1_500)];

const WAYS: [&str; 3] = ["work", "async-trait", "raw host call"];
const RAW: usize = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => gate(false),
        ["--json"] => gate(true),
        ["run", way, bytes, calls, folder] => match (bytes.parse(), calls.parse()) {
            (Ok(bytes), Ok(calls)) => run(way, bytes, calls, folder.as_ref()),
            _ => usage(),
        },
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: instructions [--json]");
    ExitCode::from(2)
}

/// Instructions per call of each way.
type Costs = [u64; WAYS.len()];

fn gate(as_json: bool) -> ExitCode {
    if cfg!(debug_assertions) {
        eprintln!(
            "error: in a debug build the work itself costs so much that any call passes; run it with --release"
        );
        return ExitCode::from(2);
    }
    let folder = build::packaged(
        "tests/fixtures/echo",
        &BuildOptions { profile: Profile::Release, quiet: true, ..BuildOptions::default() },
    )
    .1;
    let costs = match PAYLOADS.map(|(bytes, _)| costs(bytes, &folder)) {
        [Ok(small), Ok(large)] => [small, large],
        [Err(error), _] | [_, Err(error)] => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    let over = |costs: &Costs, way: usize| costs[way].cast_signed() - costs[0].cast_signed();
    let missed = costs.iter().zip(PAYLOADS).any(|(costs, (_, limit))| over(costs, RAW) > limit);
    if as_json {
        let rows = costs.iter().zip(PAYLOADS).map(|(costs, (bytes, limit))| {
            let ways: serde_json::Map<_, _> =
                WAYS.iter().zip(costs).map(|(way, cost)| ((*way).to_owned(), (*cost).into())).collect();
            json!({"bytes": bytes, "instructions": ways, "over": over(costs, RAW), "limit": limit})
        });
        println!("{}", json!({"payloads": rows.collect::<Vec<_>>(), "passed": !missed}));
    } else {
        println!("instructions per call   16 B   over work        1 KB   over work");
        for (way, name) in WAYS.iter().enumerate() {
            let [small, large] = costs
                .each_ref()
                .map(|costs| format!("{:>6} {:>11}", costs[way], format!("{:+}", over(costs, way))));
            println!("{name:<20}  {small}      {large}");
        }
        let [small, large] = PAYLOADS.map(|(_, limit)| format!("{:>18}", format!("{limit:+}")));
        println!("{:<20}  {small}      {large}", "limit of the last");
        println!("{}", if missed { "MISSED" } else { "kept" });
    }
    ExitCode::from(u8::from(missed))
}

fn costs(bytes: usize, folder: &Path) -> Result<Costs, ValgrindError> {
    let scratch = tempfile::tempdir().map_err(ValgrindError::Run)?;
    let (bytes, folder) = (bytes.to_string(), folder.display().to_string());
    let mut costs = Costs::default();
    for (way, cost) in WAYS.iter().zip(&mut costs) {
        let run = |calls: u64| {
            valgrind::instructions(scratch.path(), &["run", way, &bytes, &calls.to_string(), &folder])
        };
        let [few, many] = CALLS;
        *cost = (run(many)? - run(few)?) / (many - few);
    }
    Ok(costs)
}

/// What runs under callgrind.
fn run(way: &str, bytes: usize, calls: u64, folder: &Path) -> ExitCode {
    let arguments = echo::arguments(bytes);
    let expected = echo::work(arguments.as_bytes());
    let repeat = |call: &dyn Fn(&str) -> bool| {
        assert!(call(&arguments), "{way} answers something else");
        (0..calls).for_each(|_| {
            black_box(call(black_box(&arguments)));
        });
        ExitCode::SUCCESS
    };
    // Each compares the answer's length alone, so that looking at it costs next to nothing.
    match WAYS.iter().position(|name| *name == way) {
        Some(0) => repeat(&|arguments| black_box(echo::work(arguments.as_bytes())).len() == expected.len()),
        Some(1) => {
            let tool = echo::in_process();
            repeat(&|arguments| {
                black_box(echo::call_in_process(&*tool, arguments.as_bytes())).len() == expected.len()
            })
        }
        Some(RAW) => {
            let (_state, host) = build::host();
            let host = host.build().expect("a host");
            let plugin = host.load(folder).unwrap_or_else(|error| panic!("{error}"));
            let tool = plugin.tool("Echo").expect("the fixture's tool");
            echo::call_raw(tool, &arguments, |answer| assert_eq!(answer.as_bytes(), expected));
            repeat(&|arguments| {
                echo::call_raw(tool, arguments, |answer| black_box(answer).len()) == expected.len()
            })
        }
        _ => usage(),
    }
}
