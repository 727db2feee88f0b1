//! A persistent team of threads: parked while idle, spinning only inside a solve.
//!
//! The calling thread is member 0 of the team, so a pool of one thread starts none. A wait ends early when
//! a member panics, or when the watchdog sees that nobody makes progress; then all members leave the run. A
//! panic reaches the caller.

use std::any::Any;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::executor::lock;

/// Tries of a waiting thread before it begins to give its processor away, and between two looks of the
/// watchdog: each of those costs about as much as a few tries.
const SPINS: u32 = 100;

/// More than this is taken for a typing error in SPTRSV_NUM_THREADS.
const MOST_THREADS: usize = 1024;

/// What every member runs, with its lifetime forgotten.
type Task = *const (dyn Fn(&Member) -> Finished + Sync);

/// A wait was ended before what it waited for came: the run's result is not to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenUp;

/// What a member's part, and a run, end with.
pub type Finished = Result<(), GivenUp>;

/// Threads that solve together.
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    /// One run at a time.
    running: Mutex<()>,
    /// The process that has the workers. A child of it has copies of everything else.
    process: u32,
}

struct Shared {
    state: Mutex<State>,
    start: Condvar,
    finish: Condvar,
    barrier: Barrier,
    /// By rank, how much each member has done.
    progress: Box<[Progress]>,
    /// A member has panicked or given up: nobody may wait for it any longer.
    halted: AtomicBool,
}

/// On a cache line of its own: its member writes to it all the time.
#[repr(align(128))]
#[derive(Default)]
struct Progress(AtomicU32);

struct State {
    /// Rises by one with each run.
    run: u64,
    /// The team of this run, and what it does.
    team: u32,
    task: Option<Task>,
    limit: Duration,
    /// Workers that have not finished this run.
    busy: u32,
    panic: Option<Box<dyn Any + Send>>,
    shutdown: bool,
}

// SAFETY: `task` points to a `Sync` closure, and is followed only while `Pool::run`, which owns a borrow
// of that closure, waits for the workers.
unsafe impl Send for State {}

/// On cache lines of its own: its words are written by all members.
#[repr(align(128))]
struct Barrier {
    arrived: AtomicU32,
    generation: AtomicU32,
}

/// One thread's part in a run.
pub struct Member<'a> {
    /// From 0 to `team - 1`.
    pub rank: u32,
    pub team: u32,
    /// The watchdog's time; zero is off.
    limit: Duration,
    shared: &'a Shared,
}

/// What the watchdog of one wait remembers between two checks: everybody's progress and the time at the
/// last one, and for how long there has been none.
struct LastProgress {
    progress: u32,
    at: Instant,
    idle: Duration,
}

/// SPTRSV_NUM_THREADS, else the number of processors that this process may use.
pub fn default_threads() -> usize {
    let wanted = std::env::var("SPTRSV_NUM_THREADS").ok().and_then(|text| text.trim().parse().ok());
    match wanted {
        Some(threads) if (1..=MOST_THREADS).contains(&threads) => threads,
        _ => std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS),
    }
}

impl Pool {
    /// A team of `threads` (at least one), the caller of [`Pool::run`] among them; fewer where the system
    /// has no more to give.
    pub fn new(threads: usize) -> Pool {
        let threads = threads.clamp(1, MOST_THREADS);
        let state = State {
            run: 0,
            team: 1,
            task: None,
            limit: Duration::ZERO,
            busy: 0,
            panic: None,
            shutdown: false,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            start: Condvar::new(),
            finish: Condvar::new(),
            barrier: Barrier { arrived: AtomicU32::new(0), generation: AtomicU32::new(0) },
            progress: (0..threads).map(|_| Progress::default()).collect(),
            halted: AtomicBool::new(false),
        });
        let spawn = |rank: u32| {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().name("sptrsv".into()).spawn(move || work(&shared, rank)).ok()
        };
        let workers = (1..threads as u32).map_while(spawn).collect();
        Pool { shared, workers, running: Mutex::new(()), process: std::process::id() }
    }

    pub fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Whether this is a child of the process that has the workers, after a fork.
    fn is_copy(&self) -> bool {
        std::process::id() != self.process
    }

    /// How many members a run has: in a child of the process the calling thread alone.
    pub fn team(&self) -> u32 {
        if self.is_copy() {
            1
        } else {
            self.threads() as u32
        }
    }

    /// Runs `task` once on every member, and returns when all have finished. In a child of the process the calling
    /// thread is the only member. A wait in which nobody makes progress for `limit` (zero: no limit) is given up, and
    /// so is the run. Allocates nothing.
    pub fn run(&self, limit: Duration, task: impl Fn(&Member) -> Finished + Sync) -> Finished {
        let (is_copy, team) = (self.is_copy(), self.team());
        let shared = &*self.shared;
        let me = Member { rank: 0, team, limit, shared };
        // In a child nobody else runs, but a thread of the parent's may have been running at the fork.
        let _one_run = (!is_copy).then(|| lock(&self.running));
        shared.halted.store(false, Ordering::Relaxed);
        if team == 1 {
            return task(&me);
        }
        shared.barrier.arrived.store(0, Ordering::Relaxed);
        let erased: *const (dyn Fn(&Member) -> Finished + Sync + '_) = &task;
        // SAFETY: only the lifetime changes, and no worker follows the pointer after the wait for `busy`
        // to become 0 below, which nothing leaves early: the caller's own part catches its panic.
        let erased =
            unsafe { std::mem::transmute::<*const (dyn Fn(&Member) -> Finished + Sync + '_), Task>(erased) };
        {
            let mut state = lock(&shared.state);
            state.run += 1;
            state.team = team;
            state.limit = limit;
            state.busy = team - 1;
            state.task = Some(erased);
            shared.start.notify_all();
        }
        let own = me.take_part(&task);
        let mut state = lock(&shared.state);
        // Ends: a part either works or is in a wait, which ends by its watchdog. Nothing may leave earlier,
        // because the parts use the closure.
        while state.busy > 0 {
            state = shared.finish.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.task = None;
        let others = state.panic.take();
        drop(state);
        if let Some(panic) = others.or(own) {
            resume_unwind(panic);
        }
        if shared.halted.load(Ordering::Relaxed) {
            return Err(GivenUp);
        }
        Ok(())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.is_copy() {
            // There is nobody to be waited for.
            self.workers.drain(..).for_each(std::mem::forget);
            return;
        }
        lock(&self.shared.state).shutdown = true;
        self.shared.start.notify_all();
        for worker in self.workers.drain(..) {
            // A worker catches every panic of its tasks, so there is no result to look at.
            let _ = worker.join();
        }
    }
}

/// A worker's life: wait for a run, take part, report.
fn work(shared: &Shared, rank: u32) {
    let mut done = 0;
    loop {
        let mut state = lock(&shared.state);
        while state.run == done && !state.shutdown {
            state = shared.start.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.shutdown {
            return;
        }
        done = state.run;
        let (team, task, limit) = (state.team, state.task, state.limit);
        drop(state);
        let panic = task.and_then(|task| {
            // SAFETY: `Pool::run` keeps the closure alive until `busy` is 0, which needs this worker.
            Member { rank, team, limit, shared }.take_part(unsafe { &*task })
        });
        let mut state = lock(&shared.state);
        state.busy -= 1;
        if panic.is_some() && state.panic.is_none() {
            state.panic = panic;
        }
        if state.busy == 0 {
            shared.finish.notify_one();
        }
    }
}

impl Member<'_> {
    fn take_part(&self, task: &(dyn Fn(&Member) -> Finished + Sync)) -> Option<Box<dyn Any + Send>> {
        let result = catch_unwind(AssertUnwindSafe(|| task(self)));
        if !matches!(result, Ok(Ok(()))) {
            self.shared.halted.store(true, Ordering::Release);
        }
        result.err()
    }

    /// This member's even share of `begin..end`.
    pub fn share(&self, begin: u32, end: u32) -> std::ops::Range<u32> {
        let cut =
            |rank: u32| begin + (u64::from(end - begin) * u64::from(rank) / u64::from(self.team)) as u32;
        cut(self.rank)..cut(self.rank + 1)
    }

    /// Tells the watchdogs of all members that this one has done a piece of work.
    #[inline(always)]
    pub fn progress(&self) {
        let own = &self.shared.progress[self.rank as usize].0;
        own.store(own.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// Waits until all members have come here; what each wrote before, all see after.
    pub fn barrier(&self) -> Finished {
        if self.team == 1 {
            return Ok(());
        }
        let barrier = &self.shared.barrier;
        // Nobody can move the generation on before this member has arrived.
        let generation = barrier.generation.load(Ordering::Relaxed);
        if barrier.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.team {
            barrier.arrived.store(0, Ordering::Relaxed);
            barrier.generation.store(generation.wrapping_add(1), Ordering::Release);
            return Ok(());
        }
        // Ends when the last member has arrived, or by the watchdog.
        self.wait_until(|| barrier.generation.load(Ordering::Acquire) != generation)
    }

    /// Spins until `ready`, until a member has panicked or given up, or until nobody has made progress for
    /// the limit. After a while each try gives the processor away, since the thread waited for may need it.
    #[inline]
    pub fn wait_until(&self, ready: impl Fn() -> bool) -> Finished {
        for _ in 0..SPINS {
            if ready() {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        self.wait_long(&ready)
    }

    #[cold]
    fn wait_long(&self, ready: &dyn Fn() -> bool) -> Finished {
        let mut last =
            LastProgress { progress: self.all_progress(), at: Instant::now(), idle: Duration::ZERO };
        loop {
            for _ in 0..SPINS {
                if ready() {
                    return Ok(());
                }
                if self.shared.halted.load(Ordering::Acquire) {
                    return Err(GivenUp);
                }
                std::thread::yield_now();
            }
            if self.limit > Duration::ZERO && self.is_stuck(&mut last) {
                return Err(GivenUp);
            }
        }
    }

    /// Whether the limit has passed without progress. Time between two checks counts as a quarter of the
    /// limit at most, so that nothing is given up because the whole process was stopped for a while.
    fn is_stuck(&self, last: &mut LastProgress) -> bool {
        let (progress, now) = (self.all_progress(), Instant::now());
        if progress != last.progress {
            *last = LastProgress { progress, at: now, idle: Duration::ZERO };
            return false;
        }
        let most = (self.limit / 4).max(Duration::from_nanos(1));
        last.idle += (now - last.at).min(most);
        last.at = now;
        last.idle >= self.limit
    }

    /// A number that changes when any member makes progress.
    fn all_progress(&self) -> u32 {
        self.shared.progress.iter().fold(0, |sum, p| sum.wrapping_add(p.0.load(Ordering::Relaxed)))
    }
}

#[cfg(test)]
mod tests;
