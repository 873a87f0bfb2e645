//! What a tool answers: content for the model, details for the host, and how Rust values become one.

use crate::ToolError;
use serde_json::Value;

/// What a tool function returns. `Err` with a [text](ToolError::text) is still an answer that the model reads.
pub type ToolResult<T = Output> = Result<T, ToolError>;

/// One piece of a result, as the model sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text(String),
    /// An image: standard base64 of its bytes, and its MIME type such as `image/png`.
    Image {
        /// Standard base64 with padding.
        data: String,
        /// MIME type.
        mime_type: String,
    },
}

impl Content {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Content::Text(text.into())
    }

    /// An image, from base64 text and a MIME type such as `image/png`.
    pub fn image(base64: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Content::Image { data: base64.into(), mime_type: mime_type.into() }
    }
}

/// A tool's answer.
///
/// ```
/// use elowen_sdk::{Content, Output, serde_json::json};
///
/// let output = Output::text("3 files").details(json!({"count": 3}));
/// let pictures = Output::contents([Content::text("before, after"), Content::image("iVBORw0KGgo=", "image/png")]);
/// # assert_ne!(output, pictures);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    content: Contents,
    details: Option<Box<Value>>,
    terminate: bool,
}

/// Almost every answer is one content, which then needs no list.
#[derive(Clone, Debug)]
enum Contents {
    One(Content),
    Many(Vec<Content>),
}

impl Contents {
    fn as_slice(&self) -> &[Content] {
        match self {
            Contents::One(content) => std::slice::from_ref(content),
            Contents::Many(contents) => contents,
        }
    }
}

impl Default for Contents {
    fn default() -> Self {
        Contents::Many(Vec::new())
    }
}

impl PartialEq for Contents {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Output {
    /// One text for the model.
    pub fn text(text: impl Into<String>) -> Self {
        Content::Text(text.into()).into()
    }

    /// Several contents for the model, in order.
    pub fn contents(content: impl IntoIterator<Item = Content>) -> Self {
        let content = Contents::Many(content.into_iter().collect());
        Output { content, details: None, terminate: false }
    }

    /// Sets what the host, and not the model, gets to see.
    #[must_use]
    pub fn details(mut self, details: Value) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// Asks the agent to stop after this round of calls, if every call of the round asks for it.
    #[must_use]
    pub fn terminate(mut self) -> Self {
        self.terminate = true;
        self
    }

    /// The contents, in order.
    pub fn content(&self) -> &[Content] {
        self.content.as_slice()
    }

    /// Serialises to the shape that crosses the border (see `abi::DONE`).
    pub(crate) fn to_json(&self) -> Vec<u8> {
        let content = self.content.as_slice();
        if let ([Content::Text(text)], None, false) = (content, &self.details, self.terminate)
            && is_plain(text)
        {
            return plain_answer(text);
        }
        let bytes: usize = content.iter().map(Content::weight).sum();
        let mut json = Vec::with_capacity(bytes + 64);
        json.extend_from_slice(b"{\"content\":[");
        for (i, content) in content.iter().enumerate() {
            if i > 0 {
                json.push(b',');
            }
            content.write(&mut json);
        }
        json.extend_from_slice(b"],\"details\":");
        match &self.details {
            None => json.extend_from_slice(b"{}"),
            Some(details) => write_json(&mut json, details),
        }
        if self.terminate {
            json.extend_from_slice(b",\"terminate\":true");
        }
        json.push(b'}');
        json
    }
}

impl Content {
    fn weight(&self) -> usize {
        match self {
            Content::Text(text) => text.len() + 32,
            Content::Image { data, mime_type } => data.len() + mime_type.len() + 48,
        }
    }

    fn write(&self, json: &mut Vec<u8>) {
        match self {
            Content::Text(text) => {
                json.extend_from_slice(b"{\"type\":\"text\",\"text\":");
                write_text(json, text);
            }
            Content::Image { data, mime_type } => {
                json.extend_from_slice(b"{\"type\":\"image\",\"data\":");
                write_text(json, data);
                json.extend_from_slice(b",\"mimeType\":");
                write_text(json, mime_type);
            }
        }
        json.push(b'}');
    }
}

/// A JSON string. Most texts have nothing to escape, and to find that out and copy them whole is much cheaper than
/// to look at each byte on its own.
fn write_text(json: &mut Vec<u8>, text: &str) {
    if !is_plain(text) {
        return write_json(json, text);
    }
    json.push(b'"');
    json.extend_from_slice(text.as_bytes());
    json.push(b'"');
}

/// Whether JSON writes it as it is.
fn is_plain(text: &str) -> bool {
    // All bytes, without an early end, so that the compiler looks at many of them at once.
    text.bytes().fold(true, |plain, byte| plain & (byte >= b' ') & (byte != b'"') & (byte != b'\\'))
}

/// The commonest answer of all, in three steps.
fn plain_answer(text: &str) -> Vec<u8> {
    const BEFORE: &[u8] = b"{\"content\":[{\"type\":\"text\",\"text\":\"";
    const AFTER: &[u8] = b"\"}],\"details\":{}}";
    let mut json = Vec::with_capacity(BEFORE.len() + text.len() + AFTER.len());
    json.extend_from_slice(BEFORE);
    json.extend_from_slice(text.as_bytes());
    json.extend_from_slice(AFTER);
    json
}

/// Strings and `Value`s always serialise, and writing to a `Vec` does not fail.
fn write_json<T: serde::Serialize + ?Sized>(json: &mut Vec<u8>, value: &T) {
    let start = json.len();
    if serde_json::to_writer(&mut *json, value).is_err() {
        json.truncate(start);
        json.extend_from_slice(b"null");
    }
}

/// A text answer: `return text("No such note.");`
///
/// # Errors
/// Never; the type is what a tool returns.
pub fn text(text: impl Into<String>) -> ToolResult {
    Ok(Output::text(text))
}

/// A typed answer: the model reads compact JSON, the host gets the value as `details`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// Values that are a tool's answer.
#[diagnostic::on_unimplemented(
    message = "a tool cannot answer with `{Self}`",
    label = "not an answer",
    note = "return a `String`, `&'static str`, `Output`, `Content`, `Vec<Content>`, `()`, or `Json(value)` for a type that implements `Serialize`"
)]
pub trait IntoOutput {
    /// Converts.
    ///
    /// # Errors
    /// A value that cannot be serialised is a fault.
    fn into_output(self) -> ToolResult;
}

impl IntoOutput for Output {
    fn into_output(self) -> ToolResult {
        Ok(self)
    }
}

impl IntoOutput for String {
    fn into_output(self) -> ToolResult {
        Ok(self.into())
    }
}

impl IntoOutput for &'static str {
    fn into_output(self) -> ToolResult {
        Ok(self.into())
    }
}

impl IntoOutput for () {
    fn into_output(self) -> ToolResult {
        Ok(Output::default())
    }
}

impl IntoOutput for Content {
    fn into_output(self) -> ToolResult {
        Ok(self.into())
    }
}

impl IntoOutput for Vec<Content> {
    fn into_output(self) -> ToolResult {
        Ok(Output::contents(self))
    }
}

impl<T: serde::Serialize> IntoOutput for Json<T> {
    fn into_output(self) -> ToolResult {
        let fault =
            |e: serde_json::Error| ToolError::fault(format!("the answer cannot be written as JSON: {e}"));
        let text = serde_json::to_string(&self.0).map_err(fault)?;
        let details = serde_json::to_value(&self.0).map_err(fault)?;
        Ok(Output::text(text).details(details))
    }
}

impl From<String> for Output {
    fn from(text: String) -> Self {
        Output::text(text)
    }
}

impl From<&str> for Output {
    fn from(text: &str) -> Self {
        Output::text(text)
    }
}

impl From<Content> for Output {
    fn from(content: Content) -> Self {
        Output { content: Contents::One(content), details: None, terminate: false }
    }
}

/// What a function under `#[tool]` may return: an answer, or a `Result` of one.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not a tool's return type",
    note = "return `ToolResult`, an answer (`String`, `Output`, `Content`, `Json<T>`, `()`, ...), or `Result<answer, E>` where `E` is `ToolError` or implements `std::error::Error`; with `anyhow::Error` or `Box<dyn Error>` write `.tool_err()` first, with a plain text `.map_err(ToolError::text)`"
)]
pub trait IntoToolResult {
    /// Converts.
    ///
    /// # Errors
    /// Whatever the function failed with.
    fn into_tool_result(self) -> ToolResult;
}

#[diagnostic::do_not_recommend]
impl<T: IntoOutput> IntoToolResult for T {
    fn into_tool_result(self) -> ToolResult {
        self.into_output()
    }
}

impl<T: IntoOutput, E: Into<ToolError>> IntoToolResult for Result<T, E> {
    fn into_tool_result(self) -> ToolResult {
        match self {
            Ok(value) => value.into_output(),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn json_of(output: Output) -> String {
        String::from_utf8(output.to_json()).unwrap()
    }

    #[test]
    fn a_text_has_empty_details() {
        assert_eq!(json_of("a\"b".into()), r#"{"content":[{"type":"text","text":"a\"b"}],"details":{}}"#);
    }

    #[test]
    fn a_text_is_escaped_wherever_it_needs_to_be() {
        for character in (0..=0x7f_u8).map(char::from).chain("\u{7f}äżを😀\u{2028}".chars()) {
            for (before, after) in [(0, 0), (63, 0), (64, 0), (63, 64), (1, 200)] {
                let text = format!("{}{character}{}", "a".repeat(before), "b".repeat(after));
                let expected = json!({"content": [{"type": "text", "text": text}], "details": {}});
                assert_eq!(json_of(text.as_str().into()), expected.to_string());
            }
        }
    }

    #[test]
    fn contents_keep_their_order_and_details_and_terminate_follow() {
        let output = Output::contents([Content::image("AA==", "image/png"), Content::text("x")])
            .details(json!({"n": 1}))
            .terminate();
        assert_eq!(
            json_of(output),
            r#"{"content":[{"type":"image","data":"AA==","mimeType":"image/png"},{"type":"text","text":"x"}],"details":{"n":1},"terminate":true}"#
        );
    }

    #[test]
    fn one_content_is_a_list_of_one() {
        assert_eq!(Output::text("x"), Output::contents([Content::text("x")]));
        assert_eq!(Output::text("x").content(), [Content::text("x")]);
        assert_ne!(Output::text("x"), Output::default());
    }

    #[test]
    fn a_typed_answer_is_text_for_the_model_and_details_for_the_host() {
        let output = Json(vec![1, 2]).into_output().unwrap();
        assert_eq!(json_of(output), r#"{"content":[{"type":"text","text":"[1,2]"}],"details":[1,2]}"#);
    }
}
