//! All rules of `#[tool]` that the compiler does not check, and what is generated once they hold.
//!
//! Types are left to the compiler: the generated code bounds them at the author's own tokens.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::{Attribute, Expr, Ident, Lit, Pat, Type};

use super::args::Run;
use super::foreign::{Foreign, foreign_part};
use super::model::{Argument, Input, Source, Tool, ungrouped};
use crate::errors::Errors;
use crate::{key, names, prose};

const GENERIC: &str = "a tool function cannot be generic: one schema is registered for one concrete type";

/// What the generated code says about the tool.
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) label: String,
    /// An expression of type `&'static str`.
    pub(crate) description: TokenStream,
    pub(crate) params: Params,
    /// What the function is called with, in its order.
    pub(crate) passed: Vec<Passed>,
    /// Whether this is a method, beside which no item can stand.
    pub(crate) method: bool,
}

/// The struct that the model fills.
pub(crate) enum Params {
    /// Generated from these fields.
    Fields(Vec<Field>),
    /// The author's own, this type.
    Whole(TokenStream),
}

/// One field of the generated struct.
pub(crate) struct Field {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) ty: Type,
}

/// One argument of the call.
pub(crate) enum Passed {
    /// That field of the generated struct.
    Field(Ident),
    /// The author's own struct, in `Params`.
    Whole,
    /// A reference to a value of this type from the host.
    Injected(TokenStream),
}

/// Applies every rule. The record is complete only if no error was added.
pub(crate) fn record(tool: &Tool, errors: &mut Errors) -> Record {
    let sig = &tool.function.sig;
    let rust_name = sig.ident.unraw().to_string();
    tool.function.check_plain("a tool", GENERIC, errors);
    check_options(tool, errors);
    Record {
        name: name(tool, &rust_name, errors),
        label: tool.args.label.as_ref().map_or_else(|| names::sentence(&rust_name), |label| label.value()),
        description: description(tool, errors),
        params: params(tool, errors),
        passed: tool.inputs.iter().filter_map(passed).collect(),
        method: tool.inputs.iter().any(|input| matches!(input, Input::Receiver(_))),
    }
}

fn check_options(tool: &Tool, errors: &mut Errors) {
    if let (Run::Blocking(key), Some(_)) = (&tool.args.run, &tool.function.sig.asyncness) {
        errors.at(key, "`blocking` is for a plain `fn`, which gets a thread of its own: remove `async` from the function, or use `spawn`");
    }
    if let Some(platform) = tool.args.platform.as_ref().filter(|platform| platform.value().is_empty()) {
        errors.at(platform, "`platform` is the name of a platform, not an empty text");
    }
}

fn name(tool: &Tool, rust_name: &str, errors: &mut Errors) -> String {
    let (name, at) = match &tool.args.name {
        Some(literal) => (literal.value(), literal.to_token_stream()),
        None => (names::pascal(rust_name), tool.function.sig.ident.to_token_stream()),
    };
    if !names::is_tool_name(&name) {
        let rule = "use 1 to 64 of A-Z a-z 0-9 _ -, starting with a letter or _";
        errors.at(at, format!("tool name `{name}` is not portable: {rule}"));
    }
    name
}

fn description(tool: &Tool, errors: &mut Errors) -> TokenStream {
    let written = match &tool.args.description {
        Some(expr) => Some(expr.to_token_stream()).filter(|_| !is_blank(expr)),
        None => prose::description(&tool.function.attrs),
    };
    written.unwrap_or_else(|| {
        let remedy = "add a `///` comment (the model reads it) or `description = \"..\"`";
        errors.at(&tool.function.sig.ident, format!("this tool has no description: {remedy}"));
        quote!("")
    })
}

fn is_blank(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(literal) if matches!(&literal.lit, Lit::Str(text) if text.value().trim().is_empty()))
}

fn params(tool: &Tool, errors: &mut Errors) -> Params {
    let arguments: Vec<&Argument> = tool.inputs.iter().filter_map(|input| argument(input, errors)).collect();
    let mut whole: Option<&Type> = None;
    let mut fields = Vec::new();
    let mut keys = Vec::new();
    for argument in &arguments {
        check_conditions(argument, errors);
        match &argument.source {
            Source::Host(ty) => check_host(argument, ty, errors),
            Source::Params(ty) => {
                check_undecorated(argument, "put them on the fields of the struct", errors);
                check_owned(ty, errors);
                if whole.replace(ty).is_some() {
                    errors
                        .at(&argument.pat, "a tool takes one `Params<T>`: put all arguments into one struct");
                }
            }
            Source::Model(name) => {
                check_owned(&argument.ty, errors);
                check_sized(&argument.ty, errors);
                check_not_lent(&argument.ty, errors);
                fields.extend(field(argument, name.as_ref(), &mut keys, errors));
            }
        }
    }
    let Some(whole) = whole else { return Params::Fields(fields) };
    let loose = arguments.iter().any(|argument| matches!(argument.source, Source::Model(_)));
    let first = arguments.iter().find(|argument| matches!(argument.source, Source::Params(_)));
    if let Some(params) = first.filter(|_| loose) {
        errors.at(&params.pat, "mix of `Params<T>` and loose arguments: put the loose ones into the struct");
    }
    Params::Whole(whole.to_token_stream())
}

fn argument<'a>(input: &'a Input, errors: &mut Errors) -> Option<&'a Argument> {
    match input {
        Input::Argument(argument) => Some(argument),
        Input::Receiver(receiver) => {
            let remedy = "move it out of the `impl` block and take what it needs by reference, as `&T`";
            errors.at(receiver, format!("`#[tool]` goes on a free function, not on a method: {remedy}"));
            None
        }
    }
}

fn check_conditions(argument: &Argument, errors: &mut Errors) {
    for attr in &argument.conditions {
        errors.at(attr, "the schema cannot depend on `cfg`: put `#[cfg]` on the whole tool");
    }
}

fn check_host(argument: &Argument, ty: &Type, errors: &mut Errors) {
    check_undecorated(argument, "they belong on arguments that the model supplies", errors);
    let Type::Reference(reference) = ungrouped(&argument.ty) else { return };
    match ungrouped(ty) {
        Type::Path(path) if path.path.is_ident("str") => {
            errors.at(&argument.ty, "the model's arguments are owned: use `String` instead of `&str`");
        }
        Type::Slice(_) => {
            errors.at(&argument.ty, "the model's arguments are owned: use `Vec<T>` instead of `&[T]`")
        }
        _ if reference.mutability.is_some() => {
            errors.at(&argument.ty, "injected values are shared: use `&` instead of `&mut`");
        }
        _ if reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static") => {
            errors
                .at(&argument.ty, "injected values live as long as the call: use `&` instead of `&'static`");
        }
        ty => {
            if let Some(Foreign::Generic(part)) = foreign_part(ty) {
                errors.at(part, GENERIC);
            }
        }
    }
}

/// Attributes for a schema, on an argument that has none of its own.
fn check_undecorated(argument: &Argument, remedy: &str, errors: &mut Errors) {
    for attr in argument.schema.iter().filter(|attr| !attr.path().is_ident("doc")) {
        let name = attr.path().to_token_stream();
        errors.at(attr, format!("`#[{name}(..)]` attributes have no effect here: {remedy}"));
    }
}

fn check_owned(ty: &Type, errors: &mut Errors) {
    match foreign_part(ty) {
        Some(Foreign::Generic(part)) => errors.at(part, GENERIC),
        Some(Foreign::Borrowed(part)) => {
            errors.at(
                part,
                "the model's arguments are owned: use an owned type such as `String` or `Vec<T>` here",
            );
        }
        None => {}
    }
}

/// Types that cannot be passed by value; the compiler would speak of `Sized`.
fn check_sized(ty: &Type, errors: &mut Errors) {
    let remedy = match ungrouped(ty) {
        Type::Path(path) if path.path.is_ident("str") => "`String` instead of `str`",
        Type::Slice(_) => "`Vec<T>` instead of `[T]`",
        _ => return,
    };
    errors.at(ty, format!("the model's arguments are owned: use {remedy}"));
}

/// What the host injects, taken by value. By name, because the compiler would speak of a dozen traits that it lacks;
/// a type of the author's own that is called so has its path to tell them apart.
fn check_not_lent(ty: &Type, errors: &mut Errors) {
    let Type::Path(path) = ungrouped(ty) else { return };
    let segments = &path.path.segments;
    let ours = segments.len() == 1 || segments.first().is_some_and(|first| first.ident == "elowen_sdk");
    let lent = ["Cx", "Cancel", "Updates"];
    if let Some(last) = segments.last().filter(|last| ours && lent.iter().any(|name| last.ident == name)) {
        let name = &last.ident;
        let own = format!("(a type of your own called so is written with its path, `self::{name}`)");
        errors.at(ty, format!("the host lends this, it is not the model's to give: take `&{name}` {own}"));
    }
}

fn field(
    argument: &Argument,
    name: Option<&Ident>,
    keys: &mut Vec<String>,
    errors: &mut Errors,
) -> Option<Field> {
    let Some(name) = name else {
        match &argument.pat {
            Pat::TupleStruct(pat) if pat.path.segments.last().is_some_and(|last| last.ident == "Params") => {
                errors
                    .at(&argument.ty, "write this type as `Params<T>`: it is not recognised by another name");
            }
            pat => errors.at(pat, "name this argument: the model sees the name"),
        }
        return None;
    };
    if let Some(key) = key::check(name, &argument.schema, errors) {
        if keys.contains(&key) {
            errors.at(name, format!("two arguments are called `{key}`"));
        }
        keys.push(key);
    }
    Some(Field { attrs: argument.schema.clone(), name: name.clone(), ty: argument.ty.clone() })
}

fn passed(input: &Input) -> Option<Passed> {
    let Input::Argument(argument) = input else { return None };
    match &argument.source {
        Source::Model(name) => name.clone().map(Passed::Field),
        Source::Params(_) => Some(Passed::Whole),
        Source::Host(ty) => Some(Passed::Injected(ty.to_token_stream())),
    }
}

#[cfg(test)]
mod tests;
