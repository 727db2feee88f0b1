//! Generated patterns of other structures than meshes have: graphs, trees, saddle points, domains, borders, blocks and bands.

use crate::generate::{Grid, Stencil};
use crate::matrix::{hash, unit, Csr};
use crate::Result;

#[derive(Clone, Copy, Debug)]
pub enum Structure {
    /// A graph of `1 << scale` unknowns by R-MAT (Chakrabarti, Zhan, Faloutsos, 2004), with the parts 0.57, 0.19, 0.19 and 0.05, before
    /// links that occur twice are left out.
    RMat { scale: u32, links: usize },
    /// Each unknown is joined to so many earlier ones, as often as not to ends of earlier links: preferential attachment.
    Attached { rows: usize, links: usize },
    /// Each unknown depends on one of so many before it, or of all; solved from the root on, or towards it.
    Tree { rows: usize, reach: usize, to_the_root: bool },
    /// Each unknown depends on so many of those before it up to a distance.
    Window { rows: usize, links: usize, reach: usize },
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

/// Rows and entries beside the diagonal, in any order and as often as not twice.
struct Links {
    rows: usize,
    list: Vec<[u32; 2]>,
}

impl Links {
    /// Without any.
    fn new(rows: usize) -> Self {
        Links { rows, list: Vec::new() }
    }

    fn of(grid: Grid) -> Result<Self> {
        let a = grid.pattern(true)?;
        let mut links = Links::new(a.n);
        for row in 0..a.n {
            a.col[a.ptr[row] as usize..a.ptr[row + 1] as usize]
                .iter()
                .for_each(|&column| links.join(row, column as usize));
        }
        Ok(links)
    }

    fn join(&mut self, a: usize, b: usize) {
        self.list.push([a.max(b) as u32, a.min(b) as u32]);
    }

    /// With other numbers for the unknowns.
    fn renumbered(mut self, number: impl Fn(usize) -> usize) -> Self {
        for [row, column] in &mut self.list {
            let (a, b) = (number(*row as usize) as u32, number(*column as usize) as u32);
            (*row, *column) = (a.max(b), a.min(b));
        }
        self
    }

    /// The lower triangle with its diagonal.
    fn lower_pattern(mut self) -> Result<Csr> {
        self.list.retain(|[row, column]| row != column);
        self.list.sort_unstable();
        self.list.dedup();
        let begin_of = |row: usize| self.list.partition_point(|link| (link[0] as usize) < row);
        Csr::from_rows(self.rows, |row, out| {
            out.extend(self.list[begin_of(row)..begin_of(row + 1)].iter().map(|link| link[1] as i32));
            out.push(row as i32);
        })
    }
}

/// Numbers below a bound, always the same ones.
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
            Structure::Attached { rows, .. } | Structure::Tree { rows, .. } => rows,
            Structure::Window { rows, .. } | Structure::Band { rows, .. } => rows,
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
        let mut links = Links::new(rows);
        let mut draws = Draws(rows as u64);
        match *self {
            Structure::RMat { scale, links: count } => {
                for _ in 0..count {
                    let (mut row, mut column) = (0, 0);
                    for _ in 0..scale {
                        let u = draws.unit();
                        (row, column) = (2 * row + (u > 0.76) as usize, 2 * column);
                        column += ((0.57..0.76).contains(&u) || u > 0.95) as usize;
                    }
                    links.join(row, column);
                }
            }
            Structure::Attached { links: count, .. } => {
                for row in 1..rows {
                    for _ in 0..count {
                        let ends = 2 * links.list.len();
                        let end = draws.below(2 * ends.max(1));
                        let other = match links.list.get(end / 2).map(|link| link[end % 2] as usize) {
                            Some(other) if other < row => other,
                            _ => draws.below(row),
                        };
                        links.join(row, other);
                    }
                }
            }
            Structure::Tree { reach, to_the_root, .. } => {
                (1..rows).for_each(|row| links.join(row, row - 1 - draws.below(reach.min(row))));
                if to_the_root {
                    links = links.renumbered(|i| rows - 1 - i);
                }
            }
            Structure::Window { links: count, reach, .. } => {
                for row in 1..rows {
                    (0..count).for_each(|_| links.join(row, row - 1 - draws.below(reach.min(row))));
                }
            }
            Structure::Control { side, by_points } => {
                let points = side * side * side;
                let [state, control, adjoint] = [0, points, 2 * points];
                let near = Links::of(Grid { stencil: Stencil::Axes, size: [side; 3], dof: 1 })?;
                for [a, b] in near.list.iter().map(|link| link.map(|i| i as usize)) {
                    links.join(state + a, state + b);
                    links.join(adjoint + a, state + b);
                    links.join(adjoint + b, state + a);
                }
                (0..points).for_each(|i| links.join(adjoint + i, control + i));
                if by_points {
                    links = links.renumbered(|i| 3 * (i % points) + i / points);
                }
            }
            Structure::Domains { count, grid } => {
                let one = Links::of(grid)?;
                for domain in 0..count {
                    let first = domain * one.rows;
                    one.list.iter().for_each(|&[a, b]| links.join(first + a as usize, first + b as usize));
                }
            }
            Structure::Bordered { blocks, size, links: count, .. } => {
                let inner = blocks * size;
                (0..inner).for_each(|i| (i / size * size..i).for_each(|j| links.join(i, j)));
                for row in inner..rows {
                    (0..count).for_each(|_| links.join(row, draws.below(inner)));
                    (inner..row).for_each(|before| links.join(row, before));
                }
            }
            Structure::Blocks { size, .. } => {
                for row in 0..rows {
                    ((row / size * size).saturating_sub(size)..row)
                        .for_each(|before| links.join(row, before));
                }
            }
            Structure::Band { width, .. } => {
                for row in 0..rows {
                    (row.saturating_sub(width)..row).for_each(|before| links.join(row, before));
                }
            }
            Structure::Chains { count, .. } => (count..rows).for_each(|row| links.join(row, row - count)),
            Structure::Sparse { grid, left_out } => {
                links = Links::of(grid)?;
                links.list.retain(|[a, b]| hash((*a as u64) << 32 | *b as u64) % 100 >= left_out);
            }
            Structure::Curve { grid } => {
                let [nx, ny, _] = grid.size;
                let key = |i: usize| {
                    let place = [i % nx, i / nx % ny, i / (nx * ny)];
                    (0..10).rev().flat_map(|k| place.map(|p| p >> k & 1)).fold(0, |key, bit| key << 1 | bit)
                };
                let mut order: Vec<usize> = (0..rows).collect();
                order.sort_by_key(|&i| key(i));
                let mut number = vec![0; rows];
                (0..rows).for_each(|k| number[order[k]] = k);
                links = Links::of(grid)?.renumbered(|i| number[i]);
            }
        }
        links.lower_pattern()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Fill;

    fn levels(structure: Structure) -> (usize, usize) {
        let a = structure.lower_pattern().unwrap();
        assert_eq!(a.n, structure.rows());
        assert_eq!(a.missing_diagonal(), None);
        assert!((0..a.n).all(|i| a.col[a.ptr[i] as usize..a.ptr[i + 1] as usize].is_sorted()));
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
        let tree = |to_the_root| levels(Structure::Tree { rows: 500, reach: 20, to_the_root });
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
            let most = (0..whole.n).map(|i| whole.ptr[i + 1] - whole.ptr[i]).max().unwrap() as usize;
            assert!(most > 6 * whole.nnz() / whole.n, "{structure:?}: {most}");
        }
        let (links, _) = levels(Structure::Window { rows: 1000, links: 5, reach: 100 });
        assert!(links > 4000 && links <= 5000);
    }
}
