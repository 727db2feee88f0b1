//! A team whose members run, wait, panic and give up.

use super::*;

/// Longer than any of these tests should take.
const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn every_member_runs_once() {
    for threads in [0, 1, 2, 5] {
        let pool = Pool::new(threads);
        assert_eq!(pool.threads(), threads.max(1));
        for _ in 0..50 {
            let ranks = AtomicU32::new(0);
            let finished = pool.run(LIMIT, |me| {
                assert_eq!(me.team as usize, threads.max(1));
                ranks.fetch_add(1 << (4 * me.rank), Ordering::Relaxed);
                Ok(())
            });
            assert_eq!(finished, Ok(()));
            assert_eq!(ranks.into_inner(), (0..threads.max(1)).map(|r| 1 << (4 * r)).sum());
        }
    }
}

#[test]
fn barriers_part_phases() {
    let pool = Pool::new(4);
    let arrived = AtomicU32::new(0);
    let finished = pool.run(LIMIT, |me| {
        for phase in 1..=200 {
            arrived.fetch_add(1, Ordering::Relaxed);
            me.barrier()?;
            assert_eq!(arrived.load(Ordering::Relaxed), 4 * phase);
            me.barrier()?;
        }
        Ok(())
    });
    assert_eq!(finished, Ok(()));
}

#[test]
fn shares_cover_the_range() {
    let pool = Pool::new(3);
    for (begin, end) in [(0, 0), (5, 6), (7, 17), (0, u32::MAX)] {
        let sum = std::sync::atomic::AtomicU64::new(0);
        let finished = pool.run(LIMIT, |me| {
            let share = me.share(begin, end);
            sum.fetch_add(u64::from(share.end - share.start), Ordering::Relaxed);
            Ok(())
        });
        assert_eq!(finished, Ok(()));
        assert_eq!(sum.into_inner(), u64::from(end - begin));
    }
}

#[test]
fn a_panic_reaches_the_caller_and_leaves_the_pool_usable() {
    let pool = Pool::new(3);
    for culprit in 0..3 {
        let result = catch_unwind(AssertUnwindSafe(|| {
            pool.run(LIMIT, |me| {
                assert!(me.rank != culprit, "on purpose");
                me.barrier()
            })
        }));
        assert!(result.is_err());
        works(&pool);
    }
}

/// A run in which all members meet.
fn works(pool: &Pool) {
    let count = AtomicU32::new(0);
    let finished = pool.run(LIMIT, |me| {
        me.barrier()?;
        count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    assert_eq!((finished, count.into_inner()), (Ok(()), pool.threads() as u32));
}

#[test]
fn a_wait_for_nothing_is_given_up() {
    for threads in [1, 3] {
        let pool = Pool::new(threads);
        let limit = Duration::from_millis(50);
        let start = Instant::now();
        assert_eq!(pool.run(limit, |me| me.wait_until(|| false)), Err(GivenUp));
        assert!(start.elapsed() >= limit);
        // One member waits in vain, and the others at a barrier for it; or one never comes there.
        let finished = pool.run(limit, |me| {
            if me.rank == 0 {
                me.wait_until(|| false)?;
            }
            me.barrier()
        });
        assert_eq!(finished, Err(GivenUp));
        let finished = pool.run(limit, |me| if me.rank == 0 { Ok(()) } else { me.barrier() });
        assert_eq!(finished, if threads == 1 { Ok(()) } else { Err(GivenUp) });
        works(&pool);
    }
}

/// A wait may take longer than the limit as long as somebody works.
#[test]
fn progress_keeps_a_long_wait_alive() {
    let pool = Pool::new(3);
    let limit = Duration::from_millis(400);
    let (done, start) = (AtomicBool::new(false), Instant::now());
    let finished = pool.run(limit, |me| {
        if me.rank == 1 {
            while start.elapsed() < 3 * limit {
                std::thread::sleep(limit / 20);
                me.progress();
            }
            done.store(true, Ordering::Release);
        }
        me.wait_until(|| done.load(Ordering::Acquire))
    });
    assert_eq!(finished, Ok(()));
}

#[test]
fn without_a_limit_a_wait_goes_on() {
    let pool = Pool::new(2);
    let done = AtomicBool::new(false);
    let finished = pool.run(Duration::ZERO, |me| {
        if me.rank == 1 {
            std::thread::sleep(Duration::from_millis(100));
            done.store(true, Ordering::Release);
        }
        me.wait_until(|| done.load(Ordering::Acquire))
    });
    assert_eq!(finished, Ok(()));
}

/// As it has no workers: they stay with the process that has started them.
#[test]
fn a_child_of_the_process_works_alone() {
    let pool = Pool::new(3);
    works(&pool);
    // SAFETY: the child runs what needs no other thread, and leaves.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        let seconds = LIMIT.as_secs() as libc::c_uint;
        // SAFETY: plain call; a child that hangs is ended by it.
        unsafe { libc::alarm(seconds) };
        let team = AtomicU32::new(0);
        let finished = pool.run(LIMIT, |me| {
            team.fetch_add(me.team, Ordering::Relaxed);
            me.barrier()
        });
        drop(pool);
        let good = finished == Ok(()) && team.into_inner() == 1;
        // SAFETY: plain call.
        unsafe { libc::_exit(!good as libc::c_int) };
    }
    let mut status = -1;
    // SAFETY: writes one number.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0, "the child's status");
    works(&pool);
}

#[test]
fn concurrent_callers_take_turns() {
    let pool = Pool::new(2);
    let count = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let finished = pool.run(LIMIT, |me| {
                        me.barrier()?;
                        count.fetch_add(1, Ordering::Relaxed);
                        Ok(())
                    });
                    assert_eq!(finished, Ok(()));
                }
            });
        }
    });
    assert_eq!(count.into_inner(), 160);
}
