//! Which values a matrix is measured with: a file's own where they can be solved with, else generated ones.
//!
//! A triangle of an arbitrary matrix can overflow within a few hundred rows, and a time taken on infinities or
//! denormal numbers says nothing. So a file's own values count only where a plain solve with them stays clear of
//! both; generated ones (see `Csr::assign_values`) always do.

use num_complex::Complex64;
use rayon::prelude::*;

use crate::matrix::{hash, right_hand_side, unit, Csr, Fill};
use crate::mtx::Loaded;
use crate::system::{Op, Type};

/// Where the values of a measured matrix come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Made by this program's rule, because that is what was asked for.
    #[default]
    Generated,
    /// The file's, with a missing or zero diagonal entry replaced by the largest magnitude in its row.
    Own,
    /// Generated: the file holds a pattern only, or complex values where real ones are wanted.
    NoneOfItsOwn,
    /// Generated: the file's own overflow or underflow in a solve.
    OutOfRange,
}

impl Origin {
    /// A mark for the matrix's name in tables, explained below them.
    pub fn mark(self) -> &'static str {
        match self {
            Origin::Generated | Origin::Own => "",
            Origin::NoneOfItsOwn => " (p)",
            Origin::OutOfRange => " (o)",
        }
    }
}

pub const MARKS: &str = "A file's own values are used, a diagonal entry that is missing or zero becoming the largest \
     magnitude in its row (1 in a row of zeros). Generated values instead: (p) the file holds a pattern only, or \
     complex numbers where real ones are wanted; (o) a solve with its own overflows or underflows. Generated are \
     the diagonal in [1, 2) and the rest in (-1, 1) / the longer of row and column.";

/// Generated values, real or complex.
pub fn generate(pattern: &mut Csr, complex: bool) {
    if complex {
        pattern.assign_complex_values();
    } else {
        pattern.assign_values();
    }
}

/// Generated values of a matrix that is dominated by its diagonal, so that ILU(0) and IC(0) exist: the diagonal in [2, 3), the rest
/// in (-1, 1) / the longest of the rows and columns of both unknowns, complex ones turned by an angle; entries (i, j) and (j, i)
/// are conjugates. IC(0) takes the lower triangle and its conjugate transpose, whose rows together sum up to less than 2.
pub fn generate_dominant(a: &mut Csr, complex: bool) {
    let mut longest = a.transposed().ptr.windows(2).map(|p| p[1] - p[0]).collect::<Vec<i32>>();
    (0..a.n).for_each(|i| longest[i] = longest[i].max(a.row(i).len() as i32));
    let values = (0..a.n).into_par_iter().flat_map_iter(|i| {
        let longest = &longest;
        a.row(i).iter().map(move |&j| {
            let j = j as usize;
            let pair = hash((i.min(j) as u64) << 32 | i.max(j) as u64);
            let (number, angle) = (unit(pair), std::f64::consts::TAU * unit(hash(!pair)));
            if i == j {
                return (2.0 + number, 0.0);
            }
            let size = (2.0 * number - 1.0) / f64::from(longest[i].max(longest[j]));
            match complex {
                true => (size * angle.cos(), size * if i < j { angle.sin() } else { -angle.sin() }),
                false => (size, 0.0),
            }
        })
    });
    let (re, im): (Vec<f64>, Vec<f64>) = values.unzip();
    (a.val, a.im) = (re, if complex { im } else { Vec::new() });
}

/// A file's matrix, whole, with a full diagonal and with values that the solves asked for can be done with. Each
/// sequence of solves starts from the right-hand side of the benchmark.
pub fn of_file(file: Loaded, complex: bool, types: &[Type], sequences: &[&[(Fill, Op)]]) -> (Csr, Origin) {
    let Loaded { matrix, has_values } = file;
    let generated = |mut a: Csr, why: Origin| {
        generate(&mut a, complex);
        (a, why)
    };
    if !has_values || (!complex && !matrix.im.is_empty()) {
        let pattern = Csr { val: vec![1.0; matrix.nnz()], im: Vec::new(), ..matrix };
        return generated(pattern.with_whole_diagonal(), Origin::NoneOfItsOwn);
    }
    let a = matrix.with_whole_diagonal();
    let single = types.iter().any(|t| !t.is_double());
    match sequences.iter().all(|solves| stays_in_range(&a, solves, single)) {
        true => (a, Origin::Own),
        false => generated(a, Origin::OutOfRange),
    }
}

/// Whether no number of the solves, one after the other, comes near the ends of the precision's range.
fn stays_in_range(a: &Csr, solves: &[(Fill, Op)], single: bool) -> bool {
    let largest: f64 = if single { 1e30 } else { 1e280 };
    let usable = |z: &Complex64| {
        let size = z.norm();
        size == 0.0 || (1.0 / largest..largest).contains(&size)
    };
    let values_fit = (0..a.nnz()).all(|k| usable(&value(a, k)));
    let mut x: Vec<Complex64> = right_hand_side(a.n).into_iter().map(Complex64::from).collect();
    values_fit
        && solves.iter().all(|&(fill, op)| {
            solve(a, fill, op, &mut x);
            x.iter().all(usable)
        })
}

fn value(a: &Csr, k: usize) -> Complex64 {
    Complex64::new(a.val[k], a.im.get(k).copied().unwrap_or(0.0))
}

/// A plain solve in place, by rows or (transposed) by columns.
fn solve(a: &Csr, fill: Fill, op: Op, x: &mut [Complex64]) {
    let mut visit = |i: usize| {
        let entry = |k: usize| if op == Op::H { value(a, k).conj() } else { value(a, k) };
        let dependencies = || a.range(i).filter(|&k| fill.is_dependency(i, a.col[k] as usize));
        let diagonal: Complex64 = a.range(i).filter(|&k| a.col[k] as usize == i).map(entry).sum();
        if op == Op::N {
            let sum: Complex64 = dependencies().map(|k| entry(k) * x[a.col[k] as usize]).sum();
            x[i] = (x[i] - sum) / diagonal;
        } else {
            x[i] /= diagonal;
            for k in dependencies() {
                let update = entry(k) * x[i];
                x[a.col[k] as usize] -= update;
            }
        }
    };
    // A transposed lower triangle is solved from its last row on, like an upper one.
    if (fill == Fill::Lower) == (op == Op::N) {
        (0..a.n).for_each(&mut visit);
    } else {
        (0..a.n).rev().for_each(&mut visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::check::{backward_error, Question};

    /// Rows 0: 2 | 1: -1 2 | 2: 0 v 2, and an entry above the diagonal.
    fn loaded(v: f64, im: Vec<f64>) -> Loaded {
        let (ptr, col) = (vec![0, 2, 4, 6], vec![0, 2, 0, 1, 1, 2]);
        Loaded {
            matrix: Csr { n: 3, ptr, col, val: vec![2.0, 1.0, -1.0, 2.0, v, 2.0], im },
            has_values: true,
        }
    }

    #[test]
    fn the_plain_solve_solves_every_op() {
        let (a, origin) = of_file(loaded(3.0, vec![0.5; 6]), true, &[Type::Z], &[]);
        assert_eq!(origin, Origin::Own);
        let f = [1.0, 2.0, 3.0];
        for fill in [Fill::Lower, Fill::Upper] {
            for op in [Op::N, Op::T, Op::H] {
                let mut x = f.map(Complex64::from);
                solve(&a, fill, op, &mut x);
                let (re, im) = (x.map(|z| z.re), x.map(|z| z.im));
                let question = Question { matrix: &a, fill, op, ty: Type::Z };
                assert!(backward_error(&question, (&f, &[]), (&re, &im)) < 1.0, "{fill:?} {op:?}");
            }
        }
    }

    #[test]
    fn dominant_values_are_hermitian_and_dominated_by_the_diagonal() {
        let lower = Csr::from_rows(40, |i, out| {
            out.extend((0..=i as i32).filter(|j| (i as i32 + j) % 3 != 1 || *j == i as i32));
        });
        let mut a = lower.unwrap().symmetrised().unwrap();
        for complex in [false, true] {
            generate_dominant(&mut a, complex);
            let entry = |i: usize, j: usize| {
                let k = a.range(i).find(|&k| a.col[k] as usize == j).expect("the pattern is symmetric");
                value(&a, k)
            };
            for i in 0..a.n {
                let others = a.row(i).iter().map(|&j| j as usize).filter(|&j| j != i);
                let sum: f64 = others.clone().map(|j| entry(i, j).norm()).sum();
                assert!(sum > 0.0 && entry(i, i).im == 0.0 && entry(i, i).re > 2.0 * sum, "{i}");
                assert!(others.into_iter().all(|j| entry(i, j) == entry(j, i).conj()), "{i}");
            }
        }
    }

    #[test]
    fn own_values_are_kept_only_where_they_can_be_solved_with() {
        let lower: &[(Fill, Op)] = &[(Fill::Lower, Op::N)];
        let origin = |v: f64, types: &[Type]| of_file(loaded(v, vec![]), false, types, &[lower]).1;
        assert_eq!(origin(3.0, &[Type::D, Type::S]), Origin::Own);
        assert_eq!(origin(1e35, &[Type::D]), Origin::Own);
        assert_eq!(origin(1e35, &[Type::D, Type::S]), Origin::OutOfRange);
        assert_eq!(origin(1e300, &[Type::D]), Origin::OutOfRange);
        assert_eq!(of_file(loaded(3.0, vec![1.0; 6]), false, &[Type::D], &[lower]).1, Origin::NoneOfItsOwn);
        let pattern = Loaded { has_values: false, ..loaded(3.0, vec![]) };
        assert_eq!(of_file(pattern, false, &[Type::D], &[lower]).1, Origin::NoneOfItsOwn);
    }
}
