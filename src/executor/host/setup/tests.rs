//! Schedules by hand, and their properties.
#![forbid(unsafe_code)]

use super::*;
use crate::analysis::pattern::validate;
use crate::analysis::{Form, Lists, Panels, Tiles, Values, NONE};
use crate::error::Error;
use crate::gpus::Speed;
use crate::problem::{DataType, DiagSource, Fill, Format, MatDescr, Op};

const ALL: Needs = Needs {
    levels: true,
    rows: true,
    columns: true,
    column_values: true,
    counts: true,
    tiles: Tiles::No,
    nodes: false,
    wide_levels: 0,
    narrow_levels: false,
    locality_order: false,
    right_hand_sides: 1,
    remote_buffer: 0,
    tile_columns: 0,
    panels: Panels::No,
    speed: Speed { multiprocessors: 132, steps: 1.0, memory: 1.0, cache: 1.0 },
};
const NATURAL: Needs = Needs { levels: false, ..ALL };

fn shape(op: Op, fill: Fill, n: u32, nnz: usize) -> Shape {
    let descr = MatDescr { fill, ..Default::default() };
    Shape::new(op, n.into(), nnz as i64, descr, DataType::F64, false).unwrap()
}

fn run(op: Op, fill: Fill, ptr: &[i32], ind: &[i32], needs: Needs) -> Schedule {
    let shape = shape(op, fill, ptr.len() as u32 - 1, ind.len());
    schedule_by(&shape, &validate(&shape, ptr, ind).unwrap(), needs, None, &crate::engines::decide).0
}

fn lists(ptr: &[u32], adj: &[u32], values: Values) -> Option<Lists> {
    Some(Lists { ptr: ptr.to_vec(), adj: adj.to_vec(), values: Some(values) })
}

// A lower triangle, rows {0} {1} {0 2} {1 2 3}: levels {0 1} {2} {3}.
const LOW_PTR: [i32; 5] = [0, 1, 2, 4, 7];
const LOW_IND: [i32; 7] = [0, 1, 0, 2, 1, 2, 3];

#[test]
fn values_of_a_band_are_gathered_in_the_order_of_its_lists() {
    // As in c_tests/test_values.c.
    let n = 6000;
    let (mut ptr, mut ind) = (vec![0], Vec::new());
    for i in 0..n {
        ind.extend([40, 33, 27, 21, 16, 12, 8, 0].iter().map(|back| i - back).filter(|&j| j >= 0));
        ptr.push(ind.len() as i32);
    }
    let needs = Needs {
        columns: false,
        column_values: false,
        counts: false,
        tiles: Tiles::IfFaster,
        wide_levels: 1000,
        locality_order: true,
        remote_buffer: crate::engines::tiled::tuning::TILED_LARGEST_FORWARDED,
        ..ALL
    };
    for (op, fill) in [(Op::Transpose, Fill::Lower), (Op::NonTranspose, Fill::Lower)] {
        let s = run(op, fill, &ptr, &ind, needs);
        let rows = s.rows.as_ref().unwrap();
        assert!(matches!(s.form, Form::Tiles(_)));
        if op == Op::NonTranspose {
            assert!(s.gathered.is_empty());
            continue;
        }
        assert_eq!(rows.values, Some(Values::Contiguous(rows.ptr[..n as usize].to_vec())));
        assert_eq!(s.gathered.len(), rows.adj.len());
        for p in 0..n as usize {
            for e in rows.ptr[p] as usize..rows.ptr[p + 1] as usize {
                let (column, row) = (s.order[p] as i32, s.order[rows.adj[e] as usize] as usize);
                let value = s.gathered[e] as i32;
                assert!((ptr[row]..ptr[row + 1]).contains(&value) && ind[value as usize] == column);
            }
        }
    }
}

#[test]
fn lower_by_hand() {
    let s = run(Op::NonTranspose, Fill::Lower, &LOW_PTR, &LOW_IND, ALL);
    let want = Schedule {
        n: 4,
        entries: 3,
        level_ptr: vec![0, 2, 3, 4],
        order: vec![0, 1, 2, 3],
        rows: lists(&[0, 0, 0, 1, 3], &[0, 1, 2], Values::Contiguous(vec![0, 1, 2, 4])),
        columns: lists(&[0, 1, 2, 3, 3], &[2, 3, 3], Values::Permuted(vec![2, 4, 5])),
        counts: vec![0, 0, 1, 2],
        diag: vec![0, 1, 3, 6],
        ..Default::default()
    };
    assert_eq!(s, want);
    assert_eq!((s.levels(), s.widest_level()), (3, 2));
}

#[test]
fn transposed_lower_by_hand() {
    // op(A) is upper: 3 first, then 1 and 2 (2 needs 3, 1 needs 3), then 0 (needs 2).
    let s = run(Op::Transpose, Fill::Lower, &LOW_PTR, &LOW_IND, ALL);
    let want = Schedule {
        n: 4,
        entries: 3,
        level_ptr: vec![0, 1, 3, 4],
        order: vec![3, 1, 2, 0],
        rows: lists(&[0, 0, 1, 2, 3], &[0, 0, 2], Values::Permuted(vec![4, 5, 2])),
        columns: lists(&[0, 2, 2, 3, 3], &[1, 2, 3], Values::Contiguous(vec![4, 1, 2, 0])),
        counts: vec![0, 1, 1, 1],
        diag: vec![6, 1, 3, 0],
        ..Default::default()
    };
    assert_eq!(s, want);
}

#[test]
fn levels_of_the_transposed_problem() {
    // Levels {0 1} {2} {3} from the last to the first: 1 could come with 2, but comes with 0.
    let first = run(Op::NonTranspose, Fill::Lower, &LOW_PTR, &LOW_IND, ALL);
    let levels = transposed_levels(&first);
    assert_eq!(levels, Some(vec![2, 2, 1, 0]));
    let shape = shape(Op::Transpose, Fill::Lower, 4, 7);
    let pattern = validate(&shape, &LOW_PTR, &LOW_IND).unwrap();
    let (s, _) = schedule_by(&shape, &pattern, ALL, levels, &rows_alone);
    assert_eq!((&s.level_ptr[..], &s.order[..]), (&[0, 1, 2, 4][..], &[3, 2, 0, 1][..]));
    assert_eq!(s.rows, lists(&[0, 0, 1, 2, 3], &[0, 1, 0], Values::Permuted(vec![5, 2, 4])));
    assert_eq!((s.diag, s.counts), (vec![6, 3, 0, 1], vec![0, 1, 1, 1]));
    // By tiles the levels of positions are told apart from the order.
    let tiled = run(Op::NonTranspose, Fill::Lower, &LOW_PTR, &LOW_IND, Needs { tiles: Tiles::Yes, ..ALL });
    assert_eq!(transposed_levels(&tiled), Some(vec![2, 2, 1, 0]));
    assert_eq!(transposed_levels(&run(Op::NonTranspose, Fill::Lower, &LOW_PTR, &LOW_IND, NATURAL)), None);
}

/// A chain, a row of all its unknowns after 300 of them, and one in the middle that the rest depends on.
#[test]
fn long_rows_that_nobody_needs_come_last() {
    for is_needed in [false, true] {
        let n = 40_000;
        let (mut ptr, mut ind) = (vec![0], Vec::new());
        for i in 0..n {
            if i == 500 {
                ind.extend(0..300);
            } else if i > 0 {
                ind.push(if i != 501 || is_needed { i - 1 } else { 499 });
            }
            ind.push(i);
            ptr.push(ind.len() as i32);
        }
        let s = run(Op::NonTranspose, Fill::Lower, &ptr, &ind, Needs { tiles: Tiles::No, ..ALL });
        let levels = s.level_ptr.len() as u32 - 1;
        let at = s.order.iter().position(|&unknown| unknown == 500).unwrap() as u32;
        let level = s.level_ptr.partition_point(|&first| first <= at) as u32 - 1;
        assert_eq!(level, if is_needed { 300 } else { levels - 1 });
    }
}

#[test]
fn upper_in_natural_order() {
    // Rows {0 2} {1} {2}, the upper triangle: solved from the last unknown to the first.
    let s = run(Op::NonTranspose, Fill::Upper, &[0, 2, 3, 4], &[0, 2, 1, 2], NATURAL);
    assert_eq!(s.order, [2, 1, 0]);
    assert_eq!((s.levels(), s.widest_level(), s.level_ptr.len()), (0, 0, 0));
    assert_eq!(s.rows, lists(&[0, 0, 0, 1], &[0], Values::Contiguous(vec![3, 2, 1])));
    assert_eq!(s.columns, lists(&[0, 1, 1, 1], &[2], Values::Permuted(vec![1])));
    assert_eq!((s.counts, s.diag), (vec![0, 0, 1], vec![3, 2, 0]));
}

#[test]
fn transposed_upper_in_natural_order() {
    let s = run(Op::Transpose, Fill::Upper, &[0, 2, 3, 4], &[0, 2, 1, 2], NATURAL);
    assert_eq!(s.order, [0, 1, 2]);
    assert_eq!(s.rows, lists(&[0, 0, 0, 1], &[0], Values::Permuted(vec![1])));
    assert_eq!(s.columns, lists(&[0, 1, 1, 1], &[2], Values::Contiguous(vec![1, 2, 3])));
}

#[test]
fn columns_of_csc_are_its_majors() {
    let descr = MatDescr { format: Format::Csc, fill: Fill::Upper, ..Default::default() };
    let csc = Shape::new(Op::NonTranspose, 4, 7, descr, DataType::F64, false).unwrap();
    let pattern = validate(&csc, &LOW_PTR, &LOW_IND).unwrap();
    let (got, _) = schedule(&csc, &pattern, ALL);
    assert_eq!(got, run(Op::Transpose, Fill::Lower, &LOW_PTR, &LOW_IND, ALL));
}

#[test]
fn unsorted_rows_keep_their_order() {
    // Row 2 is stored as 1, 2, 0: its diagonal parts its entries, so no row can be contiguous.
    let s = run(Op::NonTranspose, Fill::Lower, &[0, 1, 2, 5], &[0, 1, 1, 2, 0], ALL);
    assert_eq!(s.rows, lists(&[0, 0, 0, 2], &[1, 0], Values::Permuted(vec![2, 4])));
    assert_eq!((s.diag, s.level_ptr), (vec![0, 1, 3], vec![0, 2, 3]));
    // Stored as 2, 1, 0 it is unsorted, but contiguous.
    let s = run(Op::NonTranspose, Fill::Lower, &[0, 1, 2, 5], &[0, 1, 2, 1, 0], ALL);
    assert_eq!(s.rows, lists(&[0, 0, 0, 2], &[1, 0], Values::Contiguous(vec![0, 1, 3])));
}

#[test]
fn duplicates_stay() {
    // Row 0 is {0 0}, row 1 is {0 0 1 1 1}.
    let s = run(Op::NonTranspose, Fill::Lower, &[0, 2, 7], &[0, 0, 0, 0, 1, 1, 1], ALL);
    assert_eq!(s.rows, lists(&[0, 0, 2], &[0, 0], Values::Contiguous(vec![0, 2])));
    assert_eq!(s.columns, lists(&[0, 2, 2], &[1, 1], Values::Permuted(vec![2, 3])));
    assert_eq!((s.entries, s.counts), (2, vec![0, 2]));
    assert_eq!((s.diag, s.extra_diag), (vec![0, 4], vec![[0, 1], [1, 5], [1, 6]]));
    // Solved backward, positions turn around, and extra entries still come by rising position.
    let s = run(Op::Transpose, Fill::Lower, &[0, 2, 7], &[0, 0, 0, 0, 1, 1, 1], NATURAL);
    assert_eq!((s.diag, s.extra_diag), (vec![4, 0], vec![[0, 5], [0, 6], [1, 1]]));
}

#[test]
fn missing_diagonals() {
    let (ptr, ind) = ([0, 1, 2, 3], [0, 0, 1]);
    let s = run(Op::NonTranspose, Fill::Lower, &ptr, &ind, ALL);
    assert_eq!((s.diag, s.missing_diag, s.entries), (vec![0, NONE, NONE], Some(1), 2));
    // An empty row or one with nothing but the other triangle lacks its diagonal too.
    let s = run(Op::NonTranspose, Fill::Upper, &ptr, &ind, ALL);
    assert_eq!((s.diag, s.missing_diag, s.entries), (vec![0, NONE, NONE], Some(1), 0));
    let s = run(Op::NonTranspose, Fill::Lower, &[0, 0, 0], &[], ALL);
    assert_eq!((s.diag, s.missing_diag), (vec![NONE, NONE], Some(0)));
    // A missing diagonal beside an extra one.
    let s = run(Op::NonTranspose, Fill::Lower, &[0, 0, 2], &[1, 1], ALL);
    assert_eq!((s.diag, s.extra_diag, s.missing_diag), (vec![NONE, 0], vec![[1, 1]], Some(0)));
}

#[test]
fn other_diagonals_ignore_the_stored_one() {
    let mut unit = shape(Op::NonTranspose, Fill::Lower, 3, 4);
    let pattern = validate(&unit, &[0, 2, 3, 4], &[0, 0, 0, 2]).unwrap();
    for diag in [DiagSource::Unit, DiagSource::Separate] {
        unit.diag = diag;
        let (s, _) = schedule(&unit, &pattern, ALL);
        assert_eq!((s.diag, s.extra_diag, s.missing_diag), (vec![], vec![], None));
        assert_eq!(s.rows, lists(&[0, 0, 0, 1], &[0], Values::Contiguous(vec![0, 3, 2])));
    }
}

#[test]
fn full_matrix_serves_both_triangles() {
    let (ptr, ind) = ([0, 3, 6, 9], [0, 1, 2, 0, 1, 2, 0, 1, 2]);
    let s = run(Op::NonTranspose, Fill::Lower, &ptr, &ind, ALL);
    assert_eq!(s.rows, lists(&[0, 0, 1, 3], &[0, 0, 1], Values::Contiguous(vec![0, 3, 6])));
    assert_eq!(s.diag, [0, 4, 8]);
    let s = run(Op::NonTranspose, Fill::Upper, &ptr, &ind, ALL);
    assert_eq!(s.order, [2, 1, 0]);
    assert_eq!(s.rows, lists(&[0, 0, 1, 3], &[0, 1, 0], Values::Contiguous(vec![6, 5, 1])));
    assert_eq!((s.entries, s.counts), (3, vec![0, 1, 2]));
}

#[test]
fn only_what_is_needed() {
    let none = Needs::default();
    let s = run(Op::NonTranspose, Fill::Lower, &LOW_PTR, &LOW_IND, none);
    assert!(s.rows.is_none() && s.columns.is_none() && s.counts.is_empty() && s.level_ptr.is_empty());
    for op in [Op::NonTranspose, Op::Transpose] {
        let all = run(op, Fill::Lower, &LOW_PTR, &LOW_IND, ALL);
        let some = run(op, Fill::Lower, &LOW_PTR, &LOW_IND, Needs { column_values: false, ..ALL });
        assert_eq!(some.rows, all.rows);
        let columns = some.columns.unwrap();
        assert_eq!(columns.values, None);
        assert_eq!(columns.adj, all.columns.unwrap().adj);
        let rows_only = Needs { columns: false, counts: false, ..ALL };
        assert_eq!(run(op, Fill::Lower, &LOW_PTR, &LOW_IND, rows_only).rows, all.rows);
    }
}

#[test]
fn no_rows_at_all() {
    let empty = shape(Op::NonTranspose, Fill::Lower, 0, 0);
    for ptr in [&[][..], &[0][..]] {
        let pattern = validate::<i32, i32>(&empty, ptr, &[]).unwrap();
        assert_eq!(pattern.ptr, [0]);
        for tiles in [Tiles::No, Tiles::Yes, Tiles::IfFaster] {
            let (s, _) = schedule_by(&empty, &pattern, Needs { tiles, ..ALL }, None, &crate::engines::decide);
            assert_eq!((s.n, s.levels(), s.widest_level(), s.missing_diag), (0, 0, 0, None));
            assert_eq!(s.rows, lists(&[0], &[], Values::Contiguous(vec![])));
        }
    }
    assert!(validate::<i32, i32>(&shape(Op::NonTranspose, Fill::Lower, 0, 1), &[], &[0]).is_err());
}

/// Whatever the numbers are, the answer is a pattern that is in range or the first row that is not.
#[test]
fn random_numbers_never_break_it() {
    let mut state = 1u64;
    let mut random = |bound: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % bound
    };
    let (mut good, mut bad) = (0, 0);
    for _ in 0..20_000 {
        let (n, nnz) = (random(4) as usize, random(5) as usize);
        let mut ptr: Vec<i64> = (0..=n).map(|_| random(nnz as u64 + 2) as i64 - 1).collect();
        if random(2) == 0 {
            ptr.iter_mut().for_each(|p| *p = (*p).clamp(0, nnz as i64));
            ptr.sort_unstable();
            (ptr[0], ptr[n]) = (0, nnz as i64);
        }
        let ind: Vec<i64> = (0..nnz).map(|_| random(n as u64 + 1) as i64).collect();
        let shape = shape(Op::NonTranspose, Fill::Lower, n as u32, nnz);
        match validate(&shape, &ptr, &ind) {
            Ok(p) => {
                good += 1;
                assert!(p.ptr.windows(2).all(|w| w[0] <= w[1]) && p.ind.iter().all(|&i| (i as usize) < n));
                assert_eq!((p.ptr[0], p.ptr[n] as usize), (0, nnz));
                schedule(&shape, &p, ALL);
            }
            Err(Error::Malformed { row, .. }) => {
                bad += 1;
                assert!((0..n.max(1) as i64).contains(&row));
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(good > 1000 && bad > 1000);
}
