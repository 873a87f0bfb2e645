//! Why a parameter type cannot be offered to a model, and what its author can do about it.

use std::fmt;

/// A parameter type that has no portable schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    type_name: String,
    path: String,
    problem: SchemaProblem,
}

impl SchemaError {
    pub(super) fn new(type_name: &str, path: String, problem: SchemaProblem) -> Self {
        Self { type_name: type_name.to_owned(), path, problem }
    }

    /// The full name of the Rust type that was given.
    pub fn type_name(&self) -> &str {
        &self.type_name
    }

    /// Where in the parameters the problem is, as `page.items[].x`; empty for the root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong there.
    pub fn problem(&self) -> &SchemaProblem {
        &self.problem
    }
}

/// What is wrong with one place of a parameter type.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaProblem {
    /// The root is an enum with data, or a struct with a flattened one: providers refuse a union at the root.
    RootUnion,
    /// The root is not an object; the text says what it is.
    RootNotObject(String),
    /// A property key that some provider refuses together with the whole request.
    Key(String),
    /// A property key that the host strips from the arguments of every tool.
    ReservedKey(String),
    /// No value can match: the type has no variants, or its schema is `false`.
    Nothing,
    /// Two unions would have to hold at the same place, which only `allOf` could say.
    AllOf,
    /// Something in a hand-written schema is no schema; the text shows it.
    Malformed(String),
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` cannot be the parameters of a tool: ", self.type_name)?;
        if !self.path.is_empty() {
            write!(f, "at `{}`, ", self.path)?;
        }
        self.problem.fmt(f)
    }
}

impl fmt::Display for SchemaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RootUnion => f.write_str(
                "it is a union at the root, which model providers refuse; make it a field of a struct \
                 (and do not flatten that field)",
            ),
            Self::RootNotObject(what) => {
                write!(f, "it is {what}, and parameters are an object; use a struct with named fields")
            }
            Self::Key(key) => write!(
                f,
                "the name `{key}` is not portable; use 1 to 64 of A-Z a-z 0-9 _, not starting with a digit \
                 (`#[serde(rename = \"...\")]`)"
            ),
            Self::ReservedKey(key) => {
                write!(f, "the host strips an argument called `{key}`; choose another name")
            }
            Self::Nothing => f.write_str("no value can ever match; remove it or give its type a variant"),
            Self::AllOf => f.write_str(
                "two unions apply to the same value; nest one of them in a field of its own instead of flattening it",
            ),
            Self::Malformed(what) => write!(f, "`{what}` is not a JSON Schema; correct the hand-written schema"),
        }
    }
}

impl std::error::Error for SchemaError {}
