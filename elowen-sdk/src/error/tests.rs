//! Rule A16, sentence by sentence.

use super::*;

fn lift<T, E: Into<ToolError>>(result: Result<T, E>) -> ToolErrorKind {
    match result {
        Ok(_) => panic!("the example must fail"),
        Err(error) => error.into().kind(),
    }
}

#[test]
fn a_missing_file_is_a_text_the_model_can_act_on() {
    fn read() -> ToolResult<String> {
        Ok(std::fs::read_to_string("/no/such/file")?)
    }
    let error = read().unwrap_err();
    assert!(error.is_text());
    assert!(error.to_string().contains("No such file"), "{error}");
}

#[test]
fn parse_and_utf8_errors_are_texts() {
    assert_eq!(lift("x".parse::<u8>()), ToolErrorKind::Text);
    assert_eq!(lift("x".parse::<f64>()), ToolErrorKind::Text);
    assert_eq!(lift("x".parse::<bool>()), ToolErrorKind::Text);
    assert_eq!(lift(String::from_utf8(vec![0xff])), ToolErrorKind::Text);
    assert_eq!(lift(serde_json::from_str::<u8>("[")), ToolErrorKind::Text);
}

#[test]
fn network_kinds_timeouts_and_broken_pipes_are_transport_failures() {
    for kind in [
        io::ErrorKind::ConnectionRefused,
        io::ErrorKind::ConnectionReset,
        io::ErrorKind::TimedOut,
        io::ErrorKind::BrokenPipe,
        io::ErrorKind::HostUnreachable,
    ] {
        assert_eq!(lift(Err::<(), _>(io::Error::from(kind))), ToolErrorKind::Transport, "{kind}");
    }
}

#[test]
fn everything_else_is_a_fault() {
    assert_eq!(lift(Err::<(), _>(fmt::Error)), ToolErrorKind::Fault);
    assert_eq!(lift(Err::<(), _>(io::Error::other("?"))), ToolErrorKind::Fault);
}

#[derive(Debug)]
struct Wrapped(Box<dyn Error + Send + Sync>);
impl fmt::Display for Wrapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("wrapped")
    }
}
impl Error for Wrapped {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}

#[test]
fn the_first_classified_error_of_the_chain_decides() {
    let inner = io::Error::from(io::ErrorKind::NotFound);
    assert_eq!(lift(Err::<(), _>(Wrapped(Box::new(inner)))), ToolErrorKind::Text);
    let marked = mark_transport_failure(io::Error::from(io::ErrorKind::NotFound));
    let error = Wrapped(Box::new(Wrapped(Box::new(marked))));
    assert!(is_transport_failure(&error));
    assert_eq!(lift(Err::<(), _>(error)), ToolErrorKind::Transport);
    let carried = io::Error::other(mark_transport_failure("gone"));
    assert_eq!(lift(Err::<(), _>(carried)), ToolErrorKind::Transport);
}

#[test]
fn a_catch_all_passes_a_marked_failure_through() {
    let marked: Result<(), _> = Err(mark_transport_failure("the origin is down"));
    let error = marked.or_text("nothing found").unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ToolErrorKind::Transport, "the origin is down"));
    let plain: Result<(), _> = Err(fmt::Error);
    assert_eq!(plain.or_text("nothing found").unwrap_err().to_string(), "nothing found");
}

#[test]
fn boxed_errors_are_sorted_by_tool_err() {
    let boxed: Result<(), Box<dyn Error + Send + Sync>> =
        Err(io::Error::from(io::ErrorKind::TimedOut).into());
    assert_eq!(boxed.tool_err().unwrap_err().kind(), ToolErrorKind::Transport);
    assert_eq!(Err::<(), _>("no such note").transport().unwrap_err().kind(), ToolErrorKind::Transport);
}

#[test]
fn the_text_names_each_cause_once() {
    let error = Wrapped(Box::new(io::Error::from(io::ErrorKind::TimedOut)));
    assert_eq!(ToolError::classify(&error).to_string(), "wrapped: timed out");
}
