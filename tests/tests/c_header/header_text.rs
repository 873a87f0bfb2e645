//! What `elowen_plugin.h` declares, read from its text: enough of C for that one file, no more.

/// A `typedef struct name { .. } name;`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Struct {
    /// Its name.
    pub(crate) name: String,
    /// Its fields' names, in order.
    pub(crate) fields: Vec<String>,
}

/// The header without its comments.
pub(crate) fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        kept.push_str(before);
        kept.push(' ');
        rest = comment.split_once("*/").expect("a comment ends").1;
    }
    kept + rest
}

/// The names of all macros, in order of their first definition.
pub(crate) fn macros(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in code.lines() {
        let Some(definition) = line.strip_prefix("#define ") else { continue };
        let name = definition.split(|c: char| !is_word(c)).next().unwrap_or_default().to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Everything declared at file scope: the records, then the names of the other typedefs and functions.
pub(crate) fn declarations(code: &str) -> (Vec<Struct>, Vec<String>) {
    let (mut structs, mut others) = (Vec::new(), Vec::new());
    for statement in statements(&without_directives(code)) {
        match statement.strip_prefix("typedef struct ") {
            Some(record) => structs.push(parse_struct(record)),
            None => others.push(declared_name(&statement)),
        }
    }
    (structs, others)
}

/// Drops directives, continued lines and the braces of `extern "C"`.
fn without_directives(code: &str) -> String {
    let mut kept = String::new();
    let mut continued = false;
    for line in code.lines() {
        let directive = continued || line.starts_with('#');
        continued = directive && line.ends_with('\\');
        if !directive && line != "extern \"C\" {" && line != "}" {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Splits at the semicolons outside braces, and squeezes white space.
fn statements(code: &str) -> Vec<String> {
    let mut depth = 0;
    let pieces = code.split(move |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ';' && depth == 0
    });
    let squeezed = pieces.map(|piece| piece.split_whitespace().collect::<Vec<_>>().join(" "));
    squeezed.filter(|piece| !piece.is_empty()).collect()
}

fn parse_struct(record: &str) -> Struct {
    let (name, body) = record.split_once(" {").expect("a record has a body");
    let (body, again) = body.rsplit_once('}').expect("a record's body ends");
    assert_eq!(name, again.trim(), "a record's tag and name are equal");
    Struct {
        name: name.to_owned(),
        fields: statements(body).iter().map(|field| declared_name(field)).collect(),
    }
}

/// The name that `typedef int name`, `int *name`, `void (*name)(int)` or `int name(int)` declares.
fn declared_name(declaration: &str) -> String {
    let upto = match declaration.split_once("(*") {
        Some((_, function)) => function.split(')').next(),
        None => declaration.split('(').next(),
    };
    let upto = upto.unwrap_or_default();
    upto.rsplit(|c: char| !is_word(c)).next().unwrap_or_default().to_owned()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
