//! The user's permission rules: allow, ask or deny, by tool name or by shell command. The last matching rule wins.
//!
//! Rules about commands look at text, and a shell can hide any command from them; they spare a careful agent
//! questions and are no sandbox.

mod segments;

pub use segments::segments;

use serde::{Deserialize, Serialize};

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleScope {
    /// The name of a tool.
    Tools,
    /// A command of the shell tool, each part of it for itself.
    Bash,
}

/// What a rule says. Ordered by how much it restricts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Run it.
    Allow,
    /// Ask somebody first.
    Ask,
    /// Never.
    Deny,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// What it is about.
    pub scope: RuleScope,
    /// What it matches: `*` stands for any text, `?` for one character.
    pub pattern: String,
    /// What it says.
    pub action: Action,
}

impl Rule {
    /// A rule about tools' names.
    pub fn tools(pattern: impl Into<String>, action: Action) -> Self {
        Rule { scope: RuleScope::Tools, pattern: pattern.into(), action }
    }

    /// A rule about shell commands.
    pub fn bash(pattern: impl Into<String>, action: Action) -> Self {
        Rule { scope: RuleScope::Bash, pattern: pattern.into(), action }
    }
}

/// What happens to a question that nobody is there to answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unattended {
    /// The call is refused (strict).
    #[default]
    Deny,
    /// The call runs.
    Run,
}

/// The rules of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Boundary {
    /// The rules; a later one wins over an earlier one.
    pub rules: Vec<Rule>,
    /// What to do where nobody can be asked.
    #[serde(default, rename = "unattendedAsks")]
    pub unattended: Unattended,
    /// The user has approved everything that would be asked. Denials and strictness hold all the same.
    #[serde(default)]
    pub approve_all: bool,
}

impl Boundary {
    /// What holds without a user's own rules: tools run, files are written and commands run when somebody agrees,
    /// commands that only look are free.
    pub fn with_default_rules() -> Self {
        const LOOKS: [&str; 10] = [
            "pwd",
            "ls",
            "ls -l",
            "ls -la",
            "whoami",
            "date",
            "uname -a",
            "git status",
            "git branch",
            "git log --oneline",
        ];
        let mut rules = vec![
            Rule::tools("*", Action::Allow),
            Rule::tools("Write", Action::Ask),
            Rule::tools("Edit", Action::Ask),
            Rule::bash("*", Action::Ask),
        ];
        rules.extend(LOOKS.map(|command| Rule::bash(command, Action::Allow)));
        Boundary { rules, ..Boundary::default() }
    }

    /// What the rules, and `remembered` ones after them, say about a call. `command`: what the shell tool is to
    /// run; absent for every other tool.
    pub fn ruling<'r>(&'r self, remembered: &'r [Rule], tool: &str, command: Option<&str>) -> Ruling<'r> {
        let Some(command) = command else { return self.last_match(remembered, RuleScope::Tools, tool) };
        let parts = segments(command);
        let rulings = parts.iter().map(|part| self.last_match(remembered, RuleScope::Bash, part));
        // The first of the most restrictive.
        let strictest = rulings.reduce(|held, next| if next.action > held.action { next } else { held });
        strictest.unwrap_or_else(|| self.last_match(remembered, RuleScope::Bash, ""))
    }

    /// The rules that would have allowed what was asked, for who answers "always". A part of a command that holds
    /// a wildcard is not among them: as a pattern it would allow more than was asked.
    pub fn rules_to_remember(&self, remembered: &[Rule], tool: &str, command: Option<&str>) -> Vec<Rule> {
        let Some(command) = command else { return vec![Rule::tools(tool, Action::Allow)] };
        let asked = |part: &String| {
            self.last_match(remembered, RuleScope::Bash, part).action == Action::Ask
                && !part.contains(['*', '?'])
        };
        segments(command).into_iter().filter(asked).map(|part| Rule::bash(part, Action::Allow)).collect()
    }

    fn last_match<'r>(&'r self, remembered: &'r [Rule], scope: RuleScope, text: &str) -> Ruling<'r> {
        let rules = self.rules.iter().chain(remembered).rev();
        let last = rules.filter(|rule| rule.scope == scope).find(|rule| matches(&rule.pattern, text));
        last.map_or(UNKNOWN, |rule| Ruling { action: rule.action, pattern: &rule.pattern })
    }
}

/// What the rules say, and the pattern of the rule that says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling<'r> {
    /// What to do.
    pub action: Action,
    /// The rule's pattern.
    pub pattern: &'r str,
}

/// What no rule matches is asked.
const UNKNOWN: Ruling<'static> = Ruling { action: Action::Ask, pattern: "*" };

/// Whether the whole text matches a pattern of `*` and `?`.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (mut pattern, mut text) = (pattern.chars(), text.chars());
    // Where to go on when the text after the last `*` turns out not to match: one character further.
    let mut retry: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        let before = text.clone();
        match (pattern.next(), text.next()) {
            (Some('*'), _) => {
                text = before;
                retry = Some((pattern.clone(), text.clone()));
            }
            (Some('?'), Some(_)) => {}
            (Some(wanted), Some(found)) if wanted == found => {}
            (None, None) => return true,
            _ => {
                let Some((after_star, tried)) = &mut retry else { return false };
                if tried.next().is_none() {
                    return false;
                }
                (pattern, text) = (after_star.clone(), tried.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests;
