//! Whether a tool has earned the host's thread: a state machine over what its calls reported, without a clock.

use std::sync::atomic::{AtomicU32, Ordering};

/// A first poll at least this long is no good sign, in nanoseconds.
const GOOD_NS: u64 = 50_000;
/// Good calls in a row that earn the thread.
const TO_EARN: u32 = 8;
/// Good calls in a row that win it back, once it was lost.
const TO_WIN_BACK: u32 = 64;

const INLINE: u32 = 1 << 31;
const LOST: u32 = 1 << 30;
const STREAK: u32 = LOST - 1;

/// The state of one tool. It begins on the plugin's own threads.
#[derive(Debug, Default)]
pub(crate) struct Earned(AtomicU32);

impl Earned {
    /// Whether the next call may borrow the host's thread.
    pub(crate) fn is_inline(&self) -> bool {
        self.0.load(Ordering::Relaxed) & INLINE != 0
    }

    /// A call has ended: how long its first poll was busy, and whether that was all.
    pub(crate) fn record(&self, first_poll_ns: u64, finished: bool) {
        let good = finished && first_poll_ns < GOOD_NS;
        let state = self.0.load(Ordering::Relaxed);
        if good && state & INLINE != 0 {
            return;
        }
        // Concurrent calls may lose a count to each other; the streak is a hint, not a sum.
        self.0.store(next(state, good), Ordering::Relaxed);
    }
}

fn next(state: u32, good: bool) -> u32 {
    let lost = state & LOST;
    match (state & INLINE != 0, good) {
        (true, true) => state,
        (true, false) => LOST,
        (false, false) => lost,
        (false, true) => {
            let streak = (state & STREAK) + 1;
            let needed = if lost == 0 { TO_EARN } else { TO_WIN_BACK };
            if streak >= needed { lost | INLINE } else { lost | streak }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(earned: &Earned, times: usize) {
        (0..times).for_each(|_| earned.record(1_000, true));
    }

    #[test]
    fn a_tool_earns_the_thread_after_eight_good_calls() {
        let earned = Earned::default();
        good(&earned, 7);
        assert!(!earned.is_inline());
        good(&earned, 1);
        assert!(earned.is_inline());
    }

    #[test]
    fn a_slow_or_a_waiting_first_poll_breaks_the_streak() {
        for (ns, finished) in [(50_000, true), (10, false)] {
            let earned = Earned::default();
            good(&earned, 7);
            earned.record(ns, finished);
            good(&earned, 7);
            assert!(!earned.is_inline());
            good(&earned, 1);
            assert!(earned.is_inline());
        }
    }

    #[test]
    fn it_is_lost_at_the_first_bad_call_and_needs_sixty_four_to_win_back() {
        let earned = Earned::default();
        good(&earned, 8);
        earned.record(60_000, true);
        assert!(!earned.is_inline());
        good(&earned, 63);
        assert!(!earned.is_inline());
        good(&earned, 1);
        assert!(earned.is_inline());
        earned.record(10, false);
        good(&earned, 63);
        assert!(!earned.is_inline());
    }
}
