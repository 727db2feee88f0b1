//! Complete factors of grids in nested-dissection order: dense where large separators meet.

use crate::base::Result;
use crate::generate::grids::{Grid, Stencil};
use crate::matrix::permute::{ilu_pattern, permuted, COMPLETE};
use crate::matrix::{hash, Csr, Fill};

/// The factor L of a grid. The order is that of nested dissection by planes, the separators last.
#[derive(Clone, Copy, Debug)]
pub struct Factor {
    pub size: [usize; 3],
    pub stencil: Stencil,
    /// Of the couplings between two unknowns, as many in a hundred go one way only; 0 for a symmetric matrix.
    pub one_way: u64,
}

/// Boxes of at most this many points are not dissected.
const LEAF: usize = 8;

impl Factor {
    pub fn rows(&self) -> usize {
        self.size.iter().product()
    }

    pub fn lower_pattern(&self) -> Result<Csr> {
        let grid = Grid { stencil: self.stencil, size: self.size, dof: 1 };
        let mut order = Vec::with_capacity(self.rows());
        dissect(self.size, [0; 3], self.size, &mut order);
        let whole = permuted(&grid.pattern(false)?, &order)?;
        if self.one_way == 0 {
            return cholesky_pattern(&whole);
        }
        // A coupling is kept in one direction or in both, by a hash of the pair.
        let is_kept = |row: usize, column: usize| {
            let (low, high) = (row.min(column) as u64, row.max(column) as u64);
            let drawn = hash(low << 32 | high);
            row == column || drawn % 100 >= self.one_way || (drawn >> 32 & 1 == 0) == (row < column)
        };
        let unsymmetric = Csr::from_rows(whole.n, |row, out| {
            out.extend(whole.row(row).iter().filter(|&&column| is_kept(row, column as usize)));
        })?;
        ilu_pattern(&unsymmetric, COMPLETE)?.triangle(Fill::Lower)
    }
}

/// The points of a box of the grid in nested-dissection order.
fn dissect(size: [usize; 3], from: [usize; 3], to: [usize; 3], order: &mut Vec<u32>) {
    let extent: [usize; 3] = std::array::from_fn(|axis| to[axis] - from[axis]);
    let longest = (0..3).max_by_key(|&axis| extent[axis]).expect("there are three axes");
    if extent.iter().product::<usize>() <= LEAF || extent[longest] < 3 {
        for z in from[2]..to[2] {
            for y in from[1]..to[1] {
                order.extend((from[0]..to[0]).map(|x| ((z * size[1] + y) * size[0] + x) as u32));
            }
        }
        return;
    }
    let middle = from[longest] + extent[longest] / 2;
    let bound = |mut corner: [usize; 3], place: usize| {
        corner[longest] = place;
        corner
    };
    dissect(size, from, bound(to, middle), order);
    dissect(size, bound(from, middle + 1), to, order);
    dissect(size, bound(from, middle), bound(to, middle + 1), order);
}

/// The pattern of L in L transpose(L) = A, for a symmetric pattern: row i has what the paths from its entries to the root
/// of the elimination tree pass before i (J. Liu, The role of elimination trees in sparse factorization, 1990).
fn cholesky_pattern(a: &Csr) -> Result<Csr> {
    const NONE: usize = usize::MAX;
    let (mut parent, mut ancestor) = (vec![NONE; a.n], vec![NONE; a.n]);
    for i in 0..a.n {
        for &j in a.row(i).iter().filter(|&&j| (j as usize) < i) {
            let mut at = j as usize;
            while at != NONE && at < i {
                let next = std::mem::replace(&mut ancestor[at], i);
                if next == NONE {
                    parent[at] = i;
                }
                at = next;
            }
        }
    }
    let mut seen = vec![NONE; a.n];
    let mut rows: Vec<Vec<i32>> = Vec::with_capacity(a.n);
    for i in 0..a.n {
        let mut row = vec![i as i32];
        seen[i] = i;
        for &j in a.row(i).iter().filter(|&&j| (j as usize) < i) {
            let mut at = j as usize;
            while seen[at] != i {
                seen[at] = i;
                row.push(at as i32);
                at = parent[at];
            }
        }
        row.sort_unstable();
        rows.push(row);
    }
    Csr::from_rows(a.n, |i, out| out.extend(&rows[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symmetric_factor_is_that_of_elimination() {
        for (size, stencil) in [([9, 7, 1], Stencil::Axes), ([4, 5, 4], Stencil::Box)] {
            let factor = Factor { size, stencil, one_way: 0 };
            let mut order = Vec::new();
            dissect(size, [0; 3], size, &mut order);
            assert!(
                (0..factor.rows() as u32).all(|point| order.contains(&point)) && order.len() == factor.rows()
            );
            let whole = permuted(&Grid { stencil, size, dof: 1 }.pattern(false).unwrap(), &order).unwrap();
            let wanted = ilu_pattern(&whole, COMPLETE).unwrap().triangle(Fill::Lower).unwrap();
            let got = factor.lower_pattern().unwrap();
            assert_eq!((got.ptr, got.col), (wanted.ptr, wanted.col));
        }
    }

    #[test]
    fn couplings_of_one_way_make_fewer_entries() {
        let entries = |one_way| {
            let a = Factor { size: [20, 20, 1], stencil: Stencil::Axes, one_way }.lower_pattern().unwrap();
            assert_eq!(a.missing_diagonal(), None);
            a.nnz()
        };
        assert!(entries(60) < entries(0));
    }
}
