//! Whether a solution solves its system: the component-wise backward error.

use std::ops::Range;

use rayon::prelude::*;

use crate::matrix::{Csr, Fill};
use crate::system::{Op, Type};

/// A result counts when its backward error is at most this many times (entries in the row) x epsilon.
pub const TOLERANCE: f64 = 4.0;

/// Which system a solution is for.
pub struct Question<'a> {
    pub matrix: &'a Csr,
    pub fill: Fill,
    pub op: Op,
    pub ty: Type,
}

/// The largest over all rows i of |f - A x| / (|A| |x| + |f|), in units of (entries of row i) x epsilon,
/// computed in double precision, over all columns of f and x, which are one after the other. Infinite where the
/// solution is not finite.
pub fn backward_error(q: &Question, f: (&[f64], &[f64]), x: (&[f64], &[f64])) -> f64 {
    backward_errors(q, false, f, x).into_iter().fold(0.0, f64::max)
}

/// The backward error of each column. With `unit` the diagonal is ones, whatever is stored.
pub fn backward_errors(q: &Question, unit: bool, f: (&[f64], &[f64]), x: (&[f64], &[f64])) -> Vec<f64> {
    let is_real = q.matrix.im.is_empty() && f.1.is_empty() && x.1.is_empty();
    let of_one = if is_real { backward_error_of::<false> } else { backward_error_of::<true> };
    let columns = (0..f.0.len()).step_by(q.matrix.n.max(1)).map(|at| at..at + q.matrix.n);
    columns.map(|at| of_one(q, unit, column(f, at.clone()), column(x, at))).collect()
}

fn column<'v>(v: (&'v [f64], &'v [f64]), at: Range<usize>) -> (&'v [f64], &'v [f64]) {
    (&v.0[at.clone()], v.1.get(at).unwrap_or_default())
}

/// Sums over one row: A x, |A| |x|, and how many entries.
#[derive(Clone, Copy, Default)]
struct Sums {
    re: f64,
    im: f64,
    abs: f64,
    count: u32,
}

impl Sums {
    #[inline]
    fn add<const COMPLEX: bool>(&mut self, a: (f64, f64), x: (f64, f64)) {
        if COMPLEX {
            self.re += a.0 * x.0 - a.1 * x.1;
            self.im += a.0 * x.1 + a.1 * x.0;
            self.abs += a.0.hypot(a.1) * x.0.hypot(x.1);
        } else {
            self.re += a.0 * x.0;
            self.abs += (a.0 * x.0).abs();
        }
        self.count += 1;
    }

    fn error(&self, f: (f64, f64), epsilon: f64) -> f64 {
        let residual = (f.0 - self.re).hypot(f.1 - self.im);
        let scale = self.abs + f.0.hypot(f.1);
        match residual / (scale * epsilon * f64::from(self.count.max(1))) {
            _ if residual == 0.0 => 0.0,
            error if error.is_nan() => f64::INFINITY,
            error => error,
        }
    }
}

fn backward_error_of<const COMPLEX: bool>(
    q: &Question,
    unit: bool,
    f: (&[f64], &[f64]),
    x: (&[f64], &[f64]),
) -> f64 {
    let at = |v: (&[f64], &[f64]), i: usize| (v.0[i], v.1.get(i).copied().unwrap_or(0.0));
    let rounded = |v: f64| if q.ty.is_double() { v } else { f64::from(v as f32) };
    let value = |k: usize| {
        let im = if COMPLEX { q.matrix.im.get(k).copied().unwrap_or(0.0) } else { 0.0 };
        (rounded(q.matrix.val[k]), if q.op == Op::H { -rounded(im) } else { rounded(im) })
    };
    let taken = |i: usize, j: usize| (i == j && !unit) || q.fill.is_dependency(i, j);
    let begin = |i: usize| {
        let mut sums = Sums::default();
        if unit {
            sums.add::<COMPLEX>((1.0, 0.0), at(x, i));
        }
        sums
    };
    let epsilon = q.ty.epsilon();
    if q.op != Op::N {
        let mut sums: Vec<Sums> = (0..q.matrix.n).map(begin).collect();
        for i in 0..q.matrix.n {
            for k in q.matrix.range(i) {
                let j = q.matrix.col[k] as usize;
                if taken(i, j) {
                    sums[j].add::<COMPLEX>(value(k), at(x, i));
                }
            }
        }
        return sums.par_iter().enumerate().map(|(i, s)| s.error(at(f, i), epsilon)).reduce(|| 0.0, f64::max);
    }
    let row_error = |i: usize| {
        let mut sums = begin(i);
        for k in q.matrix.range(i) {
            let j = q.matrix.col[k] as usize;
            if taken(i, j) {
                sums.add::<COMPLEX>(value(k), at(x, j));
            }
        }
        sums.error(at(f, i), epsilon)
    };
    (0..q.matrix.n).into_par_iter().with_min_len(4096).map(row_error).reduce(|| 0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(a: &Csr, op: Op) -> Question<'_> {
        Question { matrix: a, fill: Fill::Lower, op, ty: Type::D }
    }

    fn lower() -> Csr {
        // 2 . | 1 4, and an entry above the diagonal that must not count
        Csr {
            n: 2,
            ptr: vec![0, 2, 4],
            col: vec![0, 1, 0, 1],
            val: vec![2.0, f64::NAN, 1.0, 4.0],
            im: vec![],
        }
    }

    #[test]
    fn exact_solutions_have_no_error_and_others_do() {
        let a = lower();
        let none: &[f64] = &[];
        assert_eq!(backward_error(&question(&a, Op::N), (&[2.0, 9.0], none), (&[1.0, 2.0], none)), 0.0);
        assert_eq!(backward_error(&question(&a, Op::T), (&[4.0, 8.0], none), (&[1.0, 2.0], none)), 0.0);
        let wrong = backward_error(&question(&a, Op::N), (&[2.0, 9.0], none), (&[1.0, 2.1], none));
        assert!(wrong > 1e6 * TOLERANCE);
    }

    #[test]
    fn every_column_counts() {
        let a = lower();
        let error = |x: &[f64]| backward_error(&question(&a, Op::N), (&[2.0, 9.0, 4.0, 2.0], &[]), (x, &[]));
        assert_eq!(error(&[1.0, 2.0, 2.0, 0.0]), 0.0);
        assert!(error(&[1.0, 2.0, 2.0, 0.1]) > TOLERANCE);
        assert!(error(&[1.0, 2.1, 2.0, 0.0]) > TOLERANCE);
    }

    #[test]
    fn a_unit_diagonal_takes_the_place_of_the_stored_one() {
        let a = lower();
        let errors = |op, f: &[f64], x: &[f64]| backward_errors(&question(&a, op), true, (f, &[]), (x, &[]));
        assert_eq!(errors(Op::N, &[1.0, 3.0, 1.0, 0.0], &[1.0, 2.0, 1.0, -1.0]), [0.0, 0.0]);
        assert_eq!(errors(Op::T, &[3.0, 2.0], &[1.0, 2.0]), [0.0]);
        let wrong = errors(Op::N, &[1.0, 3.0, 1.0, 0.0], &[1.0, 2.0, 1.0, 1.0]);
        assert!(wrong[0] == 0.0 && wrong[1] > TOLERANCE);
    }

    #[test]
    fn solutions_that_are_not_finite_never_count() {
        let a = lower();
        for bad in [f64::NAN, f64::INFINITY] {
            let error = backward_error(&question(&a, Op::N), (&[2.0, 9.0], &[]), (&[1.0, bad], &[]));
            assert!(error > TOLERANCE);
        }
    }

    #[test]
    fn complex_numbers_multiply_as_such() {
        let a = Csr { n: 1, ptr: vec![0, 1], col: vec![0], val: vec![0.0], im: vec![1.0] };
        for (op, f) in [(Op::N, (-3.0, 2.0)), (Op::T, (-3.0, 2.0)), (Op::H, (3.0, -2.0))] {
            let q = Question { matrix: &a, fill: Fill::Upper, op, ty: Type::Z };
            assert_eq!(backward_error(&q, (&[f.0], &[f.1]), (&[2.0], &[3.0])), 0.0, "{op:?}");
        }
    }
}
