//! A persistent team of threads: parked while idle, spinning only inside a solve.
//!
//! The calling thread is member 0 of the team, so a pool of one thread starts none and waits for
//! nothing. A member that panics releases all others from their waits, and the panic reaches the caller.

use std::any::Any;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Tries of a waiting thread before it begins to give its processor away.
const SPINS: u32 = 100;

/// More than this is taken for a typing error in SPTRSV_NUM_THREADS.
const MOST_THREADS: usize = 1024;

/// What every member runs, with its lifetime forgotten.
type Task = *const (dyn Fn(&Member) + Sync);

/// Threads that solve together.
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    /// One run at a time.
    running: Mutex<()>,
}

struct Shared {
    state: Mutex<State>,
    start: Condvar,
    finish: Condvar,
    barrier: Barrier,
    /// A member has panicked: nobody may wait for it any longer.
    broken: AtomicBool,
}

struct State {
    /// Rises by one with each run.
    run: u64,
    /// The team of this run, and what it does.
    team: u32,
    task: Option<Task>,
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
    shared: &'a Shared,
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
        let state = State { run: 0, team: 1, task: None, busy: 0, panic: None, shutdown: false };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            start: Condvar::new(),
            finish: Condvar::new(),
            barrier: Barrier { arrived: AtomicU32::new(0), generation: AtomicU32::new(0) },
            broken: AtomicBool::new(false),
        });
        let spawn = |rank: u32| {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().name("sptrsv".into()).spawn(move || work(&shared, rank)).ok()
        };
        let workers = (1..threads.clamp(1, MOST_THREADS) as u32).map_while(spawn).collect();
        Pool { shared, workers, running: Mutex::new(()) }
    }

    pub fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Runs `task` once on every member, and returns when all have finished. Allocates nothing.
    pub fn run(&self, task: impl Fn(&Member) + Sync) {
        let team = self.threads() as u32;
        let shared = &*self.shared;
        let me = Member { rank: 0, team, shared };
        let _one_run = lock(&self.running);
        if team == 1 {
            return task(&me);
        }
        shared.broken.store(false, Ordering::Relaxed);
        shared.barrier.arrived.store(0, Ordering::Relaxed);
        let erased: *const (dyn Fn(&Member) + Sync + '_) = &task;
        // SAFETY: only the lifetime changes, and no worker follows the pointer after the wait for `busy`
        // to become 0 below, which nothing leaves early: the caller's own part catches its panic.
        let erased = unsafe { std::mem::transmute::<*const (dyn Fn(&Member) + Sync + '_), Task>(erased) };
        {
            let mut state = lock(&shared.state);
            state.run += 1;
            state.team = team;
            state.busy = team - 1;
            state.task = Some(erased);
            shared.start.notify_all();
        }
        let own = me.take_part(&task);
        let mut state = lock(&shared.state);
        while state.busy > 0 {
            state = shared.finish.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.task = None;
        let others = state.panic.take();
        drop(state);
        if let Some(panic) = others.or(own) {
            resume_unwind(panic);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
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
        let (team, task) = (state.team, state.task);
        drop(state);
        let panic = task.and_then(|task| {
            // SAFETY: `Pool::run` keeps the closure alive until `busy` is 0, which needs this worker.
            Member { rank, team, shared }.take_part(unsafe { &*task })
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

/// No state here is left half-changed by a panic, so a poisoned lock is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Member<'_> {
    fn take_part(&self, task: &(dyn Fn(&Member) + Sync)) -> Option<Box<dyn Any + Send>> {
        let result = catch_unwind(AssertUnwindSafe(|| task(self)));
        if result.is_err() {
            self.shared.broken.store(true, Ordering::Release);
        }
        result.err()
    }

    /// This member's even share of `begin..end`.
    pub fn share(&self, begin: u32, end: u32) -> std::ops::Range<u32> {
        let cut =
            |rank: u32| begin + (u64::from(end - begin) * u64::from(rank) / u64::from(self.team)) as u32;
        cut(self.rank)..cut(self.rank + 1)
    }

    /// Waits until all members have come here; what each wrote before, all see after.
    pub fn barrier(&self) {
        if self.team == 1 {
            return;
        }
        let barrier = &self.shared.barrier;
        // Nobody can move the generation on before this member has arrived.
        let generation = barrier.generation.load(Ordering::Relaxed);
        if barrier.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.team {
            barrier.arrived.store(0, Ordering::Relaxed);
            barrier.generation.store(generation.wrapping_add(1), Ordering::Release);
        } else {
            // Ends when the last member has arrived.
            self.wait_until(|| barrier.generation.load(Ordering::Acquire) != generation);
        }
    }

    /// Spins until `ready`, or until a member has panicked; that panic then ends this member's part too.
    /// After a while each try gives the processor away, since the thread waited for may need it.
    #[inline]
    pub fn wait_until(&self, ready: impl Fn() -> bool) {
        let mut tries = 0;
        while !ready() {
            if tries < SPINS {
                tries += 1;
                std::hint::spin_loop();
            } else if self.shared.broken.load(Ordering::Acquire) {
                panic!("another thread of the pool has panicked");
            } else {
                std::thread::yield_now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_runs_once() {
        for threads in [0, 1, 2, 5] {
            let pool = Pool::new(threads);
            assert_eq!(pool.threads(), threads.max(1));
            for _ in 0..50 {
                let ranks = AtomicU32::new(0);
                pool.run(|me| {
                    assert_eq!(me.team as usize, threads.max(1));
                    ranks.fetch_add(1 << (4 * me.rank), Ordering::Relaxed);
                });
                assert_eq!(ranks.into_inner(), (0..threads.max(1)).map(|r| 1 << (4 * r)).sum());
            }
        }
    }

    #[test]
    fn barriers_part_phases() {
        let pool = Pool::new(4);
        let arrived = AtomicU32::new(0);
        pool.run(|me| {
            for phase in 1..=200 {
                arrived.fetch_add(1, Ordering::Relaxed);
                me.barrier();
                assert_eq!(arrived.load(Ordering::Relaxed), 4 * phase);
                me.barrier();
            }
        });
    }

    #[test]
    fn shares_cover_the_range() {
        let pool = Pool::new(3);
        for (begin, end) in [(0, 0), (5, 6), (7, 17), (0, u32::MAX)] {
            let sum = std::sync::atomic::AtomicU64::new(0);
            pool.run(|me| {
                let share = me.share(begin, end);
                sum.fetch_add(u64::from(share.end - share.start), Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), u64::from(end - begin));
        }
    }

    #[test]
    fn a_panic_reaches_the_caller_and_leaves_the_pool_usable() {
        let pool = Pool::new(3);
        for culprit in 0..3 {
            let result = catch_unwind(AssertUnwindSafe(|| {
                pool.run(|me| {
                    assert!(me.rank != culprit, "on purpose");
                    me.barrier();
                });
            }));
            assert!(result.is_err());
            let count = AtomicU32::new(0);
            pool.run(|me| {
                me.barrier();
                count.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(count.into_inner(), 3);
        }
    }

    #[test]
    fn concurrent_callers_take_turns() {
        let pool = Pool::new(2);
        let count = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        pool.run(|me| {
                            me.barrier();
                            count.fetch_add(1, Ordering::Relaxed);
                        });
                    }
                });
            }
        });
        assert_eq!(count.into_inner(), 160);
    }
}
