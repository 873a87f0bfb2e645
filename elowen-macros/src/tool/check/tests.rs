//! One rule of `#[tool]` a test.

use super::*;
use crate::tool::{args, model};

fn check(options: TokenStream, item: TokenStream) -> (Record, Vec<String>) {
    let mut errors = Errors::default();
    let args = args::parse(options, &mut errors);
    let tool = model::tool(args, syn::parse2(item).expect("a function"));
    let record = record(&tool, &mut errors);
    (record, errors.messages())
}

/// The one message about a function with these arguments.
fn refused(arguments: TokenStream) -> String {
    let (_, errors) = check(quote!(description = "D"), quote! { fn f(#arguments) {} });
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.concat()
}

#[test]
fn name_label_and_description_come_from_the_function() {
    let (record, errors) = check(quote!(), quote! { #[doc = " Finds."] async fn r#find_files() {} });
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!((record.name.as_str(), record.label.as_str()), ("FindFiles", "Find files"));
    assert_eq!(record.description.to_string(), "\"Finds.\"");
}

#[test]
fn options_win_over_the_function() {
    let options = quote!(name = "Search", label = "Look", description = TEXT);
    let (record, errors) = check(options, quote! { #[doc = " Finds."] fn find() {} });
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!((record.name.as_str(), record.label.as_str()), ("Search", "Look"));
    assert_eq!(record.description.to_string(), "TEXT");
}

#[test]
fn loose_arguments_become_fields_and_references_are_injected() {
    let (record, errors) = check(quote!(), quote! { #[doc = "D"] fn f(a: u8, cx: &Cx, mut b: Vec<u8>) {} });
    assert!(errors.is_empty(), "{errors:?}");
    let Params::Fields(fields) = record.params else { panic!("fields") };
    let names: Vec<String> = fields.iter().map(|field| field.name.to_string()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(matches!(record.passed.as_slice(), [Passed::Field(_), Passed::Injected(_), Passed::Field(_)]));
}

#[test]
fn several_mistakes_are_several_errors() {
    let (_, errors) = check(
        quote!(name = "my tool", platform = "", blocking),
        quote! { async fn f<T>(a: &str, (b, c): (u8, u8)) {} },
    );
    assert_eq!(errors.len(), 7, "{errors:?}");
}

#[test]
fn a_tool_has_a_description() {
    for options in [quote!(), quote!(description = "  ")] {
        let (_, errors) = check(options, quote! { fn f() {} });
        assert_eq!(errors.len(), 1);
        assert!(errors.concat().starts_with("this tool has no description"));
    }
}

#[test]
fn the_models_arguments_are_owned_at_any_depth() {
    for arguments in [
        quote!(a: &str),
        quote!(a: &[u8]),
        quote!(a: Option<&str>),
        quote!(a: Cow<'_, str>),
        quote!(p: Params<Find<'_>>),
    ] {
        assert!(refused(arguments).starts_with("the model's arguments are owned"));
    }
    let (_, errors) = check(quote!(), quote! { #[doc = "D"] fn f(a: Cow<'static, str>) {} });
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn injected_values_are_shared_and_live_as_long_as_the_call() {
    assert_eq!(refused(quote!(cx: &mut Cx)), "injected values are shared: use `&` instead of `&mut`");
    assert!(refused(quote!(cx: &'static Cx)).starts_with("injected values live as long as the call"));
    assert!(refused(quote! { #[serde(default)] cx: &Cx }).contains("have no effect here"));
}

#[test]
fn a_tool_is_not_generic() {
    assert_eq!(refused(quote!(a: Vec<impl Copy>)), GENERIC);
    assert_eq!(refused(quote!(a: &impl Copy)), GENERIC);
    let (_, errors) = check(quote!(), quote! { #[doc = "D"] fn f<'a>(cx: &'a Cx) {} });
    assert_eq!(errors, [GENERIC]);
}

#[test]
fn params_stand_alone() {
    assert!(refused(quote!(Params(a): Params<A>, b: u8)).starts_with("mix of `Params<T>`"));
    assert!(refused(quote!(a: Params<A>, b: Params<B>)).starts_with("a tool takes one `Params<T>`"));
    assert!(refused(quote!(Params(a): Alias)).starts_with("write this type as `Params<T>`"));
}

#[test]
fn arguments_have_names_of_their_own() {
    assert_eq!(refused(quote!(_: u8)), "name this argument: the model sees the name");
    assert_eq!(refused(quote!(a_b: u8, #[serde(rename = "aB")] c: u8)), "two arguments are called `aB`");
    assert!(refused(quote!(_reason: u8)).contains("`_reason`"));
    assert!(refused(quote! { #[cfg(unix)] a: u8 }).starts_with("the schema cannot depend on `cfg`"));
}
