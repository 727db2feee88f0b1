//! Coarse operators of algebraic multigrid.

use std::cmp::Reverse;

use crate::base::Result;
use crate::generate::grids::{Grid, Stencil};
use crate::matrix::{hash, Csr};

/// The operator that is left of a grid after some coarsenings: a maximal independent set is kept, every other unknown is
/// interpolated from its two first neighbours in the set, and the operator between is the Galerkin product.
#[derive(Clone, Copy, Debug)]
pub struct Coarse {
    pub grid: Grid,
    pub times: usize,
}

impl Coarse {
    /// The whole pattern, in the order of the grid.
    pub fn pattern(&self) -> Result<Csr> {
        (0..self.times).try_fold(self.grid.pattern(false)?, |a, _| coarsened(&a))
    }
}

/// A grid of so many points along each side.
pub fn of_cube(stencil: Stencil, side: usize, times: usize) -> Coarse {
    Coarse { grid: Grid { stencil, size: [side; 3], dof: 1 }, times }
}

/// The unknowns of a maximal independent set: those with many neighbours first, by chance among equals.
fn independent_set(a: &Csr) -> Vec<bool> {
    let mut order: Vec<usize> = (0..a.n).collect();
    order.sort_by_cached_key(|&i| Reverse((a.row(i).len(), hash(i as u64))));
    let (mut kept, mut decided) = (vec![false; a.n], vec![false; a.n]);
    for i in order {
        if !decided[i] {
            kept[i] = true;
            a.row(i).iter().for_each(|&j| decided[j as usize] = true);
        }
    }
    kept
}

fn coarsened(a: &Csr) -> Result<Csr> {
    let kept = independent_set(a);
    let fine: Vec<usize> = (0..a.n).filter(|&i| kept[i]).collect();
    let mut number = vec![0i32; a.n];
    fine.iter().zip(0..).for_each(|(&i, k)| number[i] = k);
    // Where each unknown is interpolated from, and what is interpolated from each.
    let from = |i: usize| -> Vec<i32> {
        match kept[i] {
            true => vec![number[i]],
            false => {
                a.row(i).iter().filter(|&&j| kept[j as usize]).take(2).map(|&j| number[j as usize]).collect()
            }
        }
    };
    let from: Vec<Vec<i32>> = (0..a.n).map(from).collect();
    let mut to: Vec<Vec<usize>> = vec![Vec::new(); fine.len()];
    for (i, list) in from.iter().enumerate() {
        list.iter().for_each(|&k| to[k as usize].push(i));
    }
    Csr::from_rows(fine.len(), |row, out| {
        for &i in &to[row] {
            out.extend(a.row(i).iter().flat_map(|&j| &from[j as usize]));
        }
        out.sort_unstable();
        out.dedup();
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_operators_are_symmetric_and_smaller() {
        let coarse = |times| of_cube(Stencil::Axes, 12, times).pattern().unwrap();
        let (once, twice) = (coarse(1), coarse(2));
        assert!(twice.n < once.n && once.n < 12 * 12 * 12 / 2 + 1 && twice.n > 10);
        for a in [once, twice] {
            assert_eq!(a.missing_diagonal(), None);
            let t = a.transposed();
            assert_eq!((a.ptr, a.col), (t.ptr, t.col));
        }
    }
}
