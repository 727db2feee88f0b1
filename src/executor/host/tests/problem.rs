//! Problems to solve.
//!
//! A matrix is a list of (row, column, value) here; storing it and checking a solution share no code with
//! the library's own way from storage to schedule.

use std::time::Duration;

use num_complex::Complex;

use crate::analysis::pattern::validate;
use crate::analysis::{Pattern, Schedule};
use crate::executor::host::pieces::{self, By, Pieces};
use crate::executor::host::setup::schedule;
use crate::executor::host::{self, GivenUp, Job, Method, Pool};
use crate::problem::{Base, DataType, Diag, DiagSource, Fill, Format, MatDescr, Op, Shape, Steps};
use crate::scalar::Scalar;

pub type Wide = Complex<f64>;

/// A value type as the checks see it.
pub trait Value: Scalar {
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
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
    /// In -1..1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    pub fn complex(&mut self) -> Wide {
        Complex::new(self.unit(), self.unit())
    }
    fn shuffle<E>(&mut self, list: &mut [E]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KindOfMatrix {
    Diagonal,
    Chain,
    Grid,
    Random,
    DenseRow,
    DenseColumn,
    /// Independent rows in front, and each row of the rest on some of these: few and wide levels.
    Wide,
}

pub const KINDS_OF_MATRICES: [KindOfMatrix; 7] = [
    KindOfMatrix::Diagonal,
    KindOfMatrix::Chain,
    KindOfMatrix::Grid,
    KindOfMatrix::Random,
    KindOfMatrix::DenseRow,
    KindOfMatrix::DenseColumn,
    KindOfMatrix::Wide,
];

/// The strictly lower entries of a kind of matrix.
pub fn lower(kind: KindOfMatrix, n: usize, random: &mut Random) -> Vec<(usize, usize)> {
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
pub struct Storage {
    pub csc: bool,
    pub one_based: bool,
    /// Entries of a row or column in random order.
    pub shuffled: bool,
    /// The other triangle is there too, full of NaN.
    pub full: bool,
    /// Some entries come twice, the diagonal included.
    pub duplicates: bool,
}

impl Storage {
    /// One of 32.
    pub fn by(bits: u64) -> Storage {
        let is = |bit: u64| bits >> bit & 1 != 0;
        Storage { csc: is(0), one_based: is(1), shuffled: is(2), full: is(3), duplicates: is(4) }
    }
}

/// Rows, columns and values.
type Entries<T> = Vec<(usize, usize, T)>;

pub struct Problem<T> {
    pub shape: Shape,
    /// op(A) with its diagonal, as the definition has it.
    entries: Entries<T>,
    pub val: Vec<T>,
    pub ptr: Vec<i64>,
    pub ind: Vec<i32>,
    pub separate: Vec<T>,
}

/// `strict` are the positions of the strictly lower triangle of A, mirrored for an upper one. Rows in
/// `no_diag` lack their diagonal entry.
pub fn problem<T: Value>(
    strict: &[(usize, usize)],
    n: usize,
    (op, fill, diag): (Op, Fill, DiagSource),
    storage: Storage,
    no_diag: &[usize],
    random: &mut Random,
) -> Problem<T> {
    let [mut triangle, mut ignored] = off_diagonal(strict, n, fill, storage, random);
    let separate: Vec<T> = (0..n).map(|_| pivot(random)).collect();
    for i in (0..n).filter(|i| !no_diag.contains(i)) {
        for _ in 0..if storage.duplicates { 1 + random.below(3) } else { 1 } {
            let value = pivot(random);
            if diag == DiagSource::Matrix {
                triangle.push((i, i, value));
            } else {
                ignored.push((i, i, T::NAN));
            }
        }
    }
    let entries = defined(&triangle, &separate, op, diag);
    let stored = stored(triangle.into_iter().chain(ignored).collect(), storage, random);
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

/// The entries of the triangle of A, which are far less than its pivots, and those of the other one, which a solve is to ignore.
fn off_diagonal<T: Value>(
    strict: &[(usize, usize)],
    n: usize,
    fill: Fill,
    storage: Storage,
    random: &mut Random,
) -> [Entries<T>; 2] {
    let (mut triangle, mut ignored) = (Vec::new(), Vec::new());
    let mut row_entries = vec![0f64; n];
    for &(i, j) in strict {
        row_entries[i] += 1.0;
        row_entries[j] += 1.0;
    }
    for &(i, j) in strict {
        let (r, c) = if fill == Fill::Lower { (i, j) } else { (j, i) };
        let value = T::narrow(random.complex() / row_entries[i].max(row_entries[j]));
        triangle.push((r, c, value));
        if storage.duplicates && random.below(3) == 0 {
            triangle.push((r, c, value));
        }
        if storage.full {
            ignored.push((c, r, T::NAN));
        }
    }
    [triangle, ignored]
}

fn pivot<T: Value>(random: &mut Random) -> T {
    T::narrow(Complex::new(2.0 + random.unit(), 0.5 * random.unit()))
}

/// op(A) with its diagonal.
fn defined<T: Value>(triangle: &[(usize, usize, T)], separate: &[T], op: Op, diag: DiagSource) -> Entries<T> {
    let of_op = |&(r, c, v): &(usize, usize, T)| match op {
        Op::NonTranspose => (r, c, v),
        Op::Transpose => (c, r, v),
        Op::ConjugateTranspose => (c, r, v.conj()),
    };
    let mut entries: Vec<_> = triangle.iter().map(of_op).collect();
    for (i, &d) in separate.iter().enumerate() {
        match diag {
            DiagSource::Unit => entries.push((i, i, T::ONE)),
            DiagSource::Separate if op == Op::ConjugateTranspose => entries.push((i, i, d.conj())),
            DiagSource::Separate => entries.push((i, i, d)),
            DiagSource::Matrix => {}
        }
    }
    entries
}

/// The same in the order in which they are stored, as (row, column, value) or for CSC as (column, row, value).
fn stored<T: Value>(entries: Entries<T>, storage: Storage, random: &mut Random) -> Entries<T> {
    let by_major = |(r, c, v)| if storage.csc { (c, r, v) } else { (r, c, v) };
    let mut stored: Vec<_> = entries.into_iter().map(by_major).collect();
    if storage.shuffled {
        random.shuffle(&mut stored);
        stored.sort_by_key(|&(major, ..)| major);
    } else {
        stored.sort_by_key(|&(major, minor, _)| (major, minor));
    }
    stored
}

impl<T: Value> Problem<T> {
    pub fn n(&self) -> usize {
        self.shape.n as usize
    }

    pub fn pattern(&self) -> Pattern {
        validate(&self.shape, &self.ptr, &self.ind).unwrap()
    }

    pub fn schedule(&self, method: Method) -> Schedule {
        schedule(&self.shape, &self.pattern(), method.needs()).0
    }

    /// Solves with scratch full of rubbish; `in_place` lets f and x be one array. Without a method by pieces of a few
    /// rows, one thread or several.
    pub fn solve(
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
    pub fn solve_with(
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
            host::solve(pool, method, schedule, job)
        })
    }

    /// Calls `solve` with a job for so many columns, stored in f and x by these steps.
    #[allow(clippy::too_many_arguments)]
    pub fn with_job<R>(
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
    pub fn error(&self, alpha: T, f: &[T], x: &[T]) -> f64 {
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

    pub fn right_hand_side(&self, random: &mut Random) -> Vec<T> {
        (0..self.n()).map(|_| T::narrow(random.complex())).collect()
    }

    /// Where the diagonal entry of a row is stored.
    pub fn val_of_diagonal(&self, i: usize) -> usize {
        (self.ptr[i] as usize..self.ptr[i + 1] as usize).find(|&e| self.ind[e] as usize == i).unwrap()
    }
}
