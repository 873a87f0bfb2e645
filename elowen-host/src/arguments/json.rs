//! Is this text JSON, and which slice of it is which value?
//!
//! [`Json::parse`] scans the text once and builds nothing; objects and arrays are then walked over the text itself.
//! That keeps every value's own bytes at hand (a number is never read into a float), costs no memory for large
//! arguments, and bounds the nesting as the plugin's own parser does.

use std::borrow::Cow;
use std::fmt;

/// How many arrays and objects may stand in each other; serde_json, which plugins read with, gives up at 128.
pub(super) const DEPTH: usize = 127;

/// What JSON calls whitespace.
pub(super) const WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// One value inside a text that is known to be JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct Json<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

/// One `"key": value` of an object.
pub(super) struct Member<'a> {
    pub(super) key: Cow<'a, str>,
    /// Where the key's opening quote stands in the text.
    pub(super) start: usize,
    pub(super) value: Json<'a>,
}

impl<'a> Json<'a> {
    /// The one value of the text, if the text is JSON nested at most `depth` levels deep.
    pub(super) fn parse(text: &'a str, depth: usize) -> Result<Self, Syntax> {
        let mut scanner = Scanner { bytes: text.as_bytes(), at: 0 };
        let scanned = scanner.document(depth);
        let (start, end) = scanned.map_err(|what| Syntax::new(text, scanner.at, what))?;
        Ok(Self { text, start, end })
    }

    /// The value's own bytes, without surrounding whitespace.
    pub(super) fn raw(self) -> &'a str {
        self.text.get(self.start..self.end).unwrap_or_default()
    }

    /// Where the value stands in the text.
    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    pub(super) fn kind(self) -> Kind {
        match self.raw().as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// The text of a string, unescaped.
    pub(super) fn string(self) -> Option<Cow<'a, str>> {
        let raw = self.raw();
        let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
        if inner.contains('\\') {
            serde_json::from_str(raw).ok().map(Cow::Owned)
        } else {
            Some(Cow::Borrowed(inner))
        }
    }

    /// The members of an object in the order of the text; nothing for other values.
    pub(super) fn members(self) -> impl Iterator<Item = Member<'a>> {
        let mut walk = self.inside(Kind::Object);
        std::iter::from_fn(move || {
            let key = walk.next()?;
            let value = walk.next()?;
            Some(Member { key: key.string()?, start: key.start, value })
        })
    }

    /// The elements of an array; nothing for other values.
    pub(super) fn elements(self) -> impl Iterator<Item = Json<'a>> {
        let mut walk = self.inside(Kind::Array);
        std::iter::from_fn(move || walk.next())
    }

    fn inside(self, kind: Kind) -> Walk<'a> {
        let at = if self.kind() == kind { self.start + 1 } else { self.end };
        Walk { text: self.text, at, end: self.end }
    }
}

/// Steps over the values of one container. The text was scanned before, so finding a value's end is counting.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

impl<'a> Walk<'a> {
    fn next(&mut self) -> Option<Json<'a>> {
        let bytes = self.text.as_bytes().get(..self.end)?;
        while matches!(bytes.get(self.at)?, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') {
            self.at += 1;
        }
        if matches!(bytes.get(self.at)?, b']' | b'}') {
            return None;
        }
        let start = self.at;
        let mut open = 0usize;
        loop {
            match bytes.get(self.at) {
                Some(b'"') => self.at = string_end(bytes, self.at),
                Some(b'{' | b'[') => open += 1,
                Some(b'}' | b']') if open == 0 => break,
                Some(b'}' | b']') => open -= 1,
                Some(b',' | b':' | b' ' | b'\t' | b'\n' | b'\r') if open == 0 => break,
                Some(_) => {}
                None => break,
            }
            self.at += 1;
        }
        Some(Json { text: self.text, start, end: self.at })
    }
}

/// The place of the quote that closes the string opened at `open`.
fn string_end(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        match rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) {
            Some(step) if rest.get(step) == Some(&b'\\') => at += step + 2,
            Some(step) => return at + step,
            None => return bytes.len(),
        }
    }
}

/// Why a text is not JSON, and where.
#[derive(Debug)]
pub(super) struct Syntax {
    what: &'static str,
    line: usize,
    column: usize,
}

/// What is wrong with JSON that this parser and the plugins' do not follow to its end.
const TOO_DEEP: &str = "it is nested too deeply";

impl Syntax {
    /// Whether it may be JSON, but too deep to be read.
    pub(super) fn is_depth(&self) -> bool {
        self.what == TOO_DEEP
    }

    fn new(text: &str, at: usize, what: &'static str) -> Self {
        let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let column = String::from_utf8_lossy(before.get(start..).unwrap_or_default()).chars().count() + 1;
        Self { what, line, column }
    }
}

impl fmt::Display for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.what, self.line, self.column)
    }
}

/// The one full scan. `at` stays at the offending byte when a step fails.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

type Scan<T = ()> = Result<T, &'static str>;

impl Scanner<'_> {
    fn document(&mut self, depth: usize) -> Scan<(usize, usize)> {
        self.space();
        let start = self.at;
        self.value(depth)?;
        let end = self.at;
        self.space();
        if self.at < self.bytes.len() { Err("something follows the value") } else { Ok((start, end)) }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Scan {
        match self.peek() {
            Some(b'{') => self.container(depth, b'}'),
            Some(b'[') => self.container(depth, b']'),
            Some(b'"') => self.string(),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => Err("expected a value"),
            None => Err("the text ends where a value is expected"),
        }
    }

    fn container(&mut self, depth: usize, close: u8) -> Scan {
        let Some(depth) = depth.checked_sub(1) else { return Err(TOO_DEEP) };
        self.at += 1;
        self.space();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(());
        }
        loop {
            if close == b'}' {
                if self.peek() != Some(b'"') {
                    return Err("expected a key in double quotes");
                }
                self.string()?;
                self.space();
                if self.peek() != Some(b':') {
                    return Err("expected `:`");
                }
                self.at += 1;
                self.space();
            }
            self.value(depth)?;
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(());
                }
                None => return Err("the text ends inside an array or object"),
                _ if close == b'}' => return Err("expected `,` or `}`"),
                _ => return Err("expected `,` or `]`"),
            }
            self.space();
        }
    }

    fn word(&mut self, word: &[u8]) -> Scan {
        if !self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            return Err("expected a value");
        }
        self.at += word.len();
        Ok(())
    }

    fn digits(&mut self) -> Scan {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err("expected a digit") } else { Ok(()) }
    }

    fn number(&mut self) -> Scan {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err("a number cannot start with 0");
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn string(&mut self) -> Scan {
        self.at += 1;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f));
            self.at += plain.unwrap_or(rest.len());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return Err("a line break or control character inside a string"),
                None => return Err("the text ends inside a string"),
            }
        }
    }

    fn escape(&mut self) -> Scan {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                Ok(())
            }
            Some(b'u') => {
                let lone = "half of a surrogate pair";
                match self.hex(self.at + 2)? {
                    0xd800..=0xdbff => {
                        let second = self.bytes.get(self.at + 6..self.at + 8) == Some(b"\\u");
                        if !second || !(0xdc00..=0xdfff).contains(&self.hex(self.at + 8)?) {
                            return Err(lone);
                        }
                        self.at += 12;
                    }
                    0xdc00..=0xdfff => return Err(lone),
                    _ => self.at += 6,
                }
                Ok(())
            }
            _ => Err("unknown escape in a string"),
        }
    }

    fn hex(&self, at: usize) -> Scan<u32> {
        let digits = self.bytes.get(at..at + 4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or("`\\u` needs four hexadecimal digits")
    }
}

#[cfg(test)]
mod tests;
