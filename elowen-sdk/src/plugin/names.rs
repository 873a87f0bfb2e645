//! Refuses, at compile time, two tools of one name in one list.

/// Where generated code finds the check.
#[allow(missing_debug_implementations)]
pub struct Names;

impl Names {
    /// Fails to compile if the last tool has the name of an earlier one. Each tool is its name and the path of its
    /// function.
    pub const fn differ(tools: &[(&str, &str)]) {
        let Some(((name, path), earlier)) = tools.split_last() else { return };
        let mut i = 0;
        while i < earlier.len() {
            if same(earlier[i].0, name) {
                let mut text = Text { bytes: [0; 600], len: 0 };
                text.push("the tools `");
                text.push(earlier[i].1);
                text.push("` and `");
                text.push(path);
                text.push("` are both called `");
                text.push(name);
                text.push("`: give one of them another name, `#[tool(name = \"..\")]`");
                panic!("{}", text.as_str());
            }
            i += 1;
        }
    }
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// A message put together at compile time; what does not fit is left out.
struct Text {
    bytes: [u8; 600],
    len: usize,
}

impl Text {
    const fn push(&mut self, part: &str) {
        let part = part.as_bytes();
        if self.len + part.len() > self.bytes.len() {
            return;
        }
        let mut i = 0;
        while i < part.len() {
            self.bytes[self.len] = part[i];
            self.len += 1;
            i += 1;
        }
    }

    const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "two tools have the same name",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const _: () = Names::differ(&[]);
    const _: () = Names::differ(&[("Find", "find"), ("FindAll", "find_all"), ("Fin", "fin")]);

    #[test]
    #[should_panic(
        expected = "the tools `find` and `a::find` are both called `Find`: give one of them another"
    )]
    fn two_tools_of_one_name_are_named_both() {
        Names::differ(&[("Find", "find"), ("Add", "add"), ("Find", "a::find")]);
    }

    #[test]
    #[should_panic(expected = "are both called `Find`")]
    fn a_path_that_is_too_long_is_left_out() {
        Names::differ(&[("Find", &"x".repeat(900)), ("Find", "find")]);
    }
}
