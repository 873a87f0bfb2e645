//! Deadlines: one thread for the whole process, made by the first call that needs it.
//!
//! A call that waits is put into a queue. A call that runs on its caller's thread cannot be; its thread carries a
//! watch that this thread looks at while any such call is running. A future that waits for a time leaves its waker.

use crate::call;
use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
    pin::Pin,
    sync::{
        Arc, Condvar, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

/// How often running inline calls are looked at.
const TICK: Duration = Duration::from_millis(10);
/// For how long after the last one the thread goes on looking.
const LINGER: Duration = Duration::from_secs(1);

struct Timer {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// The thread looks at the watches of its own accord.
    ticking: AtomicBool,
    epoch: Instant,
}

#[derive(Default)]
struct Queue {
    deadlines: BTreeSet<(Instant, u64)>,
    sleepers: BTreeMap<(Instant, u64), Waker>,
    watches: Vec<Arc<Watch>>,
}

/// What one thread is running inline.
#[derive(Default)]
struct Watch {
    /// The operation, or 0.
    operation: AtomicU64,
    /// In nanoseconds after the epoch.
    deadline: AtomicU64,
}

/// The moment that is this far away. A time beyond what clocks can tell is cut to a century.
pub(crate) fn after(time: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);
    let now = Instant::now();
    now.checked_add(time).or_else(|| now.checked_add(CENTURY)).unwrap_or(now)
}

static TIMER: OnceLock<Timer> = OnceLock::new();

fn timer() -> &'static Timer {
    static STARTED: OnceLock<bool> = OnceLock::new();
    let timer = TIMER.get_or_init(|| Timer {
        queue: Mutex::default(),
        changed: Condvar::new(),
        ticking: AtomicBool::new(false),
        epoch: Instant::now(),
    });
    STARTED.get_or_init(|| {
        std::thread::Builder::new().name("elowen-deadlines".to_owned()).spawn(move || run(timer)).is_ok()
    });
    timer
}

/// Calls [`call::deadline`] for the operation at that time, unless it is [disarmed](disarm) before.
pub(crate) fn arm(at: Instant, operation: u64) {
    let timer = timer();
    let mut queue = timer.queue.lock().unwrap_or_else(PoisonError::into_inner);
    queue.deadlines.insert((at, operation));
    if queue.deadlines.first() == Some(&(at, operation)) {
        timer.changed.notify_one();
    }
}

/// Forgets a deadline.
pub(crate) fn disarm(at: Instant, operation: u64) {
    timer().queue.lock().unwrap_or_else(PoisonError::into_inner).deadlines.remove(&(at, operation));
}

/// Resolves at that time.
pub(crate) fn sleep_until(at: Instant) -> Sleep {
    static SLEEPS: AtomicU64 = AtomicU64::new(0);
    Sleep { key: (at, SLEEPS.fetch_add(1, Ordering::Relaxed)), queued: false }
}

/// See [`sleep_until`].
#[derive(Debug)]
pub(crate) struct Sleep {
    key: (Instant, u64),
    queued: bool,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.key.0 <= Instant::now() {
            return Poll::Ready(());
        }
        let timer = timer();
        let mut queue = timer.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let replaced = queue.sleepers.insert(self.key, cx.waker().clone());
        if queue.sleepers.first_key_value().is_some_and(|(first, _)| *first == self.key) {
            timer.changed.notify_one();
        }
        drop(queue);
        // Foreign code, as every waker: not while the queue is locked.
        drop(replaced);
        self.queued = true;
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if self.queued {
            let mut queue = timer().queue.lock().unwrap_or_else(PoisonError::into_inner);
            let waker = queue.sleepers.remove(&self.key);
            drop(queue);
            drop(waker);
        }
    }
}

/// Watches this thread while it runs `operation`, until the guard is dropped.
pub(crate) fn watch(at: Instant, operation: u64) -> Watching {
    thread_local! {
        static MINE: OnceCell<Arc<Watch>> = const { OnceCell::new() };
    }
    let timer = timer();
    let watch = MINE.try_with(|mine| mine.get_or_init(|| timer.new_watch()).clone()).ok();
    if let Some(watch) = &watch {
        let deadline = at.saturating_duration_since(timer.epoch).as_nanos();
        watch.deadline.store(u64::try_from(deadline).unwrap_or(u64::MAX), Ordering::Relaxed);
        watch.operation.store(operation, Ordering::Release);
        if !timer.ticking.swap(true, Ordering::AcqRel) {
            let _queue = timer.queue.lock().unwrap_or_else(PoisonError::into_inner);
            timer.changed.notify_one();
        }
    }
    Watching(watch)
}

/// See [`watch`].
pub(crate) struct Watching(Option<Arc<Watch>>);

impl Drop for Watching {
    fn drop(&mut self) {
        if let Some(watch) = &self.0 {
            watch.operation.store(0, Ordering::Release);
        }
    }
}

impl Timer {
    fn new_watch(&self) -> Arc<Watch> {
        let watch = Arc::new(Watch::default());
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // A watch that only this list still holds belongs to a thread that has ended.
        queue.watches.retain(|watch| Arc::strong_count(watch) > 1);
        queue.watches.push(watch.clone());
        watch
    }

    /// Operations whose deadline has passed.
    fn due(&self, queue: &mut Queue, now: Instant) -> Vec<u64> {
        let mut due = Vec::new();
        while let Some(&(at, operation)) = queue.deadlines.first() {
            if at > now {
                break;
            }
            queue.deadlines.pop_first();
            due.push(operation);
        }
        let now = u64::try_from(now.saturating_duration_since(self.epoch).as_nanos()).unwrap_or(u64::MAX);
        for watch in &queue.watches {
            let operation = watch.operation.load(Ordering::Acquire);
            if operation != 0 && watch.deadline.load(Ordering::Relaxed) <= now {
                // Reported once, unless the thread has gone on to another.
                let seen =
                    watch.operation.compare_exchange(operation, 0, Ordering::AcqRel, Ordering::Relaxed);
                due.extend(seen.ok());
            }
        }
        due
    }
}

/// Futures whose time has come.
fn awake(queue: &mut Queue, now: Instant) -> Vec<Waker> {
    let mut awake = Vec::new();
    while let Some(first) = queue.sleepers.first_entry() {
        if first.key().0 > now {
            break;
        }
        awake.push(first.remove());
    }
    awake
}

fn run(timer: &'static Timer) {
    let mut quiet_since = Instant::now();
    let mut queue = timer.queue.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let now = Instant::now();
        let due = timer.due(&mut queue, now);
        let awake = awake(&mut queue, now);
        if !due.is_empty() || !awake.is_empty() {
            drop(queue);
            due.into_iter().for_each(call::deadline);
            awake.into_iter().for_each(Waker::wake);
            queue = timer.queue.lock().unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        if queue.watches.iter().any(|watch| watch.operation.load(Ordering::Relaxed) != 0) {
            quiet_since = now;
        } else if now.duration_since(quiet_since) > LINGER {
            timer.ticking.store(false, Ordering::Release);
            // A call that began meanwhile saw `ticking` still set: look once more before sleeping.
            if queue.watches.iter().any(|watch| watch.operation.load(Ordering::Acquire) != 0) {
                timer.ticking.store(true, Ordering::Release);
            }
        }
        let tick = timer.ticking.load(Ordering::Acquire).then_some(TICK);
        let deadline = queue.deadlines.first().map(|(at, _)| *at);
        let sleeper = queue.sleepers.first_key_value().map(|((at, _), _)| *at);
        let next = deadline.into_iter().chain(sleeper).min().map(|at| at.saturating_duration_since(now));
        let wait = match (tick, next) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        queue = match wait {
            Some(wait) => timer.changed.wait_timeout(queue, wait).unwrap_or_else(PoisonError::into_inner).0,
            None => timer.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
        };
        if wait.is_none() {
            quiet_since = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_ends_at_its_time_and_a_dropped_one_is_forgotten() {
        let begun = Instant::now();
        let long = Duration::from_secs(3600);
        let mut given_up = sleep_until(begun + long);
        let key = given_up.key;
        let waker = Waker::noop();
        assert!(Pin::new(&mut given_up).poll(&mut Context::from_waker(waker)).is_pending());
        assert!(timer().queue.lock().unwrap().sleepers.contains_key(&key));
        let wanted = Duration::from_millis(30);
        pollster::block_on(sleep_until(begun + wanted));
        assert!(begun.elapsed() >= wanted && begun.elapsed() < long);
        drop(given_up);
        assert!(!timer().queue.lock().unwrap().sleepers.contains_key(&key));
    }
}
