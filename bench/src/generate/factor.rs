//! Complete factors of matrices in nested-dissection order: dense where large separators meet.

use crate::base::Result;
use crate::generate::grids::{Grid, Points};
use crate::generate::mesh::Mesh;
use crate::matrix::permute::{ilu_pattern, order, permuted, Order, COMPLETE};
use crate::matrix::{hash, Csr, Fill};

/// What is factorised, and in what order; separators come last.
#[derive(Clone, Copy, Debug)]
pub enum Dissected {
    /// A grid, by planes.
    Planes(Grid),
    /// A grid, by METIS.
    Metis(Grid),
    /// A mesh, by METIS.
    MetisMesh(Mesh),
    /// Points at random, by METIS.
    MetisPoints(Points),
}

impl Dissected {
    /// The whole pattern, in its order.
    fn pattern(&self) -> Result<Csr> {
        let whole = match self {
            Dissected::Planes(grid) | Dissected::Metis(grid) => grid.pattern(false)?,
            Dissected::MetisMesh(mesh) => mesh.pattern()?,
            Dissected::MetisPoints(points) => points.pattern()?,
        };
        let order = match self {
            Dissected::Planes(grid) => by_planes(grid),
            _ => order(&whole, Order::Metis),
        };
        permuted(&whole, &order)
    }
}

/// The factors L and U of a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Factor {
    pub of: Dissected,
    /// Of the couplings between two unknowns, as many in a hundred go one way only; 0 for a symmetric matrix.
    pub one_way: u64,
}

/// Boxes of at most this many points are not dissected.
const LEAF: usize = 8;

impl Factor {
    /// L or U.
    pub fn pattern(&self, fill: Fill) -> Result<Csr> {
        let whole = self.of.pattern()?;
        if self.one_way == 0 {
            let lower = cholesky_pattern(&whole)?;
            return Ok(if fill == Fill::Lower { lower } else { lower.transposed() });
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
        ilu_pattern(&unsymmetric, COMPLETE)?.triangle(fill)
    }
}

/// The unknowns of a grid, node by node, in the order of nested dissection by planes.
fn by_planes(grid: &Grid) -> Vec<u32> {
    let mut nodes = Vec::with_capacity(grid.size.iter().product());
    dissect(grid.size, [0; 3], grid.size, &mut nodes);
    let dof = grid.dof as u32;
    nodes.into_iter().flat_map(|node| node * dof..(node + 1) * dof).collect()
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
    use crate::generate::grids::{Along, Stencil};
    use crate::generate::mesh::{Element, Shape};

    #[test]
    fn a_symmetric_factor_is_that_of_elimination() {
        let flat = Grid { stencil: Stencil::Axes, size: [9, 7, 1], dof: 1 };
        let solid = Grid { stencil: Stencil::Box, size: [4, 5, 4], dof: 2 };
        let mesh = Mesh { shape: Shape::Porous(4), element: Element::P1, dof: 2 };
        let points = Points { count: 100, dof: 1, axes: 2, radius: 0.15, along: Along::Sweep };
        for of in [
            Dissected::Planes(flat),
            Dissected::Planes(solid),
            Dissected::Metis(solid),
            Dissected::MetisMesh(mesh),
            Dissected::MetisPoints(points),
        ] {
            let whole = of.pattern().unwrap();
            let got = Factor { of, one_way: 0 }.pattern(Fill::Lower).unwrap();
            assert_eq!((got.ptr, got.col), eliminated(&whole), "{of:?}");
        }
    }

    /// The lower triangle of the pattern that elimination leaves of a dense array.
    fn eliminated(a: &Csr) -> (Vec<i32>, Vec<i32>) {
        let mut is_there = vec![vec![false; a.n]; a.n];
        (0..a.n).for_each(|i| a.row(i).iter().for_each(|&j| is_there[i][j as usize] = true));
        for pivot in 0..a.n {
            let below = is_there[pivot].clone();
            for row in &mut is_there[pivot + 1..] {
                if row[pivot] {
                    (pivot + 1..a.n).for_each(|j| row[j] |= below[j]);
                }
            }
        }
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for (i, row) in is_there.iter().enumerate() {
            columns.extend((0..=i).filter(|&j| row[j]).map(|j| j as i32));
            starts.push(columns.len() as i32);
        }
        (starts, columns)
    }

    #[test]
    fn planes_dissect_all_unknowns() {
        let mut unknowns = by_planes(&Grid { stencil: Stencil::Axes, size: [9, 7, 5], dof: 2 });
        assert!(unknowns.chunks(2).all(|node| node[0] % 2 == 0 && node[1] == node[0] + 1));
        unknowns.sort_unstable();
        assert!(unknowns.into_iter().eq(0..9 * 7 * 5 * 2));
    }

    #[test]
    fn couplings_of_one_way_make_fewer_entries() {
        let grid = Grid { stencil: Stencil::Axes, size: [20, 20, 1], dof: 1 };
        for of in [Dissected::Planes(grid), Dissected::Metis(grid)] {
            let entries = |one_way| {
                let factor = Factor { of, one_way };
                let [lower, upper] = [Fill::Lower, Fill::Upper].map(|fill| factor.pattern(fill).unwrap());
                assert_eq!((lower.missing_diagonal(), upper.missing_diagonal()), (None, None));
                assert_eq!(upper.transposed().col == lower.col, one_way == 0);
                lower.nnz()
            };
            assert!(entries(60) < entries(0), "{of:?}");
        }
    }

    #[test]
    fn metis_leaves_less_fill_than_level_sets() {
        let mesh = Mesh { shape: Shape::Graded(0.01), element: Element::P1, dof: 1 }.pattern().unwrap();
        let entries = |by| cholesky_pattern(&permuted(&mesh, &order(&mesh, by)).unwrap()).unwrap().nnz();
        let (metis, level_sets) = (entries(Order::Metis), entries(Order::Nd));
        assert!(metis < level_sets, "{metis} {level_sets}");
    }
}
