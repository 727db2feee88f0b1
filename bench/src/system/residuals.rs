//! Whether what is made around a solve is right: a pair of solves, a sweep, a factorisation. All errors are component-wise, in units
//! of (entries in the row) x epsilon, as the backward error of a solve is; infinite where a number is not finite.

use num_complex::Complex64;
use rayon::prelude::*;

use crate::matrix::{Csr, Fill};
use crate::system::Type;

/// Numbers with their real and imaginary parts apart; the latter may be left out.
pub type Parts<'v> = (&'v [f64], &'v [f64]);

fn at((re, im): Parts, i: usize) -> Complex64 {
    Complex64::new(re[i], im.get(i).copied().unwrap_or(0.0))
}

/// A whole matrix with values of this type, which may be others than its own.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    pub pattern: &'a Csr,
    pub values: Parts<'a>,
    pub ty: Type,
}

impl Matrix<'_> {
    fn value(&self, k: usize) -> Complex64 {
        at(self.values, k)
    }

    /// Columns and values of a row.
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, Complex64)> + '_ {
        self.pattern.range(i).map(|k| (self.pattern.col[k] as usize, self.value(k)))
    }
}

/// A sum and the sum of the magnitudes.
#[derive(Clone, Copy, Default)]
struct Sum {
    value: Complex64,
    size: f64,
}

impl Sum {
    fn add(&mut self, term: Complex64) {
        self.value += term;
        self.size += term.norm();
    }

    /// How far it is from what it should be, over so many times epsilon.
    fn error(&self, wanted: Complex64, count: usize, ty: Type) -> f64 {
        let distance = (wanted - self.value).norm();
        match distance / ((self.size + wanted.norm()) * ty.epsilon() * count.max(1) as f64) {
            _ if distance == 0.0 => 0.0,
            error if error.is_nan() => f64::INFINITY,
            error => error,
        }
    }
}

fn largest(n: usize, error: impl Fn(usize) -> f64 + Sync + Send) -> f64 {
    (0..n).into_par_iter().with_min_len(1024).map(error).reduce(|| 0.0, f64::max)
}

/// Of L U x = f, where both factors are in one matrix and L has a unit diagonal.
pub fn of_pair(factors: &Matrix, f: Parts, x: Parts) -> f64 {
    let n = factors.pattern.n;
    let is_upper = |i: usize, j: usize| j >= i;
    let of_upper = |i: usize| {
        let mut sum = Sum::default();
        factors.row(i).filter(|&(j, _)| is_upper(i, j)).for_each(|(j, u)| sum.add(u * at(x, j)));
        sum
    };
    let middle: Vec<Sum> = (0..n).into_par_iter().with_min_len(1024).map(of_upper).collect();
    let longest = (0..n).map(|i| factors.pattern.row(i).len()).max().unwrap_or(0);
    largest(n, |i| {
        let (mut sum, mut count) = (middle[i], longest);
        for (j, l) in factors.row(i).filter(|&(j, _)| Fill::Lower.is_dependency(i, j)) {
            sum.value += l * middle[j].value;
            sum.size += l.norm() * middle[j].size;
            count += 1;
        }
        sum.error(at(f, i), count, factors.ty)
    })
}

/// Of the equation of each row after a forward sweep from `guess` to `x`: unknowns before the row are new, others old.
pub fn of_sweep(a: &Matrix, b: Parts, guess: Parts, x: Parts) -> f64 {
    largest(a.pattern.n, |i| {
        let mut sum = Sum::default();
        for (j, value) in a.row(i) {
            let (new, old) = (at(x, j), at(guess, j));
            sum.add(value * if j <= i { new } else { old });
            // A sweep may be made of a residual with old unknowns alone, and an update.
            sum.size += (value * if j <= i { old } else { new }).norm();
        }
        sum.error(at(b, i), a.pattern.row(i).len(), a.ty)
    })
}

/// Of A = L U on the pattern, where `factors` has L below its diagonal, which is ones, and U.
pub fn of_ilu(a: &Matrix, factors: &Matrix) -> f64 {
    by_rows(a, |i, places, sums| {
        for (k, l) in factors.row(i).filter(|&(k, _)| k < i) {
            for (j, u) in factors.row(k).filter(|&(j, _)| j >= k) {
                if let Some(sum) = places.find(j, sums) {
                    sum.add(l * u);
                }
            }
        }
        for (j, u) in factors.row(i).filter(|&(j, _)| j >= i) {
            if let Some(sum) = places.find(j, sums) {
                sum.add(u);
            }
        }
        a.pattern.row(i).len()
    })
}

/// Of A = L L^H on and below the diagonal, where `factor` has L; what it holds above the diagonal does not count.
pub fn of_ic(a: &Matrix, factor: &Matrix) -> f64 {
    by_rows(a, |i, places, sums| {
        let lower: Vec<(usize, Complex64)> = factor.row(i).filter(|&(j, _)| j <= i).collect();
        for (place, &(j, _)) in lower.iter().enumerate() {
            for (k, l) in factor.row(j).filter(|&(k, _)| k <= j) {
                if let Some(own) = places.of(k) {
                    sums[place].add(lower[own].1 * l.conj());
                }
            }
        }
        lower.len()
    })
}

/// Where the columns of one row are in it.
struct Places {
    place: Vec<u32>,
}

impl Places {
    fn of(&self, column: usize) -> Option<usize> {
        Some(self.place[column] as usize).filter(|&place| place != u32::MAX as usize)
    }
    fn find<'s>(&self, column: usize, sums: &'s mut [Sum]) -> Option<&'s mut Sum> {
        self.of(column).map(|place| &mut sums[place])
    }
}

/// The largest error of the entries at the beginning of each row: `add` makes the sums of a row's entries, and says of how many.
fn by_rows(a: &Matrix, add: impl Fn(usize, &Places, &mut [Sum]) -> usize + Sync) -> f64 {
    /// Rows for which the places are cleared once.
    const CHUNK: usize = 1 << 14;
    let n = a.pattern.n;
    let chunks = (0..n.div_ceil(CHUNK)).into_par_iter().map(|chunk| {
        let mut places = Places { place: vec![u32::MAX; n] };
        let mut worst = 0.0;
        for i in chunk * CHUNK..n.min((chunk + 1) * CHUNK) {
            let row = a.pattern.row(i);
            (0..).zip(row).for_each(|(place, &j)| places.place[j as usize] = place);
            let mut sums = vec![Sum::default(); row.len()];
            let count = add(i, &places, &mut sums);
            for (sum, (_, value)) in sums[..count].iter().zip(a.row(i)) {
                worst = f64::max(worst, sum.error(value, row.len(), a.ty));
            }
            row.iter().for_each(|&j| places.place[j as usize] = u32::MAX);
        }
        worst
    });
    chunks.reduce(|| 0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::check::TOLERANCE;

    /// 4 2 . | 2 5 2 | . 2 5, whose factors are L = 1 | .5 1 | . .5 1 and U = 4 2 . | 4 2 | 4.
    fn pattern() -> Csr {
        Csr { n: 3, ptr: vec![0, 2, 5, 7], col: vec![0, 1, 0, 1, 2, 1, 2], ..Csr::default() }
    }
    const A: [f64; 7] = [4.0, 2.0, 2.0, 5.0, 2.0, 2.0, 5.0];
    const LU: [f64; 7] = [4.0, 2.0, 0.5, 4.0, 2.0, 0.5, 4.0];

    fn matrix<'a>(pattern: &'a Csr, values: &'a [f64]) -> Matrix<'a> {
        Matrix { pattern, values: (values, &[]), ty: Type::D }
    }

    /// A copy with one number changed.
    fn but<const N: usize>(mut values: [f64; N], at: usize) -> [f64; N] {
        values[at] += 1e-3;
        values
    }

    #[test]
    fn factors_are_right_where_their_product_is_the_matrix() {
        let p = pattern();
        assert_eq!(of_ilu(&matrix(&p, &A), &matrix(&p, &LU)), 0.0);
        for k in 0..7 {
            assert!(of_ilu(&matrix(&p, &A), &matrix(&p, &but(LU, k))) > TOLERANCE, "{k}");
        }
        assert_eq!(of_ilu(&matrix(&p, &A), &matrix(&p, &[f64::NAN; 7])), f64::INFINITY);
        // L of L L^H, and above the diagonal what it may be.
        let l = [2.0, f64::NAN, 1.0, 2.0, f64::NAN, 1.0, 2.0];
        assert_eq!(of_ic(&matrix(&p, &A), &matrix(&p, &l)), 0.0);
        for k in [0, 2, 3, 5, 6] {
            assert!(of_ic(&matrix(&p, &A), &matrix(&p, &but(l, k))) > TOLERANCE, "{k}");
        }
    }

    #[test]
    fn a_complex_factor_is_multiplied_by_its_conjugate() {
        // 1 -i | i 2 = L L^H with L = 1 | i 1.
        let p = Csr { n: 2, ptr: vec![0, 2, 4], col: vec![0, 1, 0, 1], ..Csr::default() };
        let a = Matrix { pattern: &p, values: (&[1.0, 0.0, 0.0, 2.0], &[0.0, -1.0, 1.0, 0.0]), ty: Type::Z };
        let error = |im: f64| {
            let parts = [0.0, 0.0, im, 0.0];
            of_ic(&a, &Matrix { values: (&[1.0, 0.0, 0.0, 1.0], &parts), ..a })
        };
        assert_eq!(error(1.0), 0.0);
        assert!(error(-1.0) > TOLERANCE);
    }

    #[test]
    fn a_pair_solves_with_both_factors() {
        let (p, none): (Csr, &[f64]) = (pattern(), &[]);
        let factors = matrix(&p, &LU);
        // L U is A, and A (1, 2, 3) = (8, 18, 19).
        let (f, x) = ([8.0, 18.0, 19.0], [1.0, 2.0, 3.0]);
        assert_eq!(of_pair(&factors, (&f, none), (&x, none)), 0.0);
        for k in 0..3 {
            assert!(of_pair(&factors, (&f, none), (&but(x, k), none)) > TOLERANCE, "{k}");
        }
    }

    #[test]
    fn a_sweep_uses_new_unknowns_before_the_row() {
        let (p, none): (Csr, &[f64]) = (pattern(), &[]);
        let a = matrix(&p, &A);
        // From (1, 1, 1): (6 - 2) / 4 = 1, (9 - 2 - 2) / 5 = 1, (17 - 2) / 5 = 3.
        let error = |x: [f64; 3]| of_sweep(&a, (&[6.0, 9.0, 17.0], none), (&[1.0; 3], none), (&x, none));
        assert_eq!(error([1.0, 1.0, 3.0]), 0.0);
        for k in 0..3 {
            assert!(error(but([1.0, 1.0, 3.0], k)) > TOLERANCE, "{k}");
        }
    }
}
