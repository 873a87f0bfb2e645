//! The `log` crate's side of the bridge.

use crate::abi;
use log::{Level, LevelFilter, Log, Metadata, Record};

struct Bridge;

/// Does nothing if the plugin has set a logger of its own.
pub(super) fn install() {
    if log::set_logger(&Bridge).is_ok() {
        // The host is asked for each record, so that it can change its mind.
        log::set_max_level(LevelFilter::Trace);
    }
}

fn level(level: Level) -> u32 {
    match level {
        Level::Error => abi::LOG_ERROR,
        Level::Warn => abi::LOG_WARN,
        Level::Info => abi::LOG_INFO,
        Level::Debug => abi::LOG_DEBUG,
        Level::Trace => abi::LOG_TRACE,
    }
}

impl Log for Bridge {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        super::enabled(level(metadata.level()))
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            super::write(level(record.level()), record.target(), &record.args().to_string(), "");
        }
    }

    fn flush(&self) {}
}
