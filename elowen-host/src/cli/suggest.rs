//! What to say when a plugin has no tool of a given name.

use crate::arguments::closest;
use crate::printable;

/// Names the tools there are, and the one that was probably meant.
pub(super) fn unknown_tool(plugin: &str, name: &str, tools: &[&str]) -> String {
    let mut message = format!("plugin `{plugin}` has no tool `{}`", printable::line(name));
    if let Some(meant) = closest(name, tools.iter().copied()) {
        message.push_str(&format!("; did you mean `{}`?", printable::line(meant)));
    }
    match tools {
        [] => message.push_str(" (it has registered none)"),
        _ => message.push_str(&format!("\nIts tools are: {}", printable::line(&tools.join(", ")))),
    }
    message
}

#[cfg(test)]
mod tests {
    use super::unknown_tool;

    #[test]
    fn the_tools_are_named_and_a_slip_is_recognised() {
        let message = unknown_tool("p", "mytool", &["MyTool", "Other"]);
        assert_eq!(
            message,
            "plugin `p` has no tool `mytool`; did you mean `MyTool`?\nIts tools are: MyTool, Other"
        );
        assert_eq!(unknown_tool("p", "x", &["MyTool"]), "plugin `p` has no tool `x`\nIts tools are: MyTool");
        assert_eq!(unknown_tool("p", "x", &[]), "plugin `p` has no tool `x` (it has registered none)");
    }
}
