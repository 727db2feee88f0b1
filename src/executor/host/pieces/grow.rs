//! Pieces of consecutive rows, and who solves them.
//!
//! The pieces are grown in the order in which the rows are solved, each up to a limit of work. Then a piece goes to the
//! thread on which it can begin earliest by a simulated clock, as in list scheduling (R. Graham, Bounds on
//! multiprocessing timing anomalies, 1969); the thread of the piece before it, if it is one of several, so that threads
//! read long stretches of memory. The clock knows when each thread has solved what it has, and that a piece of
//! another thread is seen a little later than it is solved.
//!
//! That work is taken in coarse pieces of the given order, for locality and few waits, is what GrowLocal does (T. Böhnlein
//! and others, Efficient Parallel Scheduling for Sparse Triangular Solvers, arXiv:2503.05408, 2025). Where GrowLocal has a
//! barrier after each round of pieces, here a piece waits for counts of solved pieces of other threads, and only where
//! the thread has not waited for as many before (J. Park and others, Sparsifying Synchronization for High-Performance
//! Shared-Memory Sparse Triangular Solver, 2014).
//!
//! Nothing can wait forever: every thread solves its pieces in the order in which the rows are solved, so that the first
//! piece that is not solved yet waits for nothing.
#![forbid(unsafe_code)]

use super::lists::in_order;
use crate::tuning::{
    HOST_PIECE_APART, HOST_PIECE_ENTRY, HOST_PIECE_IDLE, HOST_PIECE_LIMITS, HOST_PIECE_ROW, HOST_PIECE_SEEN,
};

/// Consecutive positions: the p-th unknown to be solved has position p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub begin: u32,
    pub end: u32,
    /// The first of its waits in [`Schedule::waits`]; the last is before the next piece's first.
    waits: u32,
}

/// How many pieces another thread must have solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    pub thread: u32,
    pub pieces: u32,
}

/// The pieces of all threads.
#[derive(Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The pieces of thread `t` are `of_thread[t]..of_thread[t + 1]`.
    of_thread: Vec<u32>,
    /// And one more, where the last waits end.
    pieces: Vec<Piece>,
    waits: Vec<Wait>,
    /// Time of a solve by the clock, and the sum of all work, in nanoseconds.
    pub predicted: u64,
    pub work: u64,
}

impl Schedule {
    /// Pieces for so many threads: coarse ones, or finer ones where threads would be idle for long and `may_be_worth` says that
    /// it makes sense. `dependencies` gives the unknowns that an unknown depends on.
    pub fn best<'a>(
        n: u32,
        threads: u32,
        forward: bool,
        dependencies: impl Fn(u32) -> &'a [u32],
        may_be_worth: impl FnMut() -> bool,
    ) -> Schedule {
        let mut may_be_worth = may_be_worth;
        let mut best: Option<Schedule> = None;
        for limit in HOST_PIECE_LIMITS {
            let schedule = Schedule::grow(n, threads, forward, limit, &dependencies);
            let is_busy =
                schedule.predicted * u64::from(threads) * (100 - HOST_PIECE_IDLE) <= schedule.work * 100;
            if best.as_ref().is_none_or(|best| schedule.predicted < best.predicted) {
                best = Some(schedule);
            }
            if is_busy || !may_be_worth() {
                break;
            }
        }
        best.expect("there is a limit")
    }

    /// Pieces of about `limit` nanoseconds at most, or of one row.
    pub fn grow<'a>(
        n: u32,
        threads: u32,
        forward: bool,
        limit: u64,
        dependencies: &impl Fn(u32) -> &'a [u32],
    ) -> Schedule {
        let mut team = Team::new(threads);
        let mut piece_of = vec![0u32; n as usize];
        let mut owners: Vec<Owner> = Vec::new();
        let mut piece = Growing::default();
        // The pieces that a row depends on, other than the growing one.
        let mut needed: Vec<u32> = Vec::new();
        for (p, i) in (0..n).zip(in_order(n, forward)) {
            let list = dependencies(i);
            let mut solved = team.first_free;
            let mut belongs = false;
            needed.clear();
            for &j in list {
                let position = if forward { j } else { n - 1 - j };
                if position >= piece.begin {
                    belongs = true;
                    continue;
                }
                let other = piece_of[j as usize];
                if needed.last() != Some(&other) {
                    needed.push(other);
                    solved = solved.max(owners[other as usize].solved);
                }
            }
            if p > piece.begin && piece.ends_before(solved, belongs) {
                if belongs {
                    needed.push(owners.len() as u32);
                }
                owners.push(team.take(piece, p));
                piece = Growing { begin: p, ..Growing::default() };
                solved = needed.iter().map(|&other| owners[other as usize].solved).fold(0, u64::max);
            }
            for &other in &needed {
                let owner = owners[other as usize];
                team.need(owner.thread, owner.number);
            }
            piece_of[i as usize] = owners.len() as u32;
            piece.ready = piece.ready.max(solved).max(team.first_free);
            piece.cost += HOST_PIECE_ROW + list.len() as u64 * HOST_PIECE_ENTRY;
            if piece.cost >= limit || p + 1 == n {
                owners.push(team.take(piece, p + 1));
                piece = Growing { begin: p + 1, ..Growing::default() };
            }
        }
        team.schedule()
    }

    pub fn threads(&self) -> u32 {
        self.of_thread.len() as u32 - 1
    }

    /// The pieces of a thread in its order, each with its waits.
    pub fn of(&self, thread: u32) -> impl Iterator<Item = (Piece, &[Wait])> {
        let own = self.of_thread[thread as usize] as usize..self.of_thread[thread as usize + 1] as usize;
        self.pieces[own.start..=own.end]
            .windows(2)
            .map(|pair| (pair[0], &self.waits[pair[0].waits as usize..pair[1].waits as usize]))
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.of_thread) + size_of_val(&*self.pieces) + size_of_val(&*self.waits)
    }
}

/// The work of rows with so many dependencies, in nanoseconds.
pub fn cost(rows: u32, entries: u32) -> u64 {
    u64::from(rows) * HOST_PIECE_ROW + u64::from(entries) * HOST_PIECE_ENTRY
}

/// The piece that is growing.
#[derive(Clone, Copy, Default)]
struct Growing {
    begin: u32,
    cost: u64,
    /// When it could begin, if its dependencies were seen at once.
    ready: u64,
}

impl Growing {
    /// Whether the next row is better in another piece: it could begin before the rows of this one, or would keep them
    /// waiting. `solved` is when its dependencies in other pieces are solved; it `belongs` where it depends on this piece.
    fn ends_before(&self, solved: u64, belongs: bool) -> bool {
        let is_early = !belongs && solved + HOST_PIECE_APART < self.ready;
        let is_late = solved > self.ready + self.cost + HOST_PIECE_APART;
        is_early || is_late
    }
}

/// Who solves a piece, as which of its own (from 1), and when.
#[derive(Clone, Copy)]
struct Owner {
    thread: u32,
    number: u32,
    solved: u64,
}

/// The threads while pieces are shared out.
struct Team {
    threads: Vec<Thread>,
    /// The thread that took the last piece.
    last: usize,
    /// Of each thread, how many of its pieces the piece that is growing needs; and the threads where that is not 0.
    needed: Vec<u32>,
    touched: Vec<u32>,
    /// When the first of the threads has solved all that it has.
    first_free: u64,
    work: u64,
}

#[derive(Default)]
struct Thread {
    pieces: Vec<Piece>,
    waits: Vec<Wait>,
    /// When each piece is solved.
    solved: Vec<u64>,
    /// Of each other thread, how many pieces this one has waited for.
    seen: Vec<u32>,
}

impl Thread {
    fn is_free(&self) -> u64 {
        self.solved.last().copied().unwrap_or(0)
    }
}

impl Team {
    fn new(threads: u32) -> Team {
        let all = threads as usize;
        let thread = || Thread { seen: vec![0; all], ..Thread::default() };
        Team {
            threads: (0..all).map(|_| thread()).collect(),
            last: 0,
            needed: vec![0; all],
            touched: Vec::new(),
            first_free: 0,
            work: 0,
        }
    }

    /// The growing piece needs the first `pieces` of a thread.
    #[inline(always)]
    fn need(&mut self, thread: u32, pieces: u32) {
        let needed = &mut self.needed[thread as usize];
        if *needed < pieces {
            if *needed == 0 {
                self.touched.push(thread);
            }
            *needed = pieces;
        }
    }

    /// When a thread could begin with the piece.
    fn start(&self, thread: usize, ready: &Ready) -> u64 {
        self.threads[thread].is_free().max(ready.on(thread))
    }

    /// When what the growing piece needs is seen.
    fn ready(&self) -> Ready {
        let mut ready = Ready::default();
        for &thread in &self.touched {
            let solved = self.threads[thread as usize].solved[self.needed[thread as usize] as usize - 1];
            ready.add(thread as usize, solved + HOST_PIECE_SEEN);
        }
        ready
    }

    /// Gives the piece, which ends before position `end`, to a thread.
    fn take(&mut self, piece: Growing, end: u32) -> Owner {
        let Growing { begin, cost, .. } = piece;
        let ready = self.ready();
        // Of threads that could begin at the same time, the one whose pieces it needs latest.
        let mut best = (self.start(ready.latest, &ready), ready.latest);
        for thread in 0..self.threads.len() {
            let start = self.start(thread, &ready);
            if start < best.0 {
                best = (start, thread);
            }
        }
        let stay = self.start(self.last, &ready);
        let (start, chosen) = if stay <= best.0 { (stay, self.last) } else { best };
        let thread = &mut self.threads[chosen];
        thread.pieces.push(Piece { begin, end, waits: thread.waits.len() as u32 });
        thread.solved.push(start + cost);
        for other in self.touched.drain(..) {
            let pieces = std::mem::take(&mut self.needed[other as usize]);
            let seen = &mut thread.seen[other as usize];
            if other as usize != chosen && pieces > *seen {
                *seen = pieces;
                thread.waits.push(Wait { thread: other, pieces });
            }
        }
        let number = thread.pieces.len() as u32;
        (self.last, self.work) = (chosen, self.work + cost);
        self.first_free = self.threads.iter().map(Thread::is_free).min().unwrap_or(0);
        Owner { thread: chosen as u32, number, solved: start + cost }
    }

    fn schedule(self) -> Schedule {
        let predicted = self.threads.iter().map(Thread::is_free).max().unwrap_or(0);
        let mut schedule = Schedule {
            of_thread: vec![0],
            pieces: Vec::with_capacity(self.threads.iter().map(|t| t.pieces.len()).sum::<usize>() + 1),
            waits: Vec::with_capacity(self.threads.iter().map(|t| t.waits.len()).sum()),
            predicted,
            work: self.work,
        };
        for thread in self.threads {
            let before = schedule.waits.len() as u32;
            let moved = |piece: Piece| Piece { waits: piece.waits + before, ..piece };
            schedule.pieces.extend(thread.pieces.into_iter().map(moved));
            schedule.waits.extend(thread.waits);
            schedule.of_thread.push(schedule.pieces.len() as u32);
        }
        schedule.pieces.push(Piece { begin: 0, end: 0, waits: schedule.waits.len() as u32 });
        schedule
    }
}

/// When a piece's dependencies are seen by other threads: by two threads at most, since one's own pieces need not be
/// seen.
#[derive(Default)]
struct Ready {
    /// The thread whose pieces are seen last, when that is, and when those of all others are.
    latest: usize,
    last: u64,
    others: u64,
}

impl Ready {
    fn add(&mut self, thread: usize, seen: u64) {
        if seen > self.last {
            (self.latest, self.others, self.last) = (thread, self.last, seen);
        } else {
            self.others = self.others.max(seen);
        }
    }

    fn on(&self, thread: usize) -> u64 {
        if thread == self.latest {
            self.others
        } else {
            self.last
        }
    }
}
