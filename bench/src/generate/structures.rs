//! Generated patterns of other structures than meshes have: graphs, trees, saddle points, domains, borders, blocks and bands.

use crate::base::Result;
use crate::generate::grids::{along_curve, Grid, Stencil};
use crate::matrix::permute::permuted;
use crate::matrix::{hash, unit, Csr, Fill};

#[derive(Clone, Copy, Debug)]
pub enum Structure {
    /// A graph of `1 << scale` unknowns by R-MAT (Chakrabarti, Zhan, Faloutsos, 2004), with the parts 0.57, 0.19, 0.19 and 0.05, before
    /// links that occur twice are left out.
    RMat { scale: u32, links: usize },
    /// Each unknown is joined to so many earlier ones, half of them ends of earlier links: preferential attachment.
    Attached { rows: usize, links: usize },
    /// Each unknown depends on so many of those before it up to a distance: on one in a tree, whose root is the first unknown, or
    /// in `reversed` order the last.
    Window { rows: usize, links: usize, reach: usize, reversed: bool },
    /// The optimality conditions of a control problem on a cube: state, control and adjoint, kind by kind or point by point.
    Control { side: usize, by_points: bool },
    /// So many grids that have nothing to do with each other.
    Domains { count: usize, grid: Grid },
    /// Dense blocks on the diagonal, and rows behind them that depend on so many unknowns anywhere, and on each other.
    Bordered { blocks: usize, size: usize, border: usize, links: usize },
    /// Dense blocks on the diagonal and below it.
    Blocks { count: usize, size: usize },
    /// Each unknown depends on so many before it.
    Band { rows: usize, width: usize },
    /// So many chains, of which one unknown each follow one another.
    Chains { count: usize, length: usize },
    /// A grid with so many of a hundred links left out.
    Sparse { grid: Grid, left_out: u64 },
    /// A grid in the order of Morton's curve.
    Curve { grid: Grid },
}

/// Two unknowns, the later one first.
type Link = [u32; 2];

fn link(a: usize, b: usize) -> Link {
    [a.max(b) as u32, a.min(b) as u32]
}

/// The lower triangle of these links, which may be in any order and occur twice, with its diagonal.
fn linked(rows: usize, mut links: Vec<Link>) -> Result<Csr> {
    links.extend((0..rows).map(|i| link(i, i)));
    links.sort_unstable();
    links.dedup();
    let begin = |row: usize| links.partition_point(|link| (link[0] as usize) < row);
    Csr::from_rows(rows, |row, out| {
        out.extend(links[begin(row)..begin(row + 1)].iter().map(|link| link[1] as i32))
    })
}

/// A lower triangle with its unknowns in the order of a key.
fn by_key<K: Ord>(lower: &Csr, key: impl Fn(usize) -> K) -> Result<Csr> {
    let mut order: Vec<u32> = (0..lower.n as u32).collect();
    order.sort_by_key(|&i| key(i as usize));
    permuted(&lower.symmetrised()?, &order)?.triangle(Fill::Lower)
}

/// Numbers at random, always the same ones.
struct Draws(u64);

impl Draws {
    fn unit(&mut self) -> f64 {
        self.0 += 1;
        unit(hash(self.0))
    }
    fn below(&mut self, bound: usize) -> usize {
        ((self.unit() * bound as f64) as usize).min(bound.saturating_sub(1))
    }
}

impl Structure {
    pub fn rows(&self) -> usize {
        match *self {
            Structure::RMat { scale, .. } => 1 << scale,
            Structure::Attached { rows, .. }
            | Structure::Window { rows, .. }
            | Structure::Band { rows, .. } => rows,
            Structure::Control { side, .. } => 3 * side * side * side,
            Structure::Domains { count, grid } => count * grid.unknowns(),
            Structure::Bordered { blocks, size, border, .. } => blocks * size + border,
            Structure::Blocks { count, size } => count * size,
            Structure::Chains { count, length } => count * length,
            Structure::Sparse { grid, .. } | Structure::Curve { grid } => grid.unknowns(),
        }
    }

    pub fn lower_pattern(&self) -> Result<Csr> {
        let rows = self.rows();
        match *self {
            Structure::RMat { scale, links: count } => r_mat(scale, count),
            Structure::Attached { links: count, .. } => attached(rows, count),
            Structure::Window { links: count, reach, reversed, .. } => window(rows, count, reach, reversed),
            Structure::Control { side, by_points } => control(side, by_points),
            Structure::Domains { grid, .. } => {
                let one = grid.pattern(true)?;
                Csr::from_rows(rows, |row, out| {
                    let first = row / one.n * one.n;
                    out.extend(one.row(row - first).iter().map(|&column| column + first as i32));
                })
            }
            Structure::Bordered { blocks, size, links: count, .. } => bordered(blocks, size, rows, count),
            Structure::Blocks { size, .. } => Csr::from_rows(rows, |row, out| {
                out.extend((row / size * size).saturating_sub(size) as i32..=row as i32);
            }),
            Structure::Band { width, .. } => {
                Csr::from_rows(rows, |row, out| out.extend(row.saturating_sub(width) as i32..=row as i32))
            }
            Structure::Chains { count, .. } => Csr::from_rows(rows, |row, out| {
                out.extend(row.checked_sub(count).map(|before| before as i32));
                out.push(row as i32);
            }),
            Structure::Sparse { grid, left_out } => {
                let whole = grid.pattern(true)?;
                let is_left = |row: usize, column: i32| {
                    row == column as usize || hash((row as u64) << 32 | column as u64) % 100 >= left_out
                };
                Csr::from_rows(rows, |row, out| {
                    out.extend(whole.row(row).iter().filter(|&&column| is_left(row, column)));
                })
            }
            Structure::Curve { grid } => {
                let [nx, ny, _] = grid.size;
                by_key(&grid.pattern(true)?, |i| {
                    along_curve([i % nx, i / nx % ny, i / (nx * ny)].map(|x| x as u64))
                })
            }
        }
    }
}

/// Links at random, each to one of four quarters of the matrix, and of that quarter, and so on.
fn r_mat(scale: u32, count: usize) -> Result<Csr> {
    let rows = 1 << scale;
    let mut draws = Draws(rows as u64);
    let mut links = Vec::new();
    for _ in 0..count {
        let (mut row, mut column) = (0, 0);
        for _ in 0..scale {
            let u = draws.unit();
            (row, column) = (2 * row + (u > 0.76) as usize, 2 * column);
            column += ((0.57..0.76).contains(&u) || u > 0.95) as usize;
        }
        links.push(link(row, column));
    }
    linked(rows, links)
}

/// Each row is linked to ends of earlier links: who has many gets more.
fn attached(rows: usize, count: usize) -> Result<Csr> {
    let mut draws = Draws(rows as u64);
    let mut links = Vec::new();
    for row in 1..rows {
        for _ in 0..count {
            let end = draws.below(4 * links.len().max(1));
            let other = match links.get(end / 2).map(|link: &Link| link[end % 2] as usize) {
                Some(other) if other < row => other,
                _ => draws.below(row),
            };
            links.push(link(row, other));
        }
    }
    linked(rows, links)
}

/// Each row depends on some of those shortly before it.
fn window(rows: usize, count: usize, reach: usize, reversed: bool) -> Result<Csr> {
    let mut draws = Draws(rows as u64);
    let mut links = Vec::new();
    for row in 1..rows {
        links.extend((0..count).map(|_| link(row, row - 1 - draws.below(reach.min(row)))));
    }
    let lower = linked(rows, links)?;
    if reversed {
        return lower.transposed().reversed();
    }
    Ok(lower)
}

/// States, controls and adjoint states on a grid, by kind or by point.
fn control(side: usize, by_points: bool) -> Result<Csr> {
    let mut links = Vec::new();
    let points = side * side * side;
    let [state, control, adjoint] = [0, points, 2 * points];
    let near = Grid { stencil: Stencil::Axes, size: [side; 3], dof: 1 }.pattern(true)?;
    for i in 0..points {
        for j in near.row(i).iter().map(|&j| j as usize) {
            links.push(link(state + i, state + j));
            links.extend([link(adjoint + i, state + j), link(adjoint + j, state + i)]);
        }
        links.push(link(adjoint + i, control + i));
    }
    let by_kind = linked(3 * points, links)?;
    if by_points {
        return by_key(&by_kind, |i| (i % points, i / points));
    }
    Ok(by_kind)
}

/// Dense blocks by themselves, and rows at the end that depend on all of them.
fn bordered(blocks: usize, size: usize, rows: usize, count: usize) -> Result<Csr> {
    let mut draws = Draws(rows as u64);
    let mut links = Vec::new();
    let inner = blocks * size;
    links.extend((0..inner).flat_map(|i| (i / size * size..i).map(move |j| link(i, j))));
    for row in inner..rows {
        links.extend((0..count).map(|_| link(row, draws.below(inner))));
        links.extend((inner..row).map(|before| link(row, before)));
    }
    linked(rows, links)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(structure: Structure) -> (usize, usize) {
        let a = structure.lower_pattern().unwrap();
        assert_eq!(a.n, structure.rows());
        assert_eq!(a.missing_diagonal(), None);
        assert!((0..a.n).all(|i| a.row(i).is_sorted()));
        (a.nnz() - a.n, a.levels(Fill::Lower).count())
    }

    #[test]
    fn structures_are_what_they_are_called() {
        let grid = Grid { stencil: Stencil::Axes, size: [8, 8, 1], dof: 1 };
        assert_eq!(levels(Structure::Chains { count: 7, length: 9 }), (7 * 8, 9));
        assert_eq!(levels(Structure::Band { rows: 50, width: 3 }), (1 + 2 + 3 * 47, 50));
        assert_eq!(levels(Structure::Blocks { count: 5, size: 4 }), (5 * 6 + 4 * 16, 20));
        assert_eq!(levels(Structure::Domains { count: 3, grid }), (3 * 2 * 56, 15));
        assert_eq!(levels(Structure::Curve { grid }), (2 * 56, 15));
        let (links, of_border) = levels(Structure::Bordered { blocks: 6, size: 5, border: 4, links: 300 });
        assert_eq!((links, of_border), (6 * 10 + 4 * 30 + 6, 9));
        let tree = |reversed| levels(Structure::Window { rows: 500, links: 1, reach: 20, reversed });
        assert_eq!(tree(false).0, 499);
        assert_eq!(tree(false), tree(true));
        let control = |by_points| levels(Structure::Control { side: 4, by_points }).0;
        assert_eq!((control(false), control(true)), (3 * 144 + 128, 3 * 144 + 128));
        let sparse = levels(Structure::Sparse { grid, left_out: 30 });
        assert!((60..100).contains(&sparse.0) && sparse.1 <= 15, "{sparse:?}");
    }

    #[test]
    fn graphs_have_a_few_unknowns_with_many_links() {
        for structure in
            [Structure::RMat { scale: 10, links: 8000 }, Structure::Attached { rows: 1024, links: 8 }]
        {
            let whole = structure.lower_pattern().unwrap().symmetrised().unwrap();
            let most = (0..whole.n).map(|i| whole.row(i).len()).max().unwrap();
            assert!(most > 6 * whole.nnz() / whole.n, "{structure:?}: {most}");
        }
        let (links, _) = levels(Structure::Window { rows: 1000, links: 5, reach: 100, reversed: false });
        assert!(links > 4000 && links <= 5000);
    }
}
