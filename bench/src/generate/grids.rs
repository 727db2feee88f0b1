//! Generated patterns: stencils on grids with several unknowns a node, random rows laid out level by level, and
//! points at random.

use crate::base::Result;
use crate::matrix::{hash, unit, Csr};

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

/// A diagonal, and some rows or columns that are full: the last rows, or the first columns.
#[derive(Clone, Copy, Debug)]
pub struct Arrow {
    pub rows: usize,
    pub full: usize,
    pub columns: bool,
}

impl Arrow {
    pub fn lower_pattern(&self) -> Result<Csr> {
        Csr::from_rows(self.rows, |row, out| {
            let before = match self.columns {
                true => row.min(self.full),
                false if row + self.full >= self.rows => row,
                false => 0,
            };
            out.extend(0..before as i32);
            out.push(row as i32);
        })
    }
}

/// A five-point grid, and some points that one in so many of all others is joined to, as a net of a circuit joins them.
#[derive(Clone, Copy, Debug)]
pub struct Nets {
    pub side: usize,
    pub nets: usize,
    pub one_in: u64,
}

impl Nets {
    pub fn rows(&self) -> usize {
        self.side * self.side
    }

    pub fn lower_pattern(&self) -> Result<Csr> {
        let apart = self.rows() / self.nets;
        let nets: Vec<usize> = (0..self.nets).map(|net| net * apart + apart / 2).collect();
        let joins = |net: usize, other: usize| hash((net as u64) << 32 | other as u64) % self.one_in == 0;
        Csr::from_rows(self.rows(), |row, out| {
            out.extend((row >= self.side).then(|| (row - self.side) as i32));
            out.extend((row % self.side > 0).then(|| row as i32 - 1));
            if nets.contains(&row) {
                out.extend((0..row).filter(|&other| joins(row, other)).map(|other| other as i32));
            }
            out.extend(nets.iter().filter(|&&net| net < row && joins(net, row)).map(|&net| net as i32));
            out.push(row as i32);
            out.sort_unstable();
            out.dedup();
        })
    }
}

/// Points at random in the unit square or cube, any two of them joined that are near each other: a mesh without any
/// regularity.
#[derive(Clone, Copy, Debug)]
pub struct Points {
    pub count: usize,
    /// Unknowns of a point.
    pub dof: usize,
    /// Two or three.
    pub axes: usize,
    /// The distance up to which points are joined.
    pub radius: f64,
    pub along: Along,
}

/// In what order points come.
#[derive(Clone, Copy, Debug)]
pub enum Along {
    /// That of their first coordinate.
    Sweep,
    /// That of a space-filling curve, Morton's.
    Curve,
}

/// Where a place below 1024 in each direction is on Morton's curve: the bits of its coordinates in turn, the highest ones first.
pub fn along_curve(place: [u64; 3]) -> u64 {
    (0..10).rev().flat_map(|k| place.map(|x| x >> k & 1)).fold(0, |key, bit| key << 1 | bit)
}

impl Points {
    fn points(&self) -> Vec<[f64; 3]> {
        let coordinate = |point: usize, axis: usize| {
            if axis < self.axes {
                unit(hash((3 * point + axis) as u64))
            } else {
                0.0
            }
        };
        let mut points: Vec<[f64; 3]> =
            (0..self.count).map(|i| std::array::from_fn(|axis| coordinate(i, axis))).collect();
        match self.along {
            Along::Sweep => points.sort_by(|p, q| p[0].total_cmp(&q[0])),
            Along::Curve => points.sort_by_key(|p| along_curve(p.map(|x| (x * 1024.0) as u64))),
        }
        points
    }

    /// The whole matrix.
    pub fn pattern(&self) -> Result<Csr> {
        let points = self.points();
        let across = (1.0 / self.radius) as usize;
        let place = |x: f64| ((x * across as f64) as usize).min(across - 1);
        let cell = |[x, y, z]: [usize; 3]| (z * across + y) * across + x;
        let mut cells = vec![Vec::new(); across.pow(self.axes as u32)];
        for (i, p) in (0..).zip(&points) {
            cells[cell(p.map(place))].push(i);
        }
        let around = |x: f64| place(x).saturating_sub(1)..=(place(x) + 1).min(across - 1);
        let dof = self.dof as i32;
        Csr::from_rows(self.count * self.dof, |row, out| {
            let p = points[row / self.dof];
            let is_near = |q: [f64; 3]| {
                (0..3).map(|k| (p[k] - q[k]) * (p[k] - q[k])).sum::<f64>() <= self.radius * self.radius
            };
            let depth = if self.axes > 2 { around(p[2]) } else { 0..=0 };
            for z in depth {
                for y in around(p[1]) {
                    for x in around(p[0]) {
                        let here = &cells[cell([x, y, z])];
                        let near = here.iter().filter(|&&i: &&i32| is_near(points[i as usize]));
                        out.extend(near.flat_map(|&i| i * dof..(i + 1) * dof));
                    }
                }
            }
            out.sort_unstable();
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::permute::ilu_pattern;
    use crate::matrix::Fill;

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
    fn arrows_have_full_rows_or_columns() {
        let arrow = |full, columns| Arrow { rows: 50, full, columns }.lower_pattern().unwrap();
        let (rows, columns) = (arrow(3, false), arrow(3, true));
        assert_eq!((rows.nnz(), columns.nnz()), (50 + 47 + 48 + 49, 50 + 1 + 2 + 47 * 3));
        assert_eq!([&rows, &columns].map(|a| a.levels(Fill::Lower).count()), [4, 4]);
        assert_eq!(arrow(50, false).nnz(), 50 * 51 / 2);
    }

    #[test]
    fn nets_are_long_rows_and_columns_of_a_grid() {
        let a = Nets { side: 40, nets: 2, one_in: 4 }.lower_pattern().unwrap();
        let whole = a.symmetrised().unwrap();
        let long = |row: usize| whole.ptr[row + 1] - whole.ptr[row] > 300;
        assert_eq!((0..1600).filter(|&row| long(row)).collect::<Vec<_>>(), [400, 1200]);
        let grid = grid(Stencil::Axes, [40, 40, 1], 1);
        assert!(a.nnz() > grid.nnz() + 600 && a.nnz() < grid.nnz() + 1000);
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
