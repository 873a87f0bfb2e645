//! Takes a shell command apart into the commands that it runs, so that rules can look at each.
//!
//! Where it is not sure (quotes that do not close, comments, here-documents) it cuts more often rather than less: a
//! rule that denies then still finds what it looks for, and one that allows may not match. Linear in the command.

use std::collections::HashSet;

/// The commands that a shell would run, those inside substitutions and subshells included. A command after
/// assignments or keywords stands there twice, with and without them.
pub fn segments(command: &str) -> Vec<String> {
    let mut cutter = Cutter::default();
    cutter.read(command);
    if cutter.unclear || command.contains("<<") {
        cutter.done.extend(command.split(SEPARATORS).map(str::to_owned));
    }
    let mut seen = HashSet::new();
    let mut segments = Vec::new();
    for raw in &cutter.done {
        let raw = raw.trim();
        for form in [raw, without_prelude(raw)] {
            if !form.is_empty() && seen.insert(form) {
                segments.push(form.to_owned());
            }
        }
    }
    segments
}

const SEPARATORS: [char; 8] = [';', '&', '|', '\n', '(', ')', '`', '\r'];

/// What the text being read stands in.
#[derive(PartialEq)]
enum Inside {
    /// `"…"`
    Quotes,
    /// `(…)` or `$(…)`, with what stood before it of the command around it.
    Parens(String),
    /// `` `…` ``, likewise.
    Backticks(String),
}

#[derive(Default)]
struct Cutter {
    stack: Vec<Inside>,
    segment: String,
    done: Vec<String>,
    /// It may have been read differently from how a shell reads it.
    unclear: bool,
}

impl Cutter {
    fn read(&mut self, command: &str) {
        let mut chars = command.chars().peekable();
        let mut previous = ' ';
        while let Some(c) = chars.next() {
            let quoted = self.stack.last() == Some(&Inside::Quotes);
            match c {
                '\\' => {
                    self.segment.push(c);
                    let escaped = chars.next();
                    self.segment.extend(escaped);
                    // A line goes on in the next, as if nothing stood between them.
                    if escaped == Some('\n') {
                        continue;
                    }
                }
                '"' if quoted => {
                    self.segment.push(c);
                    self.stack.pop();
                }
                '"' => {
                    self.segment.push(c);
                    self.stack.push(Inside::Quotes);
                }
                '`' => self.backtick(),
                '(' if !quoted || previous == '$' => {
                    self.stack.push(Inside::Parens(std::mem::take(&mut self.segment)));
                }
                _ if quoted => self.segment.push(c),
                ')' => self.close(),
                '\'' => {
                    // In `$'…'` a backslash escapes.
                    let ansi = previous == '$';
                    self.segment.push(c);
                    let mut closed = false;
                    while let Some(c) = chars.next() {
                        self.segment.push(c);
                        if c == '\'' {
                            closed = true;
                            break;
                        }
                        if c == '\\' && ansi {
                            self.segment.extend(chars.next());
                        }
                    }
                    self.unclear |= !closed;
                }
                '#' if previous.is_whitespace() || SEPARATORS.contains(&previous) => {
                    self.unclear = true;
                    while chars.next_if(|c| *c != '\n').is_some() {}
                }
                // Part of a redirection (`2>&1`, `&>file`), not the end of a command.
                '&' if matches!(previous, '<' | '>') || chars.peek() == Some(&'>') => self.segment.push(c),
                _ if SEPARATORS.contains(&c) => self.cut(),
                _ => self.segment.push(c),
            }
            previous = c;
        }
        self.unclear |= !self.stack.is_empty();
        self.cut();
        for inside in std::mem::take(&mut self.stack) {
            if let Inside::Parens(outer) | Inside::Backticks(outer) = inside {
                self.done.push(outer);
            }
        }
    }

    fn cut(&mut self) {
        self.done.push(std::mem::take(&mut self.segment));
    }

    fn backtick(&mut self) {
        if matches!(self.stack.last(), Some(Inside::Backticks(_))) {
            if let Some(Inside::Backticks(outer)) = self.stack.pop() {
                self.resume(outer, "``");
            }
        } else {
            self.stack.push(Inside::Backticks(std::mem::take(&mut self.segment)));
        }
    }

    fn close(&mut self) {
        if matches!(self.stack.last(), Some(Inside::Parens(_))) {
            if let Some(Inside::Parens(outer)) = self.stack.pop() {
                self.resume(outer, "()");
            }
        } else {
            self.cut();
        }
    }

    /// Goes on with the command around a substitution; `mark` stands for it, so that no rule for the command
    /// without arguments matches. A subshell is no part of a command.
    fn resume(&mut self, outer: String, mark: &str) {
        self.cut();
        if !outer.trim().is_empty() {
            self.segment = outer;
            self.segment.push_str(mark);
        }
    }
}

/// The command after keywords and assignments (`then FOO=1 rm x` is `rm x`).
fn without_prelude(mut segment: &str) -> &str {
    const KEYWORDS: [&str; 11] =
        ["!", "{", "if", "then", "elif", "else", "while", "until", "do", "time", "exec"];
    loop {
        let (word, rest) = segment.split_once(char::is_whitespace).unwrap_or((segment, ""));
        let assignment = word.split_once('=').is_some_and(|(name, value)| {
            let name_like = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '+';
            !name.is_empty() && name.chars().all(name_like) && !value.contains(['\'', '"', '(', '`'])
        });
        if rest.is_empty() || !(assignment || KEYWORDS.contains(&word)) {
            return segment;
        }
        segment = rest.trim_start();
    }
}
