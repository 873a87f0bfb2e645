//! The `tracing` side of the bridge: events with their fields, and the names of the spans around them.

use crate::abi;
use serde_json::{Map, Value};
use std::{
    cell::RefCell,
    collections::HashMap,
    fmt::Debug,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use tracing_core::{
    Dispatch, Event, Interest, Level, LevelFilter, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Current, Id, Record},
};

/// Does nothing if the plugin has set a subscriber of its own.
pub(super) fn install() {
    let _ = tracing_core::dispatcher::set_global_default(Dispatch::new(Bridge::default()));
}

#[derive(Default)]
struct Bridge {
    next: AtomicU64,
    spans: Mutex<HashMap<u64, Span>>,
}

struct Span {
    metadata: &'static Metadata<'static>,
    references: usize,
}

thread_local! {
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

fn level(level: Level) -> u32 {
    match level {
        Level::ERROR => abi::LOG_ERROR,
        Level::WARN => abi::LOG_WARN,
        Level::INFO => abi::LOG_INFO,
        Level::DEBUG => abi::LOG_DEBUG,
        Level::TRACE => abi::LOG_TRACE,
    }
}

impl Bridge {
    fn with<T>(&self, work: impl FnOnce(&mut HashMap<u64, Span>) -> T) -> T {
        work(&mut self.spans.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn entered(&self) -> Vec<(u64, &'static Metadata<'static>)> {
        let ids = ENTERED.try_with(|entered| entered.borrow().clone()).unwrap_or_default();
        self.with(|spans| ids.iter().filter_map(|id| Some((*id, spans.get(id)?.metadata))).collect())
    }
}

impl Subscriber for Bridge {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        // Asked each time: the host may change its mind.
        Interest::sometimes()
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        super::enabled(level(*metadata.level()))
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::TRACE)
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        self.with(|spans| spans.insert(id, Span { metadata: attributes.metadata(), references: 1 }));
        Id::from_u64(id)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let spans: Vec<&str> = self.entered().iter().map(|(_, metadata)| metadata.name()).collect();
        if !spans.is_empty() {
            fields.json.insert("spans".to_owned(), spans.into());
        }
        let json =
            if fields.json.is_empty() { String::new() } else { Value::Object(fields.json).to_string() };
        super::write(level(*event.metadata().level()), event.metadata().target(), &fields.message, &json);
    }

    fn enter(&self, span: &Id) {
        let _ = ENTERED.try_with(|entered| entered.borrow_mut().push(span.into_u64()));
    }

    fn exit(&self, span: &Id) {
        let _ = ENTERED.try_with(|entered| {
            let mut entered = entered.borrow_mut();
            if let Some(at) = entered.iter().rposition(|id| *id == span.into_u64()) {
                entered.remove(at);
            }
        });
    }

    fn clone_span(&self, span: &Id) -> Id {
        self.with(|spans| {
            if let Some(known) = spans.get_mut(&span.into_u64()) {
                known.references += 1;
            }
        });
        span.clone()
    }

    fn try_close(&self, span: Id) -> bool {
        self.with(|spans| {
            let Some(known) = spans.get_mut(&span.into_u64()) else { return false };
            known.references = known.references.saturating_sub(1);
            let closed = known.references == 0;
            if closed {
                spans.remove(&span.into_u64());
            }
            closed
        })
    }

    fn current_span(&self) -> Current {
        match self.entered().last() {
            Some((id, metadata)) => Current::new(Id::from_u64(*id), metadata),
            None => Current::none(),
        }
    }
}

#[derive(Default)]
struct Fields {
    message: String,
    json: Map<String, Value>,
}

impl Fields {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.json.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        } else {
            self.put(field, format!("{value:?}"));
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.message = value.to_owned();
        } else {
            self.put(field, value);
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }
}
