//! Turns Rust names into the names that models and people see, and says which of those every provider accepts.

/// `my_tool` as a tool is called: `MyTool`.
pub(crate) fn pascal(snake: &str) -> String {
    snake.split('_').map(capitalised).collect()
}

/// `my_tool` as a person reads it: `My tool`.
pub(crate) fn sentence(snake: &str) -> String {
    let words: Vec<&str> = snake.split('_').filter(|word| !word.is_empty()).collect();
    capitalised(&words.join(" "))
}

/// `max_count` as an argument is offered: `maxCount`. The same rule as serde's `rename_all = "camelCase"`.
pub(crate) fn camel(snake: &str) -> String {
    let pascal = pascal(snake);
    let mut letters = pascal.chars();
    letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect()
}

/// Whether every provider takes it as a tool's name.
pub(crate) fn is_tool_name(name: &str) -> bool {
    is_portable(name, |c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Whether every provider takes it as an argument's name.
pub(crate) fn is_argument_name(name: &str) -> bool {
    is_portable(name, |c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_portable(name: &str, allowed: impl Fn(char) -> bool) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(allowed)
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rust_name_gives_the_tool_the_label_and_the_argument() {
        for (rust, tool, label, argument) in [
            ("my_tool", "MyTool", "My tool", "myTool"),
            ("find", "Find", "Find", "find"),
            ("_private__name_", "PrivateName", "Private name", "privateName"),
            ("fetch_2_pages", "Fetch2Pages", "Fetch 2 pages", "fetch2Pages"),
            ("camelCase", "CamelCase", "CamelCase", "camelCase"),
            ("__", "", "", ""),
        ] {
            assert_eq!(
                (pascal(rust), sentence(rust), camel(rust)),
                (tool.into(), label.into(), argument.into())
            );
        }
    }

    #[test]
    fn a_portable_tool_name_has_1_to_64_of_the_allowed_letters() {
        for name in ["A", "_a", "My-Tool_2", &"a".repeat(64)] {
            assert!(is_tool_name(name), "{name}");
        }
        for name in ["", "2a", "-a", "a b", "a.b", "größe", &"a".repeat(65)] {
            assert!(!is_tool_name(name), "{name}");
        }
    }

    #[test]
    fn an_argument_name_has_no_dash() {
        assert!(is_argument_name("max_count"));
        assert!(!is_argument_name("max-count"));
    }
}
