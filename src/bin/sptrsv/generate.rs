//! Generated patterns: stencils on grids with several unknowns a node, and random rows laid out level by
//! level.

use crate::matrix::{hash, unit, Csr};
use crate::Result;

/// How the nodes of a grid are joined. Offsets are (fast, middle, slow), the first axis running fastest.
#[derive(Clone, Copy, Debug)]
pub enum Stencil {
    /// The neighbours along the axes: 5 points in two dimensions, 7 in three.
    Axes,
    /// All neighbours in the box around a node: 9 points in two dimensions, 27 in three.
    Box,
    /// Right triangles: the axes and one diagonal, 7 points in two dimensions.
    Triangles,
    /// Kuhn's tetrahedra with the slowest axis mirrored: 15 points in three dimensions.
    Kuhn,
    /// The lower triangle of ILU(2) of the five-point stencil.
    Ilu2,
}

impl Stencil {
    fn joins(self, [x, y, z]: [i64; 3]) -> bool {
        let all = |f: fn(i64) -> bool, o: [i64; 3]| o.into_iter().all(f);
        match self {
            Stencil::Axes => x.abs() + y.abs() + z.abs() <= 1,
            Stencil::Box => x.abs().max(y.abs()).max(z.abs()) <= 1,
            Stencil::Triangles => {
                z == 0
                    && x.abs().max(y.abs()) <= 1
                    && (all(|v| v >= 0, [x, y, z]) || all(|v| v <= 0, [x, y, z]))
            }
            Stencil::Kuhn => {
                let o = [x, y, -z];
                x.abs().max(y.abs()).max(z.abs()) <= 1 && (all(|v| v >= 0, o) || all(|v| v <= 0, o))
            }
            Stencil::Ilu2 => {
                let (x, y) = if y > 0 || (y == 0 && x > 0) { (-x, -y) } else { (x, y) };
                z == 0 && ((y == 0 && x >= -1) || (y == -1 && (0..=2).contains(&x)))
            }
        }
    }

    /// Offsets in the order of the columns they lead to.
    fn offsets(self) -> Vec<[i64; 3]> {
        let mut offsets = Vec::new();
        for z in -1..=1 {
            for y in -1..=1 {
                for x in -2..=2 {
                    if self.joins([x, y, z]) {
                        offsets.push([x, y, z]);
                    }
                }
            }
        }
        offsets
    }
}

/// A stencil on a grid: `size` counts nodes along each axis, the fastest first; `dof` unknowns a node, all
/// of them coupled.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    pub stencil: Stencil,
    pub size: [usize; 3],
    pub dof: usize,
}

impl Grid {
    pub fn unknowns(&self) -> usize {
        self.size.iter().product::<usize>() * self.dof
    }

    /// The whole matrix, or its lower triangle with the diagonal.
    pub fn pattern(&self, lower_only: bool) -> Result<Csr> {
        let [nx, ny, nz] = self.size.map(|s| s as i64);
        let strides = [1, nx, nx * ny];
        let dof = self.dof as i64;
        let offsets: Vec<([i64; 3], i64)> = self
            .stencil
            .offsets()
            .into_iter()
            .map(|o| (o, o[0] * strides[0] + o[1] * strides[1] + o[2] * strides[2]))
            .filter(|&([x, y, z], _)| !lower_only || (z, y, x) <= (0, 0, 0))
            .collect();
        let inside = |v: i64, o: i64, size: i64| (0..size).contains(&(v + o));
        Csr::from_rows(self.unknowns(), |row, out| {
            let node = row as i64 / dof;
            let (x, y, z) = (node % nx, node / nx % ny, node / (nx * ny));
            for &([dx, dy, dz], step) in &offsets {
                if inside(x, dx, nx) && inside(y, dy, ny) && inside(z, dz, nz) {
                    let first = (node + step) * dof;
                    // The node's own block ends at the diagonal in a lower triangle.
                    let end = if lower_only && step == 0 { row as i64 + 1 } else { first + dof };
                    out.extend(first as i32..end as i32);
                }
            }
        })
    }
}

/// How the rows of a layered matrix spread over its levels.
#[derive(Clone, Copy, Debug)]
pub enum Profile {
    /// All levels alike.
    Even,
    /// Few rows in the first and last levels, half as many again as the average in the middle.
    Bulge,
    /// More than half of the rows in the first level, then ever fewer.
    Decaying,
}

/// Random rows laid out level by level: the rows of a level follow one another, and each has one dependency
/// in the level before it and others anywhere above.
#[derive(Clone, Copy, Debug)]
pub struct Layered {
    pub rows: usize,
    pub levels: usize,
    pub profile: Profile,
    /// Dependencies a row: between these two, or by a power law from the first on when the second is 0.
    pub dependencies: (usize, usize),
    /// Whether some columns are drawn much more often than others.
    pub hubs: bool,
}

/// The longest row that a power law gives.
const LONGEST: f64 = 4700.0;

impl Layered {
    fn level_sizes(&self) -> Vec<usize> {
        let weight = |l: usize| match self.profile {
            Profile::Even => 1.0,
            Profile::Bulge => {
                let t = (l as f64 + 0.5) / self.levels as f64;
                4.0 * t * (1.0 - t)
            }
            Profile::Decaying => (l as f64 + 1.0).powf(-1.78),
        };
        let total: f64 = (0..self.levels).map(weight).sum();
        let spare = (self.rows - self.levels) as f64;
        let mut sizes: Vec<usize> =
            (0..self.levels).map(|l| 1 + (spare * weight(l) / total) as usize).collect();
        let widest = (0..self.levels).max_by_key(|&l| sizes[l]).unwrap_or(0);
        sizes[widest] += self.rows - sizes.iter().sum::<usize>();
        sizes
    }

    pub fn lower_pattern(&self) -> Result<Csr> {
        let mut starts = vec![0usize];
        for size in self.level_sizes() {
            starts.push(starts.last().unwrap() + size);
        }
        Csr::from_rows(self.rows, |row, out| {
            let level = starts.partition_point(|&s| s <= row) - 1;
            if level > 0 {
                let mut counter = (row as u64) << 16;
                let mut draw = || {
                    counter += 1;
                    unit(hash(counter))
                };
                let (least, most) = self.dependencies;
                let wanted = match most {
                    0 => (least as f64 * draw().max(1e-12).powf(-1.0 / 1.5)).min(LONGEST) as usize,
                    _ => least + (draw() * (most - least + 1) as f64) as usize,
                };
                let (before, begin) = (starts[level - 1], starts[level]);
                out.push((before + (draw() * (begin - before) as f64) as usize) as i32);
                for _ in 1..wanted {
                    let u = draw();
                    let u = if self.hubs { u * u * u } else { u };
                    out.push((u * begin as f64) as i32);
                }
                out.sort_unstable();
                out.dedup();
            }
            out.push(row as i32);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Fill;
    use crate::permute::ilu_pattern;

    fn grid(stencil: Stencil, size: [usize; 3], dof: usize) -> Csr {
        Grid { stencil, size, dof }.pattern(true).unwrap()
    }

    #[test]
    fn stencils_have_their_names_worth_of_points() {
        for (stencil, points) in
            [(Stencil::Axes, 7), (Stencil::Box, 27), (Stencil::Triangles, 7), (Stencil::Kuhn, 15)]
        {
            assert_eq!(stencil.offsets().len(), points, "{stencil:?}");
        }
    }

    #[test]
    fn a_lower_pattern_is_the_lower_triangle_of_the_whole() {
        for stencil in [Stencil::Axes, Stencil::Box, Stencil::Triangles, Stencil::Kuhn] {
            let grid = Grid { stencil, size: [4, 3, 5], dof: 2 };
            let whole = grid.pattern(false).unwrap();
            let lower = grid.pattern(true).unwrap();
            assert_eq!(whole.triangle(Fill::Lower).unwrap().col, lower.col, "{stencil:?}");
            assert_eq!(whole.transposed().col, whole.col, "{stencil:?}");
            assert!(lower.ptr.windows(2).all(|p| lower.col[p[0] as usize..p[1] as usize].is_sorted()));
        }
    }

    #[test]
    fn level_counts_by_formula() {
        let levels = |a: Csr| a.levels(Fill::Lower).count();
        assert_eq!(levels(grid(Stencil::Axes, [10, 20, 1], 1)), 29);
        assert_eq!(levels(grid(Stencil::Box, [10, 20, 1], 1)), 9 + 2 * 19 + 1);
        assert_eq!(levels(grid(Stencil::Box, [5, 6, 7], 3)), 3 * (4 + 2 * 5 + 4 * 6 + 1));
        assert_eq!(levels(grid(Stencil::Kuhn, [5, 6, 7], 1)), 4 + 5 + 3 * 6 + 1);
        assert_eq!(levels(grid(Stencil::Triangles, [8, 9, 1], 2)), 2 * 16);
    }

    #[test]
    fn the_ilu2_stencil_is_ilu2_of_five_points() {
        let five = Grid { stencil: Stencil::Axes, size: [9, 8, 1], dof: 1 }.pattern(false).unwrap();
        let ilu = ilu_pattern(&five, 2).unwrap().triangle(Fill::Lower).unwrap();
        let direct = grid(Stencil::Ilu2, [9, 8, 1], 1);
        assert_eq!((ilu.ptr, ilu.col), (direct.ptr, direct.col));
    }

    #[test]
    fn layered_matrices_have_exactly_the_levels_asked_for() {
        for profile in [Profile::Even, Profile::Bulge, Profile::Decaying] {
            let m = Layered { rows: 5000, levels: 37, profile, dependencies: (1, 0), hubs: true };
            let a = m.lower_pattern().unwrap();
            assert_eq!(a.levels(Fill::Lower).count(), 37, "{profile:?}");
            assert_eq!(a.levels(Fill::Upper).count(), 1);
            assert_eq!(a.missing_diagonal(), None);
        }
    }
}
