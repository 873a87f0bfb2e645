//! The numbered operations under way, of all plugins: who waits for them, and how they ended.
//!
//! A number names a slot and a generation. Slots are never freed and a generation is never used twice, so whatever
//! a plugin says about a number, at whatever time, is either about the operation it was given for or about none.

use crate::library::{ForeignBuf, Handle};
use crate::plugin::Loaded;
use crate::policy::Turn;
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    task::Waker,
};

/// Updates that may wait for a reader; beyond it the oldest give way.
const UPDATES: usize = 32;
/// Bytes of updates that may wait for a reader.
const UPDATE_BYTES: usize = 1 << 20;

/// How a plugin ended an operation.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) kind: u32,
    pub(crate) body: ForeignBuf,
    pub(crate) first_poll_ns: u64,
    pub(crate) finished_on_first_poll: bool,
}

/// One operation.
pub(crate) struct Operation {
    pub(crate) plugin: &'static Loaded,
    /// Set while a registration runs: it takes tools.
    pub(crate) registration: bool,
    pub(crate) ending: Option<Ending>,
    /// The plugin has completed it, whether or not anybody has taken the ending yet.
    pub(crate) completed: bool,
    pub(crate) waker: Option<Waker>,
    pub(crate) cancelled: bool,
    /// The deadline has passed.
    pub(crate) late: bool,
    /// The plugin is being shut down.
    pub(crate) closed: bool,
    /// What the plugin gave for it, until it is released. Who takes it from here releases it.
    pub(crate) handle: Option<Handle>,
    /// The function that starts it has not returned.
    pub(crate) starting: bool,
    /// Still running on the thread it was lent, beyond its deadline.
    pub(crate) stuck: bool,
    /// The turn that a session's call belongs to. Whoever waits holds it too, so it is not dropped here.
    pub(crate) turn: Option<Arc<Turn>>,
    /// The host has stopped waiting.
    abandoned: bool,
    updates: Updates,
}

/// Updates that wait for a reader. On the heap, since most calls have none.
pub(crate) type Updates = Option<Box<VecDeque<String>>>;

/// What the caller of an operation finds when it looks.
pub(crate) enum Look {
    /// The plugin has completed it. The number is done, and whatever was there is the caller's now.
    Over { ending: Ending, handle: Option<Handle>, updates: Updates, late: bool, stuck: bool },
    /// It is under way; the waker is woken when there is something to see.
    Running { updates: Updates, closed: bool, late: bool },
    /// The number is no operation's any more.
    Gone,
}

/// What became of a completion.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Completed {
    /// It was waited for.
    Accepted,
    /// Nobody waits any more; the slot is free now.
    Abandoned,
    /// The operation is over, was never begun, or is another plugin's.
    Unknown,
}

/// What became of an update.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    Queued,
    Coalesced,
    Closed,
}

#[derive(Default)]
struct Slot(Mutex<Generation>);

#[derive(Default)]
struct Generation {
    number: u32,
    /// The shard it goes back to, whichever thread ends the operation: the one that it is looked for in.
    home: usize,
    operation: Option<Operation>,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Generation> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const FIRST_CHUNK: u32 = 64;
const CHUNKS: usize = 26;
const SHARDS: usize = 16;

static CHUNK: [OnceLock<Box<[Slot]>>; CHUNKS] = [const { OnceLock::new() }; CHUNKS];
static NEXT: AtomicU32 = AtomicU32::new(0);
/// Free slots, spread so that threads rarely meet.
static FREE: [Shard; SHARDS] = [const { Shard(Mutex::new(Vec::new())) }; SHARDS];

/// On a cache line of its own.
#[repr(align(128))]
struct Shard(Mutex<Vec<u32>>);

fn shard() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static MINE: usize = THREADS.fetch_add(1, Ordering::Relaxed) % SHARDS;
    }
    MINE.try_with(|mine| *mine).unwrap_or(0)
}

fn free(shard: usize) -> MutexGuard<'static, Vec<u32>> {
    FREE[shard % SHARDS].0.lock().unwrap_or_else(PoisonError::into_inner)
}

fn slot(index: u32) -> Option<&'static Slot> {
    // Chunk k holds 64 * 2^k slots, beginning at index 64 * (2^k - 1).
    let group = index / FIRST_CHUNK + 1;
    let chunk = group.ilog2();
    let offset = index - FIRST_CHUNK * ((1 << chunk) - 1);
    CHUNK.get(chunk as usize)?.get()?.get(offset as usize)
}

fn new_slot() -> (u32, &'static Slot) {
    loop {
        let index = NEXT.fetch_add(1, Ordering::Relaxed);
        let chunk = (index / FIRST_CHUNK + 1).ilog2();
        if let Some(cell) = CHUNK.get(chunk as usize) {
            cell.get_or_init(|| (0..FIRST_CHUNK << chunk).map(|_| Slot::default()).collect());
        }
        if let Some(slot) = slot(index) {
            return (index, slot);
        }
        // More than four thousand million operations at once: wait for the counter to come round to a chunk.
        std::thread::yield_now();
    }
}

/// Begins an operation and returns its number.
pub(crate) fn open(plugin: &'static Loaded, registration: bool) -> u64 {
    let home = shard();
    let known = free(home).pop();
    let (index, slot) = match known.and_then(|index| Some((index, slot(index)?))) {
        Some(found) => found,
        None => new_slot(),
    };
    let mut generation = slot.lock();
    generation.number = generation.number.wrapping_add(1).max(1);
    generation.home = home;
    // A free slot holds none, and the compiler need not see to dropping one.
    generation.operation.get_or_insert_with(|| Operation {
        plugin,
        registration,
        ending: None,
        completed: false,
        waker: None,
        cancelled: false,
        late: false,
        closed: false,
        handle: None,
        starting: true,
        stuck: false,
        turn: None,
        abandoned: false,
        updates: None,
    });
    u64::from(generation.number) << 32 | u64::from(index)
}

/// Looks at an operation that is under way. Nothing foreign may be called, or dropped, inside.
pub(crate) fn with<T>(number: u64, look: impl FnOnce(&mut Operation) -> T) -> Option<T> {
    let mut generation = slot(number as u32)?.lock();
    if u64::from(generation.number) != number >> 32 {
        return None;
    }
    generation.operation.as_mut().map(look)
}

/// Ends an operation that its caller has seen the end of.
pub(crate) fn close(number: u64) {
    let taken = slot(number as u32).and_then(|slot| {
        let mut generation = slot.lock();
        if u64::from(generation.number) != number >> 32 {
            return None;
        }
        Some((generation.operation.take()?, generation.home))
    });
    if let Some((_operation, home)) = taken {
        free(home).push(number as u32);
    }
}

/// Looks for whoever waits, and ends the operation if the plugin has completed it.
pub(crate) fn look(number: u64, waker: &Waker) -> Look {
    let Some(slot) = slot(number as u32) else { return Look::Gone };
    let mut guard = slot.lock();
    let generation = &mut *guard;
    let current = u64::from(generation.number) == number >> 32;
    let Some(operation) = generation.operation.as_mut().filter(|_| current) else { return Look::Gone };
    let (updates, late) = (operation.take_updates(), operation.late);
    let Some(ending) = operation.ending.take() else {
        let closed = operation.closed;
        let before = operation.waker.replace(waker.clone());
        drop(guard);
        drop(before);
        return Look::Running { updates, closed, late };
    };
    let (handle, waker, stuck) = (operation.handle.take(), operation.waker.take(), operation.stuck);
    generation.operation = None;
    let home = generation.home;
    drop(guard);
    drop(waker);
    free(home).push(number as u32);
    Look::Over { ending, handle, updates, late, stuck }
}

/// The host stops waiting. The slot stays taken until the plugin completes. False if it already has.
pub(crate) fn abandon(number: u64) -> bool {
    let abandoned = with(number, |operation| {
        operation.abandoned = !operation.completed;
        operation.cancelled = true;
        (operation.abandoned, operation.waker.take(), operation.take_updates())
    });
    let Some((abandoned, _waker, _updates)) = abandoned else { return false };
    if !abandoned {
        close(number);
    }
    abandoned
}

/// The operations of one plugin that are under way or abandoned.
pub(crate) fn of_plugin(plugin: &'static Loaded) -> Vec<u64> {
    let slots = CHUNK.iter().filter_map(OnceLock::get).flat_map(|chunk| chunk.iter()).zip(0_u64..);
    slots
        .filter_map(|(slot, index)| {
            let generation = slot.lock();
            let operation = generation.operation.as_ref()?;
            std::ptr::eq(operation.plugin, plugin).then_some(u64::from(generation.number) << 32 | index)
        })
        .collect()
}

/// The plugin says how it ended. The body of a completion that nobody waits for is freed.
pub(crate) fn complete(number: u64, plugin: &'static Loaded, ending: Ending) -> Completed {
    let mut ending = Some(ending);
    let outcome = with(number, |operation| {
        if !std::ptr::eq(operation.plugin, plugin) || operation.completed {
            return (Completed::Unknown, None);
        }
        if operation.abandoned {
            return (Completed::Abandoned, None);
        }
        operation.ending = ending.take();
        operation.completed = true;
        (Completed::Accepted, operation.waker.take())
    });
    let Some((outcome, waker)) = outcome else { return Completed::Unknown };
    if outcome == Completed::Abandoned {
        close(number);
    }
    if let Some(waker) = waker {
        waker.wake();
    }
    outcome
}

/// A partial result.
pub(crate) fn update(number: u64, plugin: &'static Loaded, update: String) -> Delivery {
    let delivered = with(number, |operation| {
        let closed = operation.cancelled || operation.completed || operation.registration;
        if closed || !std::ptr::eq(operation.plugin, plugin) {
            return (Delivery::Closed, Vec::new(), None);
        }
        let mut dropped = Vec::new();
        let waiting = operation.updates.get_or_insert_default();
        let mut bytes: usize = waiting.iter().map(String::len).sum();
        while waiting.len() >= UPDATES || bytes + update.len() > UPDATE_BYTES {
            // One that is too large by itself waits alone.
            let Some(oldest) = waiting.pop_front() else { break };
            bytes -= oldest.len();
            dropped.push(oldest);
        }
        waiting.push_back(update);
        let delivery = if dropped.is_empty() { Delivery::Queued } else { Delivery::Coalesced };
        (delivery, dropped, operation.waker.take())
    });
    let Some((delivery, _dropped, waker)) = delivered else { return Delivery::Closed };
    if let Some(waker) = waker {
        waker.wake();
    }
    delivery
}

impl Operation {
    /// Takes the updates that wait for a reader.
    pub(crate) fn take_updates(&mut self) -> Updates {
        self.updates.take()
    }
}
