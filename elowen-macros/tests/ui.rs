//! What the macros accept, and word for word what they say about what they refuse.
//!
//! Set `TRYBUILD=overwrite` to bless new messages; read them aloud first.

#[test]
fn correct_code_compiles_and_every_mistake_has_its_message() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
