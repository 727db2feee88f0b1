//! Checks the pool of the host executor by a model: loom runs each of these short programs in all orders of its threads, with up to
//! a few preemptions, and in all ways that the memory model of C11 allows. Accesses of `Shared` that are not ordered are an error.
//!
//! The pool is the one of `src/executor/host/pool.rs`, with loom's threads and atomics for those of the system (`build.rs`). Time goes
//! on by a second with each look at the clock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use loom::cell::UnsafeCell;
use loom::sync::atomic::AtomicU32;
use loom::sync::{Mutex, MutexGuard};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

mod clock {
    use super::{AtomicU64, Duration, Ordering};
    use std::ops::Sub;

    static SECONDS: AtomicU64 = AtomicU64::new(0);

    #[derive(Clone, Copy)]
    pub struct Instant(u64);

    impl Instant {
        pub fn now() -> Instant {
            Instant(SECONDS.fetch_add(1, Ordering::Relaxed))
        }
    }
    impl Sub for Instant {
        type Output = Duration;
        fn sub(self, earlier: Instant) -> Duration {
            Duration::from_secs(self.0 - earlier.0)
        }
    }
}

#[allow(dead_code)]
mod pool {
    include!(concat!(env!("OUT_DIR"), "/pool.rs"));
}
use pool::{GivenUp, Pool};

/// No watchdog; or one that ends a wait after some looks.
const NEVER: Duration = Duration::ZERO;
const SOON: Duration = Duration::from_secs(4);

/// A plain word that several threads use, one at a time. An access that is not ordered behind the others ends the model.
struct Shared(UnsafeCell<u32>);

// SAFETY: what this promises is what the model checks.
unsafe impl Sync for Shared {}

impl Shared {
    fn new() -> Shared {
        Shared(UnsafeCell::new(0))
    }
    fn get(&self) -> u32 {
        // SAFETY: as above; an access that is not ordered ends the model.
        self.0.with(|word| unsafe { *word })
    }
    fn set(&self, value: u32) {
        // SAFETY: as above; an access that is not ordered ends the model.
        self.0.with_mut(|word| unsafe { *word = value });
    }
}

/// In all orders with so many preemptions.
fn check(preemptions: usize, program: fn()) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.max_branches = 100_000; // of one order: waits take many
    model.check(program);
}

/// What a member writes before a barrier, all see behind it, also behind the next one.
#[test]
fn barriers_order_what_is_written() {
    check(4, || {
        let pool = Pool::new(2);
        let words = [Shared::new(), Shared::new()];
        let finished = pool.run(NEVER, |me| {
            let (own, other) = (me.rank as usize, 1 - me.rank as usize);
            words[own].set(1);
            me.barrier()?;
            assert_eq!(words[other].get(), 1);
            me.barrier()?;
            words[other].set(2);
            Ok(())
        });
        assert_eq!(finished, Ok(()));
        // The end of a run orders it as well.
        assert_eq!((words[0].get(), words[1].get()), (2, 2));
    });
}

#[test]
fn a_barrier_of_three_waits_for_all() {
    check(0, || {
        let pool = Pool::new(3);
        let arrived = AtomicU32::new(0);
        let finished = pool.run(NEVER, |me| {
            arrived.fetch_add(1, loom::sync::atomic::Ordering::Relaxed);
            me.barrier()?;
            assert_eq!(arrived.load(loom::sync::atomic::Ordering::Relaxed), 3);
            Ok(())
        });
        assert_eq!(finished, Ok(()));
    });
}

/// A counter that is lowered with release and polled with acquire, as those of rows are.
#[test]
fn a_counter_orders_its_payload() {
    check(4, || {
        let pool = Pool::new(2);
        let (word, count) = (Shared::new(), AtomicU32::new(1));
        let finished = pool.run(NEVER, |me| {
            if me.rank == 1 {
                word.set(7);
                count.fetch_sub(1, loom::sync::atomic::Ordering::Release);
                return Ok(());
            }
            me.wait_until(|| count.load(loom::sync::atomic::Ordering::Acquire) == 0)?;
            assert_eq!(word.get(), 7);
            Ok(())
        });
        assert_eq!(finished, Ok(()));
    });
}

/// A run sees all of the one before, whichever member wrote it.
#[test]
fn runs_follow_each_other() {
    check(4, || {
        let pool = Pool::new(2);
        let word = Shared::new();
        for run in 0..2 {
            let finished = pool.run(NEVER, |me| {
                if me.rank == run {
                    word.set(word.get() + 1);
                }
                Ok(())
            });
            assert_eq!(finished, Ok(()));
        }
        assert_eq!(word.get(), 2);
    });
}

/// Two threads with one pool take turns.
#[test]
fn callers_take_turns() {
    check(2, || {
        let pool = loom::sync::Arc::new(Pool::new(2));
        let word = loom::sync::Arc::new(Shared::new());
        let add = |pool: &Pool, word: &Shared| {
            let finished = pool.run(NEVER, |me| {
                if me.rank == 1 {
                    word.set(word.get() + 1);
                }
                Ok(())
            });
            assert_eq!(finished, Ok(()));
        };
        let (its_pool, its_word) = (pool.clone(), word.clone());
        let other = loom::thread::spawn(move || add(&its_pool, &its_word));
        add(&pool, &word);
        other.join().expect("the other caller is done");
        assert_eq!(word.get(), 2);
    });
}

/// Waits for nothing are given up by all members, and the pool is as good as before: its next barrier waits for all.
#[test]
fn the_watchdog_ends_a_run() {
    check(4, || {
        let pool = Pool::new(2);
        let finished = pool.run(SOON, |me| if me.rank == 0 { Ok(()) } else { me.barrier() });
        assert_eq!(finished, Err(GivenUp));
        let words = [Shared::new(), Shared::new()];
        let finished = pool.run(NEVER, |me| {
            words[me.rank as usize].set(1);
            me.barrier()?;
            assert_eq!(words[1 - me.rank as usize].get(), 1);
            Ok(())
        });
        assert_eq!(finished, Ok(()));
    });
}

/// Where a member has given up, the others do not wait for it, also without a watchdog of their own.
#[test]
fn nobody_waits_for_who_has_given_up() {
    check(4, || {
        let pool = Pool::new(2);
        let finished = pool.run(NEVER, |me| if me.rank == 1 { Err(GivenUp) } else { me.barrier() });
        assert_eq!(finished, Err(GivenUp));
    });
}

/// The model sees what is not ordered: without the barrier the same program is wrong.
#[test]
#[should_panic(expected = "Causality violation")]
fn without_a_barrier_it_is_found() {
    check(4, || {
        let pool = Pool::new(2);
        let word = Shared::new();
        let _ = pool.run(NEVER, |me| {
            if me.rank == 0 {
                word.set(1);
            } else {
                word.get();
            }
            Ok(())
        });
    });
}
