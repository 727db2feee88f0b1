//! Every method on every kind of problem, against the definition of the problem.
//!
//! A matrix is a list of (row, column, value) here; storing it and checking a solution share no code with
//! the library's own way from storage to schedule.

use std::time::{Duration, Instant};

use num_complex::Complex;

use super::pieces::{self, By, Pieces};
use super::*;
use crate::analysis::cpu::schedule;
use crate::analysis::pattern::validate;
use crate::analysis::Pattern;
use crate::problem::{Base, DataType, Diag, DiagSource, Fill, Format, MatDescr, Op, Shape, Steps};

/// The paper's, and what AUTO does.
const METHODS: [Option<Method>; 6] =
    [None, Some(Method::Levr), Some(Method::Levc), Some(Method::Slfr), Some(Method::Slfc), Some(Method::Gsf)];
const OPS: [Op; 3] = [Op::NonTranspose, Op::Transpose, Op::ConjugateTranspose];
const FILLS: [Fill; 2] = [Fill::Lower, Fill::Upper];
const DIAGS: [DiagSource; 3] = [DiagSource::Unit, DiagSource::Matrix, DiagSource::Separate];

type Wide = Complex<f64>;

/// A value type as the checks see it.
trait Value: Scalar {
    const DTYPE: DataType;
    const EPS: f64;
    fn narrow(value: Wide) -> Self;
    fn widen(self) -> Wide;
    fn bits(self) -> (u64, u64) {
        let wide = self.widen();
        (wide.re.to_bits(), wide.im.to_bits())
    }
}

macro_rules! value {
    ($t:ty, $dtype:ident, $eps:expr, $v:ident => $narrow:expr, $s:ident => $widen:expr) => {
        impl Value for $t {
            const DTYPE: DataType = DataType::$dtype;
            const EPS: f64 = $eps;
            fn narrow($v: Wide) -> Self {
                $narrow
            }
            fn widen(self) -> Wide {
                let $s = self;
                $widen
            }
        }
    };
}

value!(f32, F32, f32::EPSILON as f64, v => v.re as f32, s => Complex::new(s as f64, 0.0));
value!(f64, F64, f64::EPSILON, v => v.re, s => Complex::new(s, 0.0));
value!(Complex<f32>, C32, f32::EPSILON as f64,
    v => Complex::new(v.re as f32, v.im as f32), s => Complex::new(s.re as f64, s.im as f64));
value!(Complex<f64>, C64, f64::EPSILON, v => v, s => s);

/// A small generator of numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
    /// In -1..1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn complex(&mut self) -> Wide {
        Complex::new(self.unit(), self.unit())
    }
    fn shuffle<E>(&mut self, list: &mut [E]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum KindOfMatrix {
    Diagonal,
    Chain,
    Grid,
    Random,
    DenseRow,
    DenseColumn,
    /// Independent rows in front, and each row of the rest on some of these: few and wide levels.
    Wide,
}

const KINDS_OF_MATRICES: [KindOfMatrix; 7] = [
    KindOfMatrix::Diagonal,
    KindOfMatrix::Chain,
    KindOfMatrix::Grid,
    KindOfMatrix::Random,
    KindOfMatrix::DenseRow,
    KindOfMatrix::DenseColumn,
    KindOfMatrix::Wide,
];

/// The strictly lower entries of a kind of matrix.
fn lower(kind: KindOfMatrix, n: usize, random: &mut Random) -> Vec<(usize, usize)> {
    let mut list = Vec::new();
    let side = (n as f64).sqrt().ceil() as usize;
    for i in 1..n {
        match kind {
            KindOfMatrix::Diagonal => {}
            KindOfMatrix::Chain => list.push((i, i - 1)),
            KindOfMatrix::Grid => {
                if i % side != 0 {
                    list.push((i, i - 1));
                }
                if i >= side {
                    list.push((i, i - side));
                }
            }
            KindOfMatrix::Random => list.extend((0..random.below(6)).map(|_| (i, random.below(i)))),
            KindOfMatrix::DenseRow => {
                if i == n - 1 {
                    list.extend((0..i).map(|j| (i, j)));
                }
            }
            KindOfMatrix::DenseColumn => list.push((i, 0)),
            KindOfMatrix::Wide => {
                if i >= n / 2 {
                    list.extend((0..3).map(|_| (i, random.below(n / 2))));
                }
            }
        }
    }
    list
}

/// How a test matrix deviates from the plainest one.
#[derive(Clone, Copy, Debug, Default)]
struct Storage {
    csc: bool,
    one_based: bool,
    /// Entries of a row or column in random order.
    shuffled: bool,
    /// The other triangle is there too, full of NaN.
    full: bool,
    /// Some entries come twice, the diagonal included.
    duplicates: bool,
}

struct Problem<T> {
    shape: Shape,
    /// op(A) with its diagonal, as the definition has it: row, column, value.
    entries: Vec<(usize, usize, T)>,
    val: Vec<T>,
    ptr: Vec<i64>,
    ind: Vec<i32>,
    separate: Vec<T>,
}

/// `strict` are the positions of the strictly lower triangle of A, mirrored for an upper one. Rows in
/// `no_diag` lack their diagonal entry.
fn problem<T: Value>(
    strict: &[(usize, usize)],
    n: usize,
    (op, fill, diag): (Op, Fill, DiagSource),
    storage: Storage,
    no_diag: &[usize],
    random: &mut Random,
) -> Problem<T> {
    let mut kept: Vec<(usize, usize, T)> = Vec::new();
    let mut ignored = Vec::new();
    let mut row_entries = vec![0f64; n];
    for &(i, j) in strict {
        row_entries[i] += 1.0;
        row_entries[j] += 1.0;
    }
    for &(i, j) in strict {
        let (r, c) = if fill == Fill::Lower { (i, j) } else { (j, i) };
        let value = T::narrow(random.complex() / row_entries[i].max(row_entries[j]));
        kept.push((r, c, value));
        if storage.duplicates && random.below(3) == 0 {
            kept.push((r, c, value));
        }
        if storage.full {
            ignored.push((c, r, T::NAN));
        }
    }
    let pivot = |random: &mut Random| T::narrow(Complex::new(2.0 + random.unit(), 0.5 * random.unit()));
    let separate: Vec<T> = (0..n).map(|_| pivot(random)).collect();
    for i in (0..n).filter(|i| !no_diag.contains(i)) {
        for _ in 0..if storage.duplicates { 1 + random.below(3) } else { 1 } {
            let entry = (i, i, pivot(random));
            if diag == DiagSource::Matrix {
                kept.push(entry);
            } else {
                ignored.push((i, i, T::NAN));
            }
        }
    }
    let mut entries: Vec<_> = kept
        .iter()
        .map(|&(r, c, v)| match op {
            Op::NonTranspose => (r, c, v),
            Op::Transpose => (c, r, v),
            Op::ConjugateTranspose => (c, r, v.conj()),
        })
        .collect();
    for (i, &d) in separate.iter().enumerate() {
        match diag {
            DiagSource::Unit => entries.push((i, i, T::ONE)),
            DiagSource::Separate if op == Op::ConjugateTranspose => entries.push((i, i, d.conj())),
            DiagSource::Separate => entries.push((i, i, d)),
            DiagSource::Matrix => {}
        }
    }

    let mut stored: Vec<_> = kept
        .into_iter()
        .chain(ignored)
        .map(|(r, c, v)| if storage.csc { (c, r, v) } else { (r, c, v) })
        .collect();
    if storage.shuffled {
        random.shuffle(&mut stored);
        stored.sort_by_key(|&(major, ..)| major);
    } else {
        stored.sort_by_key(|&(major, minor, _)| (major, minor));
    }
    let base = i64::from(storage.one_based);
    let ptr = (0..=n).map(|i| stored.partition_point(|e| e.0 < i) as i64 + base).collect();
    let ind = stored.iter().map(|e| (e.1 as i64 + base) as i32).collect();
    let descr = MatDescr {
        fill,
        diag: if diag == DiagSource::Unit { Diag::Unit } else { Diag::NonUnit },
        base: if storage.one_based { Base::One } else { Base::Zero },
        format: if storage.csc { Format::Csc } else { Format::Csr },
        ..Default::default()
    };
    let is_separate = diag == DiagSource::Separate;
    let shape = Shape::new(op, n as i64, stored.len() as i64, descr, T::DTYPE, is_separate).unwrap();
    Problem { shape, entries, val: stored.iter().map(|e| e.2).collect(), ptr, ind, separate }
}

impl<T: Value> Problem<T> {
    fn n(&self) -> usize {
        self.shape.n as usize
    }

    fn pattern(&self) -> Pattern {
        validate(&self.shape, &self.ptr, &self.ind).unwrap()
    }

    fn schedule(&self, method: Method) -> Schedule {
        schedule(&self.shape, &self.pattern(), method.needs()).0
    }

    /// Solves with scratch full of rubbish; `in_place` lets f and x be one array. Without a method by pieces of a few
    /// rows, one thread or several.
    fn solve(
        &self,
        pool: &Pool,
        method: Option<Method>,
        alpha: T,
        f: &[T],
        in_place: bool,
    ) -> (Vec<T>, Option<u32>) {
        let limit = Duration::from_secs(60);
        let (x, pivot) = match method {
            Some(method) => self.solve_with(pool, method, &self.schedule(method), alpha, f, in_place, limit),
            None => {
                let pieces = Pieces::for_test(&self.shape, self.pattern(), pool.threads() as u32);
                let steps = Steps { row: 1, column: self.n() };
                // SAFETY: all arrays have n elements and the pieces are this problem's.
                self.with_job(alpha, f, in_place, 1, [steps; 2], limit, |job| unsafe {
                    pieces::solve_by(pool, &pieces, job, By::Team)
                })
            }
        };
        (x, pivot.expect("no wait is given up"))
    }

    #[allow(clippy::too_many_arguments)]
    fn solve_with(
        &self,
        pool: &Pool,
        method: Method,
        schedule: &Schedule,
        alpha: T,
        f: &[T],
        in_place: bool,
        timeout: Duration,
    ) -> (Vec<T>, Result<Option<u32>, GivenUp>) {
        let steps = Steps { row: 1, column: self.n() };
        // SAFETY: all arrays have n elements and the schedule is this problem's.
        self.with_job(alpha, f, in_place, 1, [steps; 2], timeout, |job| unsafe {
            super::solve(pool, method, schedule, job)
        })
    }

    /// Calls `solve` with a job for so many columns, stored in f and x by these steps.
    #[allow(clippy::too_many_arguments)]
    fn with_job<R>(
        &self,
        alpha: T,
        f: &[T],
        in_place: bool,
        columns: usize,
        [of_f, of_x]: [Steps; 2],
        timeout: Duration,
        solve: impl FnOnce(&Job<T>) -> R,
    ) -> (Vec<T>, R) {
        let mut x = if in_place { f.to_vec() } else { vec![T::NAN; f.len()] };
        let mut work = vec![T::NAN; self.n() * columns];
        // A thread's count takes more than a small matrix has.
        let mut counters = vec![0xdead_beef; self.n().max(1024)];
        let separate = self.shape.diag == DiagSource::Separate;
        let job = Job {
            alpha,
            val: self.val.as_ptr(),
            diag: if separate { self.separate.as_ptr() } else { std::ptr::null() },
            unit: self.shape.diag == DiagSource::Unit,
            conj: self.shape.conjugate(),
            forward: self.shape.forward(),
            f: if in_place { x.as_ptr() } else { f.as_ptr() },
            x: x.as_mut_ptr(),
            columns,
            of_f,
            of_x,
            work: work.as_mut_ptr(),
            counters: counters.as_mut_ptr(),
            timeout,
        };
        let result = solve(&job);
        (x, result)
    }

    /// The largest component-wise backward error, in units of a row's entries times eps.
    fn error(&self, alpha: T, f: &[T], x: &[T]) -> f64 {
        let size = |v: Wide| v.re.abs() + v.im.abs();
        let mut rest: Vec<Wide> = f.iter().map(|v| alpha.widen() * v.widen()).collect();
        let mut scale: Vec<f64> = rest.iter().map(|&v| size(v)).collect();
        let mut count = vec![1.0; self.n()];
        for &(i, j, a) in &self.entries {
            rest[i] -= a.widen() * x[j].widen();
            scale[i] += size(a.widen()) * size(x[j].widen());
            count[i] += 1.0;
        }
        let ratio = |i: usize| {
            let bound = count[i] * T::EPS * scale[i];
            match size(rest[i]) {
                0.0 => 0.0,
                r => r / bound,
            }
        };
        // A NaN is an error of its own, which a plain maximum would lose.
        (0..self.n()).map(ratio).fold(0.0, |a, b| if b.is_nan() { f64::INFINITY } else { f64::max(a, b) })
    }

    fn right_hand_side(&self, random: &mut Random) -> Vec<T> {
        (0..self.n()).map(|_| T::narrow(random.complex())).collect()
    }
}

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
                        let storage = Storage {
                            csc: bits & 1 != 0,
                            one_based: bits & 2 != 0,
                            shuffled: bits & 4 != 0,
                            full: bits & 8 != 0,
                            duplicates: bits & 16 != 0,
                        };
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
        let storage = Storage {
            csc: bits & 1 != 0,
            one_based: bits & 2 != 0,
            shuffled: bits & 4 != 0,
            full: bits & 8 != 0,
            duplicates: bits & 16 != 0,
        };
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

impl<T: Value> Problem<T> {
    fn val_of_diagonal(&self, i: usize) -> usize {
        (self.ptr[i] as usize..self.ptr[i + 1] as usize).find(|&e| self.ind[e] as usize == i).unwrap()
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
