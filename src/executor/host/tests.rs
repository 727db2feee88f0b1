//! Every method on every kind of problem, against the definition of the problem.

mod problem;

use std::time::{Duration, Instant};

use num_complex::Complex;

use super::pieces::{self, By, Pieces};
use super::*;
use crate::problem::{DiagSource, Fill, Op, Steps};
use problem::*;

/// The paper's, and what AUTO does.
const METHODS: [Option<Method>; 6] =
    [None, Some(Method::Levr), Some(Method::Levc), Some(Method::Slfr), Some(Method::Slfc), Some(Method::Gsf)];
const OPS: [Op; 3] = [Op::NonTranspose, Op::Transpose, Op::ConjugateTranspose];
const FILLS: [Fill; 2] = [Fill::Lower, Fill::Upper];
const DIAGS: [DiagSource; 3] = [DiagSource::Unit, DiagSource::Matrix, DiagSource::Separate];

fn pools() -> [Pool; 4] {
    [Pool::new(1), Pool::new(2), Pool::new(3), Pool::new(8)]
}

/// All methods, all numbers of threads, in place and not: small backward errors and no pivot, and the same
/// bits from AUTO and all row-wise ones.
fn check<T: Value>(p: &Problem<T>, pools: &[Pool], random: &mut Random, label: &str) {
    let alpha = T::narrow(Complex::new(-1.5, 0.75));
    let f = p.right_hand_side(random);
    let (levr, _) = p.solve(&pools[0], Some(Method::Levr), alpha, &f, false);
    for method in METHODS {
        for (pool, in_place) in pools.iter().zip([false, true, false, true]) {
            let label = format!("{method:?} on {} threads: {label} {:?}", pool.threads(), p.shape);
            let (x, pivot) = p.solve(pool, method, alpha, &f, in_place);
            assert_eq!(pivot, None, "{label}");
            let error = p.error(alpha, &f, &x);
            assert!(error <= 2.0, "{label}: backward error {error}");
            if matches!(method, None | Some(Method::Levr | Method::Slfr)) {
                assert!(x.iter().zip(&levr).all(|(a, b)| a.bits() == b.bits()), "{label}: other bits");
            }
        }
    }
}

fn all_kinds<T: Value>(seed: u64) {
    let pools = pools();
    let mut random = Random(seed);
    for kind in KINDS_OF_MATRICES {
        for n in [1, 2, 33, 260] {
            let strict = lower(kind, n, &mut random);
            for op in OPS {
                for fill in FILLS {
                    for diag in DIAGS {
                        let bits = random.next();
                        let storage = Storage::by(bits);
                        let p = problem::<T>(&strict, n, (op, fill, diag), storage, &[], &mut random);
                        check(&p, &pools, &mut random, &format!("{kind:?} {storage:?}"));
                    }
                }
            }
        }
    }
}

#[test]
fn all_kinds_in_f32() {
    all_kinds::<f32>(1);
}

#[test]
fn all_kinds_in_f64() {
    all_kinds::<f64>(2);
}

#[test]
fn all_kinds_in_complex_f32() {
    all_kinds::<Complex<f32>>(3);
}

#[test]
fn all_kinds_in_complex_f64() {
    all_kinds::<Complex<f64>>(4);
}

/// Each way of storing, one by one and together, with the same matrix.
#[test]
fn all_storages() {
    let pools = pools();
    let mut random = Random(5);
    let strict = lower(KindOfMatrix::Random, 40, &mut random);
    for bits in 0..32 {
        let storage = Storage::by(bits);
        for op in OPS {
            for fill in FILLS {
                let kind = (op, fill, DiagSource::Matrix);
                let p = problem::<Complex<f64>>(&strict, 40, kind, storage, &[], &mut random);
                check(&p, &pools, &mut random, &format!("{storage:?}"));
            }
        }
    }
}

/// Pieces for a team solve several columns in one pass, stored by columns, by rows or each side otherwise, with the bits of
/// single solves; and so does a child of the process, which is alone.
#[test]
fn several_columns_by_pieces() {
    let pools = pools();
    let mut random = Random(13);
    let strict = lower(KindOfMatrix::Random, 70, &mut random);
    let alpha = Complex::new(0.5, -2.0);
    for op in OPS {
        let kind = (op, Fill::Upper, DiagSource::Matrix);
        let storage = Storage { duplicates: op == Op::Transpose, ..Storage::default() };
        let p = problem::<Complex<f64>>(&strict, 70, kind, storage, &[], &mut random);
        let n = p.n();
        for columns in [1, 2, 4, MOST_COLUMNS] {
            let sides: Vec<_> = (0..columns).map(|_| p.right_hand_side(&mut random)).collect();
            let alone = sides.iter().map(|f| p.solve(&pools[0], None, alpha, f, false).0);
            let alone: Vec<Vec<_>> = alone.collect();
            let by_columns = Steps { row: 1, column: n + 3 };
            let by_rows = Steps { row: columns + 2, column: 1 };
            for steps in [[by_columns; 2], [by_rows; 2], [by_columns, by_rows], [by_rows, by_columns]] {
                let mut f = vec![Complex::NAN; (n + 3) * (columns + 2)];
                for (j, side) in sides.iter().enumerate() {
                    side.iter().enumerate().for_each(|(i, &value)| f[steps[0].to(i as u32, j)] = value);
                }
                for (team, pool) in pools.iter().zip([1, 2, 3, 1].map(Pool::new)) {
                    let pieces = Pieces::for_test(&p.shape, p.pattern(), team.threads() as u32);
                    let in_place = steps[0] == steps[1];
                    let limit = Duration::from_secs(60);
                    // SAFETY: all arrays have room for the columns, and the pieces are this problem's.
                    let (x, pivot) = p.with_job(alpha, &f, in_place, columns, steps, limit, |job| unsafe {
                        pieces::solve_by(&pool, &pieces, job, By::Team)
                    });
                    assert_eq!(pivot, Ok(None));
                    for (i, j) in (0..n).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                        let solution = x[steps[1].to(i as u32, j)];
                        assert_eq!(solution.bits(), alone[j][i].bits(), "row {i} of column {j}");
                    }
                }
            }
        }
    }
}

/// Enough rows for many tickets, wide levels and real contention, again and again.
#[test]
fn large_systems() {
    let pools = pools();
    let mut random = Random(6);
    for (kind, n) in [
        (KindOfMatrix::Grid, 30_000),
        (KindOfMatrix::Random, 20_000),
        (KindOfMatrix::Wide, 20_000),
        (KindOfMatrix::DenseRow, 20_000),
    ] {
        let strict = lower(kind, n, &mut random);
        for op in [Op::NonTranspose, Op::Transpose] {
            let kind = (op, Fill::Lower, DiagSource::Matrix);
            let p = problem::<f64>(&strict, n, kind, Storage::default(), &[], &mut random);
            check(&p, &pools, &mut random, &format!("{kind:?}"));
        }
    }
}

#[test]
fn solutions_by_hand() {
    // [2 . .; 1 4 .; . 3 5] x = 2 f, and its transpose.
    let solve = |op, f: [f64; 3]| {
        let mut random = Random(7);
        let kind = (op, Fill::Lower, DiagSource::Matrix);
        let mut p = problem::<f64>(&[(1, 0), (2, 1)], 3, kind, Storage::default(), &[], &mut random);
        assert_eq!(p.ind, [0, 0, 1, 1, 2]);
        p.val = vec![2.0, 1.0, 4.0, 3.0, 5.0];
        METHODS.map(|method| p.solve(&Pool::new(2), method, 2.0, &f, false).0)
    };
    assert!(solve(Op::NonTranspose, [1.0, 4.5, 9.0]).iter().all(|x| *x == [1.0, 2.0, 2.4]));
    assert!(solve(Op::Transpose, [2.0, 3.5, 2.5]).iter().all(|x| *x == [1.5, 1.0, 1.0]));
}

#[test]
fn zero_pivots() {
    let pools = pools();
    let mut random = Random(8);
    let n = 50;
    let strict = lower(KindOfMatrix::Chain, n, &mut random);
    for op in OPS {
        for fill in FILLS {
            let f = vec![1.0; n];
            let kind = (op, fill, DiagSource::Matrix);
            let missing = problem::<f64>(&strict, n, kind, Storage::default(), &[31, 17], &mut random);
            let mut zero = problem::<f64>(&strict, n, kind, Storage::default(), &[], &mut random);
            for row in [40, 12] {
                let at = zero.val_of_diagonal(row);
                zero.val[at] = 0.0;
            }
            let kind = (op, fill, DiagSource::Separate);
            let mut separate = problem::<f64>(&strict, n, kind, Storage::default(), &[], &mut random);
            (separate.separate[9], separate.separate[8]) = (0.0, -0.0);
            let kind = (op, fill, DiagSource::Unit);
            let unit = problem::<f64>(&strict, n, kind, Storage::default(), &[3], &mut random);
            for (p, want) in [(missing, Some(17)), (zero, Some(12)), (separate, Some(8)), (unit, None)] {
                for method in METHODS {
                    for pool in &pools {
                        let (x, pivot) = p.solve(pool, method, 1.0, &f, false);
                        assert_eq!(pivot, want, "{method:?} {:?}", p.shape);
                        assert_eq!(x.iter().all(|v| v.is_finite()), want.is_none());
                    }
                }
            }
        }
    }
}

/// A dependency too many, which nobody solves: the wait for it is given up, and the pool is none the worse.
#[test]
fn a_dependency_that_never_arrives_ends_by_the_watchdog() {
    let mut random = Random(12);
    let kind = (Op::NonTranspose, Fill::Lower, DiagSource::Matrix);
    let strict = lower(KindOfMatrix::Grid, 900, &mut random);
    let p = problem::<f64>(&strict, 900, kind, Storage::default(), &[], &mut random);
    let f = p.right_hand_side(&mut random);
    for pool in &pools() {
        for method in [Method::Slfr, Method::Slfc, Method::Gsf] {
            let mut schedule = p.schedule(method);
            schedule.counts[500] += 1;
            let limit = Duration::from_millis(100);
            let start = Instant::now();
            let (_, pivot) = p.solve_with(pool, method, &schedule, 1.0, &f, false, limit);
            assert_eq!(pivot, Err(GivenUp), "{method:?} on {} threads", pool.threads());
            assert!(start.elapsed() >= limit);
            let (x, _) = p.solve(pool, Some(method), 1.0, &f, false);
            assert!(p.error(1.0, &f, &x) <= 2.0);
        }
    }
}

#[test]
fn duplicates_that_cancel_are_a_zero_pivot() {
    let mut random = Random(9);
    let kind = (Op::NonTranspose, Fill::Lower, DiagSource::Matrix);
    let mut p = problem::<f64>(&[], 2, kind, Storage::default(), &[], &mut random);
    (p.ptr, p.ind, p.val) = (vec![0, 2, 4], vec![0, 0, 1, 1], vec![1.0, -1.0, 1.0, 1.0]);
    p.shape.nnz = 4;
    for method in METHODS {
        let (x, pivot) = p.solve(&Pool::new(2), method, 1.0, &[3.0, 3.0], false);
        assert_eq!((x, pivot), (vec![f64::INFINITY, 1.5], Some(0)));
    }
}

/// NaN reaches exactly what depends on it, infinity on the diagonal gives zero, and nothing hangs.
#[test]
fn nan_and_infinity_flow_through() {
    let mut random = Random(10);
    let n = 200;
    let strict: Vec<_> =
        lower(KindOfMatrix::Chain, n, &mut random).into_iter().filter(|&(i, _)| i != 150).collect();
    for pool in &pools() {
        for method in METHODS {
            let kind = (Op::NonTranspose, Fill::Lower, DiagSource::Matrix);
            let mut p = problem::<Complex<f64>>(&strict, n, kind, Storage::default(), &[], &mut random);
            let mut f = p.right_hand_side(&mut random);
            f[100] = Complex::new(f64::NAN, 0.0);
            let at = p.val_of_diagonal(50);
            p.val[at] = Complex::new(f64::INFINITY, 0.0);
            let (x, pivot) = p.solve(pool, method, Complex::ONE, &f, false);
            assert_eq!(pivot, None);
            assert_eq!(x[50], Complex::ZERO);
            for (i, v) in x.iter().enumerate() {
                assert_eq!(v.is_nan(), (100..150).contains(&i), "{method:?} row {i}");
            }
        }
    }
}

#[test]
fn nothing_to_solve() {
    let mut random = Random(11);
    let kind = (Op::NonTranspose, Fill::Lower, DiagSource::Matrix);
    let empty = problem::<f64>(&[], 0, kind, Storage::default(), &[], &mut random);
    // No entries at all: an identity with a unit diagonal, a structural zero without.
    let kind = (Op::NonTranspose, Fill::Upper, DiagSource::Unit);
    let unit = problem::<f64>(&[], 3, kind, Storage::default(), &[0, 1, 2], &mut random);
    let kind = (Op::NonTranspose, Fill::Upper, DiagSource::Matrix);
    let bare = problem::<f64>(&[], 3, kind, Storage::default(), &[0, 1, 2], &mut random);
    let pool = Pool::new(2);
    for method in METHODS {
        assert_eq!(empty.solve(&pool, method, 1.0, &[], false), (vec![], None));
        assert_eq!(unit.solve(&pool, method, 2.0, &[1.0, 2.0, 3.0], true), (vec![2.0, 4.0, 6.0], None));
        assert_eq!(bare.solve(&pool, method, 1.0, &[1.0, -1.0, 1.0], false).1, Some(0));
    }
}
