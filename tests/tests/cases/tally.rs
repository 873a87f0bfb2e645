//! Did a case come out as it should? And how many did which way, in one line.

use crate::case::Case;
use crate::findings::Findings;
use std::sync::{Mutex, PoisonError};

/// How many cases came out how.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<Counts>);

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    passed: usize,
    decided: usize,
    known: usize,
    failed: usize,
}

impl Tally {
    /// Counts a case and says what came of it.
    ///
    /// # Panics
    /// When it failed and is not known to, or the other way round.
    pub(crate) fn judge(&self, case: &Case, findings: Findings) -> String {
        let Findings { mut failures, decided } = findings;
        let ruled: Vec<&str> =
            case.decision.iter().map(String::as_str).chain(decided.iter().map(String::as_str)).collect();
        if let Some(wins) = case.decision_wins.as_ref().filter(|_| ruled.is_empty()) {
            failures.push(format!("a decision wins here, and nothing says what it asks for: {wins}"));
        }
        let came = match (&case.known, failures.is_empty()) {
            (Some(reason), false) => Ok((Came::Known, format!("known to fail: {reason}"))),
            (Some(reason), true) => Err(format!("it passes now, although it is known to fail: {reason}")),
            (None, false) => Err(failures.join("\n")),
            (None, true) if !ruled.is_empty() => {
                Ok((Came::Decided, format!("decided: {}", ruled.join("; "))))
            }
            (None, true) => Ok((Came::Passed, "as the platform".to_owned())),
        };
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match came {
            Ok((came, says)) => {
                *counts.of(came) += 1;
                says
            }
            Err(says) => {
                *counts.of(Came::Failed) += 1;
                drop(counts);
                panic!("{says}");
            }
        }
    }

    /// One line, if any case was run.
    pub(crate) fn summary(&self) -> Option<String> {
        let counts = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Counts { passed, decided, known, failed } = counts;
        let all = passed + decided + known + failed;
        (all > 0).then(|| {
            format!(
                "{all} cases: {passed} passed, {decided} against a decision, {known} known to fail, {failed} failed"
            )
        })
    }
}

#[derive(Clone, Copy)]
enum Came {
    Passed,
    Decided,
    Known,
    Failed,
}

impl Counts {
    fn of(&mut self, came: Came) -> &mut usize {
        match came {
            Came::Passed => &mut self.passed,
            Came::Decided => &mut self.decided,
            Came::Known => &mut self.known,
            Came::Failed => &mut self.failed,
        }
    }
}
