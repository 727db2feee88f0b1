//! Properties of lists and of pieces. That solves by them are right, `host/tests.rs` checks.

use super::grow::Schedule;
use super::lists::{in_order, Levels, Lists, Spans};
use super::{OneThread, Pieces};
use crate::analysis::{Pattern, NONE};
use crate::problem::{DataType, Diag, Fill, MatDescr, Op, Shape};
use crate::tuning::{HOST_PIECE_ENTRY, HOST_PIECE_ROW};

/// Lower triangles by rows, without their diagonals: each row lists what it depends on.
fn matrices() -> Vec<(&'static str, Vec<Vec<u32>>)> {
    let mut random = 1u64;
    let mut below = |bound: u32| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as u32 % bound.max(1)
    };
    let n = 3000;
    let grid = |line: u32| {
        move |i: u32| {
            let left = (i % line > 0).then(|| i - 1);
            left.into_iter().chain(i.checked_sub(line)).collect()
        }
    };
    let rows = |row: &mut dyn FnMut(u32) -> Vec<u32>| (0..n).map(row).collect::<Vec<_>>();
    vec![
        ("nothing", Vec::new()),
        ("one row", vec![Vec::new()]),
        ("diagonal", rows(&mut |_| Vec::new())),
        ("chain", rows(&mut |i| i.checked_sub(1).into_iter().collect())),
        ("grid", rows(&mut |i| grid(60)(i))),
        ("thin grid", rows(&mut |i| grid(7)(i))),
        ("random", rows(&mut |i| (0..below(6).min(i)).map(|_| below(i)).collect())),
        ("dense row", rows(&mut |i| if i == n - 1 { (0..i).collect() } else { Vec::new() })),
        ("dense column", rows(&mut |i| if i > 0 { vec![0] } else { Vec::new() })),
        ("colours", rows(&mut |i| (0..if i < n / 2 { 0 } else { 4 }).map(|_| below(n / 2)).collect())),
    ]
}

fn pattern(rows: &[Vec<u32>]) -> Pattern {
    let mut ptr = vec![0];
    rows.iter().for_each(|row| ptr.push(ptr.last().unwrap() + row.len() as u32));
    Pattern { ptr, ind: rows.concat() }
}

fn shape(op: Op, fill: Fill, diag: Diag, pattern: &Pattern) -> Shape {
    let (n, nnz) = (pattern.ptr.len() as i64 - 1, pattern.ind.len() as i64);
    Shape::new(op, n, nnz, MatDescr { fill, diag, ..MatDescr::default() }, DataType::F64, false).unwrap()
}

/// Of each position: its thread, and the number of its piece there (from 1).
fn places(schedule: &Schedule, n: u32) -> Vec<(u32, u32)> {
    let mut places = vec![None; n as usize];
    for thread in 0..schedule.threads() {
        let mut last = 0;
        for (number, (piece, _)) in (1..).zip(schedule.of(thread)) {
            assert!(last <= piece.begin && piece.begin < piece.end, "a thread's pieces are not in order");
            last = piece.end;
            for p in piece.begin..piece.end {
                let place = places[p as usize].replace((thread, number));
                assert_eq!(place, None, "position {p} is in two pieces");
            }
        }
    }
    places.into_iter().map(|place| place.expect("a position is in no piece")).collect()
}

/// Each row is in one piece, within the limit, and what it depends on is earlier in the piece, in an earlier piece of
/// the thread, or in a piece that the thread has waited for.
#[test]
fn pieces_hold_each_row_once_and_wait_for_what_it_needs() {
    for (name, rows) in matrices() {
        let n = rows.len() as u32;
        let pattern = pattern(&rows);
        let backward: Vec<Vec<u32>> =
            rows.iter().rev().map(|row| row.iter().map(|j| n - 1 - j).collect()).collect();
        for (threads, limit) in [1, 2, 3, 8, 40].into_iter().flat_map(|t| [(t, 20), (t, 300)]) {
            let of =
                |i: u32| &pattern.ind[pattern.ptr[i as usize] as usize..pattern.ptr[i as usize + 1] as usize];
            let schedule = Schedule::grow(n, threads, true, limit, &of);
            assert_eq!(
                schedule,
                Schedule::grow(n, threads, false, limit, &|i| &backward[i as usize][..]),
                "{name}"
            );
            let places = places(&schedule, n);
            for thread in 0..threads {
                let mut waited = vec![0; threads as usize];
                for (number, (piece, waits)) in (1..).zip(schedule.of(thread)) {
                    for wait in waits {
                        let before = &mut waited[wait.thread as usize];
                        assert!(wait.thread != thread && wait.pieces > *before, "{name}: an idle wait");
                        *before = wait.pieces;
                    }
                    let mut cost = 0;
                    for p in piece.begin..piece.end {
                        assert!(cost < limit, "{name}: a piece is too large");
                        cost += HOST_PIECE_ROW + HOST_PIECE_ENTRY * rows[p as usize].len() as u64;
                        for &j in &rows[p as usize] {
                            let (owner, of_owner) = places[j as usize];
                            let is_solved = if owner == thread {
                                of_owner < number || of_owner == number && j < p
                            } else {
                                of_owner <= waited[owner as usize]
                            };
                            assert!(is_solved, "{name}: {p} is solved before {j}");
                        }
                    }
                }
            }
            assert!(schedule.work <= schedule.predicted * u64::from(threads), "{name}");
        }
    }
}

#[test]
fn threads_share_what_can_be_shared() {
    for (name, rows) in matrices() {
        let n = rows.len() as u32;
        let of = |i: u32| &rows[i as usize][..];
        let two = Schedule::best(n, 2, true, of, || true);
        match name {
            // A row of a line needs the row before it: nothing to share out.
            "chain" => assert_eq!(two.predicted, two.work),
            "diagonal" | "colours" => assert!(two.predicted * 100 < two.work * 60, "{name}: {two:?}"),
            _ => assert!(two.predicted <= two.work + 2 * super::grow::cost(1, n), "{name}"),
        }
    }
}

/// A grid of 100 lines of 1000 points: a line follows the line before it at a small distance.
#[test]
fn lines_of_a_grid_follow_each_other() {
    let (line, n) = (1000, 100_000);
    let rows: Vec<Vec<u32>> = (0..n)
        .map(|i: u32| (i % line > 0).then(|| i - 1).into_iter().chain(i.checked_sub(line)).collect())
        .collect();
    for threads in [2, 4] {
        let schedule = Schedule::best(n, threads, true, |i| &rows[i as usize][..], || true);
        assert!(schedule.predicted * u64::from(threads) * 10 < schedule.work * 13, "{threads} threads");
    }
}

#[test]
fn a_triangle_alone_is_taken_as_it_is() {
    // Rows {0} {1} {0 2} {1 2 3}, and the upper triangle of the same, backwards.
    let lower = || Pattern { ptr: vec![0, 1, 2, 4, 7], ind: vec![0, 1, 0, 2, 1, 2, 3] };
    let upper = || Pattern { ptr: vec![0, 3, 5, 6, 7], ind: vec![0, 1, 2, 1, 3, 2, 3] };
    let of = |pattern: Pattern, fill, diag| {
        let shape = shape(Op::NonTranspose, fill, diag, &pattern);
        Lists::stored(&shape, pattern)
    };
    let lists = of(lower(), Fill::Lower, Diag::NonUnit);
    assert_eq!(lists.spans, Spans::Tight { ptr: lower().ptr, front: 0, back: 1 });
    assert_eq!((lists.entries, lists.of(3), lists.diagonal(3)), (3, &[1, 2][..], 6));
    let lists = of(upper(), Fill::Upper, Diag::NonUnit);
    assert_eq!(lists.spans, Spans::Tight { ptr: upper().ptr, front: 1, back: 0 });
    assert_eq!((lists.entries, lists.of(0), lists.diagonal(0)), (3, &[1, 2][..], 0));
    // The other triangle of each: no entries.
    let lists = of(upper(), Fill::Lower, Diag::NonUnit);
    assert!(matches!(lists.spans, Spans::Loose { .. }));
    assert_eq!((lists.entries, lists.diagonal(1), lists.missing_diag), (0, 3, None));
    // A unit diagonal that is not stored.
    let bare = Pattern { ptr: vec![0, 0, 1], ind: vec![0] };
    let lists = of(bare, Fill::Lower, Diag::Unit);
    assert_eq!(lists.spans, Spans::Tight { ptr: vec![0, 0, 1], front: 0, back: 0 });
}

#[test]
fn entries_between_others_are_left_out() {
    // Rows {1 0 1} {} {2 0 3 1 2} {3}: unsorted, both triangles, two diagonal entries, none.
    let pattern = Pattern { ptr: vec![0, 3, 3, 8, 9], ind: vec![1, 0, 1, 2, 0, 3, 1, 2, 3] };
    let shape = shape(Op::NonTranspose, Fill::Lower, Diag::NonUnit, &pattern);
    let lists = Lists::stored(&shape, pattern);
    assert_eq!((lists.of(0), lists.of(2), &lists.place[..]), (&[][..], &[0, 1][..], &[4, 6][..]));
    assert_eq!(lists.diag, [1, NONE, 3, 8]);
    assert_eq!((lists.extra_diag.clone(), lists.missing_diag), (vec![[2, 7]], Some(1)));
    let across = lists.transposed(false);
    assert_eq!((across.of(0), across.of(1), across.of(2)), (&[2][..], &[2][..], &[][..]));
    assert_eq!(across.place, [4, 6]);
}

#[test]
fn lists_across_are_in_the_order_of_the_solve() {
    let pattern = Pattern { ptr: vec![0, 1, 3, 6], ind: vec![0, 0, 1, 0, 1, 2] };
    let shape = shape(Op::Transpose, Fill::Lower, Diag::NonUnit, &pattern);
    let lists = Lists::stored(&shape, pattern);
    assert_eq!((lists.transposed(true).of(0), lists.transposed(true).place), (&[1, 2][..], vec![1, 3, 4]));
    assert_eq!((lists.transposed(false).of(0), lists.transposed(false).place), (&[2, 1][..], vec![3, 1, 4]));
    let levels = Levels { count: 3, widest: 1 };
    assert_eq!((lists.levels(true, true), lists.levels(false, false)), (levels, levels));
    assert_eq!(in_order(3, false).collect::<Vec<_>>(), [2, 1, 0]);
}

#[test]
fn values_of_a_band_are_near_and_those_of_a_random_matrix_far() {
    for (name, rows) in matrices() {
        let pattern = pattern(&rows);
        let shape = shape(Op::Transpose, Fill::Lower, Diag::Unit, &pattern);
        let lists = Lists::stored(&shape, pattern).transposed(false);
        let far = lists.far_values();
        match name {
            "chain" | "grid" => assert!(far < lists.entries / 10, "{name}: {far}"),
            "random" => assert!(far > lists.entries / 2, "{name}: {far}"),
            _ => assert!(far <= lists.entries, "{name}"),
        }
    }
}

/// Both plans of a matrix share what is stored; small systems and chains are for one thread.
#[test]
fn one_thread_solves_what_is_not_worth_more() {
    for (name, rows) in matrices() {
        let all: Vec<Vec<u32>> =
            (0..).zip(&rows).map(|(i, row)| row.iter().copied().chain([i]).collect()).collect();
        let pattern = pattern(&all);
        let shape = shape(Op::NonTranspose, Fill::Lower, Diag::NonUnit, &pattern);
        let ((plain, _), transposed) = Pieces::new(&shape, pattern, 4, true);
        let (transposed, _) = transposed.expect("both were asked for");
        assert!(plain.team.is_none() && matches!(plain.one, OneThread::Gather), "{name}");
        assert!(transposed.team.is_none() && matches!(transposed.one, OneThread::Scatter { .. }), "{name}");
        let least = 4 * (rows.len() + plain.entries() as usize);
        assert!(plain.bytes() == transposed.bytes() && 2 * plain.bytes() >= least);
        drop(transposed);
        assert!(plain.bytes() >= least);
    }
}
