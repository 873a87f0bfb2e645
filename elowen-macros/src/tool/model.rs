//! What the author wrote, in the words of tools: who supplies each argument. Judges nothing; `check` does.

use syn::{Attribute, FnArg, GenericArgument, Ident, Pat, PathArguments, Receiver, Type};

use super::args::Args;
use crate::function::Function;

/// A function under `#[tool]`.
pub(crate) struct Tool {
    pub(crate) args: Args,
    /// The author's function without the attributes that belong to the arguments' schema.
    pub(crate) function: Function,
    pub(crate) inputs: Vec<Input>,
}

/// One entry of the function's argument list.
pub(crate) enum Input {
    /// `self` in some form: this is a method.
    Receiver(Receiver),
    /// Anything else.
    Argument(Box<Argument>),
}

/// One argument.
pub(crate) struct Argument {
    pub(crate) pat: Pat,
    pub(crate) ty: Type,
    pub(crate) source: Source,
    /// Attributes that say how the argument is offered and read: `doc`, `serde`, `schemars`, `validate`, `garde`.
    pub(crate) schema: Vec<Attribute>,
    /// `cfg` and `cfg_attr`.
    pub(crate) conditions: Vec<Attribute>,
}

/// Who supplies an argument.
pub(crate) enum Source {
    /// The model, by this name; none if the pattern has none.
    Model(Option<Ident>),
    /// The model, as one struct of this type.
    Params(Type),
    /// The host: a reference to a value of this type.
    Host(Type),
}

/// Sorts the function's arguments and takes the schema's attributes off them.
pub(crate) fn tool(args: Args, mut function: Function) -> Tool {
    let inputs = function.sig.inputs.iter_mut().map(input).collect();
    Tool { args, function, inputs }
}

fn input(arg: &mut FnArg) -> Input {
    let arg = match arg {
        FnArg::Receiver(receiver) => return Input::Receiver(receiver.clone()),
        FnArg::Typed(arg) => arg,
    };
    let attrs = std::mem::take(&mut arg.attrs);
    let (schema, others) = attrs.into_iter().partition(is_schema);
    let is_condition = |attr: &Attribute| attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr");
    let (conditions, kept) = Vec::into_iter(others).partition(is_condition);
    arg.attrs = kept;
    Input::Argument(Box::new(Argument {
        pat: (*arg.pat).clone(),
        ty: (*arg.ty).clone(),
        source: source(&arg.pat, &arg.ty),
        schema,
        conditions,
    }))
}

fn is_schema(attr: &Attribute) -> bool {
    ["doc", "serde", "schemars", "validate", "garde"].iter().any(|name| attr.path().is_ident(name))
}

fn source(pat: &Pat, ty: &Type) -> Source {
    match ungrouped(ty) {
        Type::Reference(reference) => Source::Host((*reference.elem).clone()),
        ty => match params(ty) {
            Some(whole) => Source::Params(whole.clone()),
            None => Source::Model(name(pat)),
        },
    }
}

/// The type without parentheses and without the invisible group a `macro_rules` fragment puts around it.
pub(crate) fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        other => other,
    }
}

/// `T` of a type written `Params<T>`. By name: under another name it is an ordinary argument, which the bounds of
/// the generated code refuse, because `Params` itself cannot be supplied.
fn params(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Params")?;
    let PathArguments::AngleBracketed(generics) = &last.arguments else { return None };
    match generics.args.first() {
        Some(GenericArgument::Type(whole)) if generics.args.len() == 1 => Some(whole),
        _ => None,
    }
}

fn name(pat: &Pat) -> Option<Ident> {
    match pat {
        Pat::Ident(pat) => Some(pat.ident.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::Errors;
    use proc_macro2::TokenStream;
    use quote::{ToTokens as _, quote};

    fn model(item: TokenStream) -> Tool {
        let args = super::super::args::parse(quote!(), &mut Errors::default());
        tool(args, syn::parse2(item).expect("a function"))
    }

    fn sources(item: TokenStream) -> Vec<String> {
        let source = |input: &Input| match input {
            Input::Receiver(_) => "self".to_owned(),
            Input::Argument(argument) => match &argument.source {
                Source::Model(name) => {
                    format!("model {}", name.as_ref().map_or("?".to_owned(), Ident::to_string))
                }
                Source::Params(ty) => format!("params {}", ty.to_token_stream()),
                Source::Host(ty) => format!("host {}", ty.to_token_stream()),
            },
        };
        model(item).inputs.iter().map(source).collect()
    }

    #[test]
    fn a_value_comes_from_the_model_and_a_reference_from_the_host() {
        let item = quote! { fn f(&self, mut a: u8, (b, c): (u8, u8), cx: &sdk::Cx, (d): (&mut u8)) {} };
        assert_eq!(sources(item), ["self", "model a", "model ?", "host sdk :: Cx", "host u8"]);
    }

    #[test]
    fn params_are_recognised_by_their_last_path_segment() {
        let item = quote! { fn f(Params(a): Params<A>, b: sdk::Params<B>, c: Params, d: Alias) {} };
        assert_eq!(sources(item), ["params A", "params B", "model c", "model d"]);
    }

    #[test]
    fn attributes_of_the_schema_and_conditions_leave_the_function_and_others_stay() {
        let item = quote! { fn f(#[doc = "x"] #[serde(default)] #[allow(unused)] #[cfg(unix)] a: u8) {} };
        let tool = model(item);
        assert_eq!(
            tool.function.to_token_stream().to_string(),
            quote! { fn f(#[allow(unused)] a: u8) {} }.to_string()
        );
        let [Input::Argument(argument)] = tool.inputs.as_slice() else { panic!("one argument") };
        assert_eq!((argument.schema.len(), argument.conditions.len()), (2, 1));
    }
}
