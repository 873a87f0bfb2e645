//! Does the JSON reader and writer of the C example agree with serde_json, also on hostile bytes?
//!
//! `fixtures/c/json_check.c` runs it on many documents at once, each directly before an unreadable page.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use elowen_tests::cc::{self, Language};
use serde_json::Value;

/// What the C reader says of each document. `name` names the program, so that tests can run side by side.
fn answers(name: &str, documents: &[Vec<u8>]) -> Vec<String> {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/c-hello");
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let include = format!("-I{}", example.display());
    cc::compile_program(Language::C, &cc::fixture("json_check.c"), &program, &[&include]);

    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = String::new();
    for document in documents {
        document.iter().for_each(|byte| write!(lines, "{byte:02x}").unwrap());
        lines.push('\n');
    }
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "the checker ended with {}", output.status);
    let answers: Vec<_> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), documents.len());
    answers
}

fn answer_to(name: &str, document: &str) -> String {
    answers(name, &[document.as_bytes().to_vec()]).remove(0)
}

/// What serde_json makes of it; `None` where the two may differ: a number that no `f64` holds, half a
/// surrogate pair.
fn expected(document: &[u8]) -> Option<String> {
    let value = match serde_json::from_slice::<Value>(document) {
        Ok(Value::Object(mut object)) => object.remove("value"),
        Ok(_) => return Some("invalid".to_owned()),
        Err(error) => {
            let said = error.to_string();
            let differs =
                said.contains("out of range") || said.contains("surrogate") || said.contains("hex escape");
            return (!differs).then(|| "invalid".to_owned());
        }
    };
    Some(match value {
        None => "absent".to_owned(),
        Some(Value::String(text)) => format!("string {}", serde_json::to_string(&text).unwrap()),
        Some(Value::Number(number)) => match number.as_u64() {
            Some(number) if number <= 60_000 => format!("number {number}"),
            _ => "other".to_owned(),
        },
        Some(_) => "other".to_owned(),
    })
}

/// The same text may be escaped in several ways: compare the values.
fn same(ours: &str, theirs: &str) -> bool {
    match (ours.strip_prefix("string "), theirs.strip_prefix("string ")) {
        (Some(ours), Some(theirs)) => {
            let parsed = serde_json::from_str::<String>(ours);
            parsed.is_ok_and(|ours| ours == serde_json::from_str::<String>(theirs).unwrap())
        }
        _ => ours == theirs,
    }
}

fn compare(name: &str, documents: &[Vec<u8>]) {
    for (document, ours) in documents.iter().zip(answers(name, documents)) {
        if let Some(theirs) = expected(document) {
            let shown = String::from_utf8_lossy(document);
            assert!(same(&ours, &theirs), "{shown}\nC says: {ours}\nserde_json says: {theirs}");
        }
    }
}

const DOCUMENTS: &[&str] = &[
    r#"{"value":"hello"}"#,
    r#" { "value" : "spaced" } "#,
    r#"{"value":""}"#,
    r#"{"\u0076al\u0075e":"an escaped name"}"#,
    r#"{"value":"first","value":"last"}"#,
    r#"{"value":"text","value":7}"#,
    r#"{"valu":"a","values":"b","":"c"}"#,
    r#"{"value\u0000":"a name with a NUL"}"#,
    r#"{"value":"\"\\\/\b\f\n\r\t\u0000\u001f\u007f"}"#,
    r#"{"value":"\u00e9\u20ac\ud83d\ude00 é€😀"}"#,
    r#"{"value":"\u0000"}"#,
    r#"{"other":{"value":"nested","deep":[[],{},[{"value":1}]]},"value":"outer"}"#,
    r#"{"other":"a \" quote } and ] a brace","value":"after"}"#,
    r#"{"value":{"value":"inner"}}"#,
    r#"{"value":["a"]}"#,
    r#"{"value":null}"#,
    r#"{"value":true}"#,
    r#"{"value":false,"a":-0.5e+10,"b":1E5,"c":0}"#,
    r#"{"value":0}"#,
    r#"{"value":60000}"#,
    r#"{"value":60001}"#,
    r#"{"value":-1}"#,
    r#"{"value":99999999999999999999999}"#,
    r#"{}"#,
    r#"{"a":1}"#,
    // Not one valid JSON object.
    "",
    " ",
    "[]",
    "7",
    r#""value""#,
    "{",
    "{}{}",
    r#"{"value":"a"} x"#,
    r#"{"value":"a",}"#,
    r#"{,"value":"a"}"#,
    r#"{"value" "a"}"#,
    r#"{"value":}"#,
    r#"{value:"a"}"#,
    r#"{"value":'a'}"#,
    r#"{"value":"a"#,
    r#"{"value":"a\"#,
    r#"{"value":"\x"}"#,
    r#"{"value":"\u12g4"}"#,
    r#"{"value":"\u12"#,
    "{\"value\":\"a\nb\"}",
    "{\"value\":\"a\0b\"}",
    "{\"value\":\"\\\0\"}",
    r#"{"value":"a","b":01}"#,
    r#"{"value":"a","b":1.}"#,
    r#"{"value":"a","b":.5}"#,
    r#"{"value":"a","b":1e}"#,
    r#"{"value":"a","b":-}"#,
    r#"{"value":"a","b":+1}"#,
    r#"{"value":"a","b":tru}"#,
    r#"{"value":"a","b":nulll}"#,
    r#"{"value":"a","b":[1,]}"#,
    r#"{"value":"a","b":[1 2]}"#,
    r#"{"value":"a","b":NaN}"#,
];

#[test]
fn c_reads_and_writes_what_serde_json_does() {
    compare("json_documents", &DOCUMENTS.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>());
}

#[test]
fn a_document_cut_off_anywhere_is_refused() {
    let whole = DOCUMENTS.iter().map(|text| text.as_bytes());
    compare(
        "json_cut",
        &whole.flat_map(|text| (0..text.len()).map(|end| text[..end].to_vec())).collect::<Vec<_>>(),
    );
}

#[test]
fn random_changes_never_make_the_two_disagree() {
    // xorshift with a fixed seed: the same documents in every run.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let bytes = b"\"\\/{}[],:\0 \n0127-+.eEubnrtfaDdC\xc0\xc3\xa9\xe2\x82\xed\xa0\xf0\x9f\xf4\x90\xff";
    let mut documents = Vec::new();
    for _ in 0..20_000 {
        let mut document = DOCUMENTS[random(25)].as_bytes().to_vec();
        for _ in 0..=random(3) {
            let at = random(document.len());
            match random(3) {
                0 => document[at] = bytes[random(bytes.len())],
                1 => document.insert(at, bytes[random(bytes.len())]),
                _ => drop(document.remove(at)),
            }
            document.push(b' ');
        }
        documents.push(document);
    }
    compare("json_random", &documents);
}

#[test]
fn bytes_that_are_not_utf8_are_refused() {
    let sequences: [&[u8]; 9] = [
        b"\x80",
        b"\xc0\x80",
        b"\xc3",
        b"\xe0\x9f\xbf",
        b"\xed\xa0\x80",
        b"\xf0\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xf8\x88\x80\x80\x80",
        b"\xff",
    ];
    let documents = sequences.map(|sequence| [b"{\"value\":\"", sequence, b"\"}"].concat());
    assert_eq!(answers("json_utf8", &documents), ["invalid"; 9]);
}

#[test]
fn half_a_surrogate_pair_becomes_the_replacement_character() {
    let answer = |document| answer_to("json_surrogate", document);
    assert_eq!(answer(r#"{"value":"a\ud83dz"}"#), "string \"a\u{fffd}z\"");
    assert_eq!(answer(r#"{"value":"\ude00\ud83d"}"#), "string \"\u{fffd}\u{fffd}\"");
    assert_eq!(answer(r#"{"value":"\ud83d\ud83d\ude00"}"#), "string \"\u{fffd}\u{1f600}\"");
    assert_eq!(answer(r#"{"value":"\ud83d\u0041"}"#), "string \"\u{fffd}A\"");
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| format!(r#"{{"a":{}{},"value":"ok"}}"#, "[".repeat(depth), "]".repeat(depth));
    assert_eq!(answer_to("json_nested", &nested(90)), "string \"ok\"");
    assert_eq!(answer_to("json_nested", &nested(200)), "invalid");
    assert_eq!(answer_to("json_nested", &nested(200_000)), "invalid");
}
