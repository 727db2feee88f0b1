//! Values of model problems on grids: the Poisson equation and linear elasticity, symmetric and positive definite.

use rayon::prelude::*;

use super::grids::{Grid, Stencil};
use crate::matrix::Csr;

/// Unknowns of a node in elasticity: its displacements.
const AXES: usize = 3;
/// Of steel or so; a compressible material.
const POISSON_RATIO: f64 = 0.3;

/// Gives a grid's pattern the values of the model problem that has it, with all nodes around the grid fixed; whether there is one:
/// the Poisson equation for the neighbours along the axes, elasticity of trilinear elements for the box with three unknowns a node.
pub fn set_values(a: &mut Csr, grid: &Grid) -> bool {
    match (grid.stencil, grid.dof) {
        (Stencil::Axes, 1) => {
            let neighbours = grid.size.iter().filter(|&&s| s > 1).count() as f64 * 2.0;
            fill(a, grid, |_, [i, j]| if i == j { neighbours } else { -1.0 });
            true
        }
        (Stencil::Box, AXES) => {
            let stencil = elasticity();
            fill(a, grid, |offset, [i, j]| stencil[place(offset)][i % AXES][j % AXES]);
            true
        }
        _ => false,
    }
}

/// The value of each entry, by the offset from its row's node to its column's node, and by row and column.
fn fill(a: &mut Csr, grid: &Grid, value: impl Fn([i64; 3], [usize; 2]) -> f64 + Sync) {
    let [nx, ny, _] = grid.size;
    let at = |unknown: usize| {
        let node = unknown / grid.dof;
        [node % nx, node / nx % ny, node / (nx * ny)].map(|c| c as i64)
    };
    let row = |i: usize| {
        let from = at(i);
        let value = &value;
        a.row(i).iter().map(move |&j| {
            let to = at(j as usize);
            value([0, 1, 2].map(|axis| to[axis] - from[axis]), [i, j as usize])
        })
    };
    a.val = (0..a.n).into_par_iter().flat_map_iter(row).collect();
    a.im = Vec::new();
}

type Block = [[f64; AXES]; AXES];

/// The place of an offset of -1 to 1 along each axis in a list of 27.
fn place(offset: [i64; 3]) -> usize {
    offset.iter().fold(0, |place, o| place * 3 + (o + 1) as usize)
}

/// The corner of a cube, along each axis 0 or 1.
fn corner(number: usize) -> [i64; 3] {
    [number & 1, number >> 1 & 1, number >> 2].map(|c| c as i64)
}

/// The blocks between a node and those around it: sums over the eight cubes that meet in it.
fn elasticity() -> [Block; 27] {
    let cube = cube();
    let mut stencil = [[[0.0; AXES]; AXES]; 27];
    for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
        let (from, to) = (corner(a), corner(b));
        let block = &mut stencil[place([0, 1, 2].map(|axis| to[axis] - from[axis]))];
        for (i, j) in (0..AXES).flat_map(|i| (0..AXES).map(move |j| (i, j))) {
            block[i][j] += cube[a][b][i][j];
        }
    }
    stencil
}

/// The stiffness of a cube of unit size with trilinear shape functions and Young's modulus 1, between each two of its corners, by
/// Gauss's rule with two points along each axis, which is exact here.
fn cube() -> [[Block; 8]; 8] {
    let lambda = POISSON_RATIO / ((1.0 + POISSON_RATIO) * (1.0 - 2.0 * POISSON_RATIO));
    let mu = 0.5 / (1.0 + POISSON_RATIO);
    let mut cube = [[[[0.0; AXES]; AXES]; 8]; 8];
    for point in (0..8).map(corner) {
        let x = point.map(|side| 0.5 + (side as f64 - 0.5) / 3f64.sqrt());
        let slopes: [[f64; AXES]; 8] = std::array::from_fn(|a| slope(corner(a), x));
        for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
            let (u, v) = (slopes[a], slopes[b]);
            let both: f64 = u.iter().zip(v).map(|(u, v)| u * v).sum();
            for (i, j) in (0..AXES).flat_map(|i| (0..AXES).map(move |j| (i, j))) {
                let diagonal = if i == j { mu * both } else { 0.0 };
                // Eight points, each with an eighth of the volume.
                cube[a][b][i][j] += (lambda * u[i] * v[j] + mu * u[j] * v[i] + diagonal) / 8.0;
            }
        }
    }
    cube
}

/// The gradient of a corner's shape function.
fn slope(corner: [i64; 3], x: [f64; 3]) -> [f64; 3] {
    let value = |axis: usize| if corner[axis] == 1 { x[axis] } else { 1.0 - x[axis] };
    let sign = |axis: usize| if corner[axis] == 1 { 1.0 } else { -1.0 };
    [0, 1, 2].map(|axis| {
        (0..AXES).map(|other| if other == axis { sign(axis) } else { value(other) }).product::<f64>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(stencil: Stencil, size: [usize; 3], dof: usize) -> Csr {
        let grid = Grid { stencil, size, dof };
        let mut a = grid.pattern(false).unwrap();
        assert!(set_values(&mut a, &grid));
        a
    }

    fn at(a: &Csr, i: usize, j: usize) -> f64 {
        a.range(i).find(|&k| a.col[k] as usize == j).map_or(0.0, |k| a.val[k])
    }

    #[test]
    fn the_poisson_equation_has_its_stencil() {
        let a = model(Stencil::Axes, [3, 4, 5], 1);
        assert_eq!([at(&a, 19, 19), at(&a, 19, 20), at(&a, 19, 7), at(&a, 19, 21)], [6.0, -1.0, -1.0, 0.0]);
        assert_eq!(at(&model(Stencil::Axes, [4, 4, 1], 1), 5, 5), 4.0);
    }

    #[test]
    fn elasticity_is_symmetric_and_knows_rigid_bodies() {
        let size = [5, 5, 5];
        let a = model(Stencil::Box, size, 3);
        for i in 0..a.n {
            for k in a.range(i) {
                assert!((a.val[k] - at(&a, a.col[k] as usize, i)).abs() < 1e-14);
            }
        }
        // In the middle neither translations nor rotations cost anything, and a stretch balances itself.
        let middle = (2 * 25 + 2 * 5 + 2) * 3;
        let place = |j: usize| {
            let node = j / 3;
            [node % 5, node / 5 % 5, node / 25].map(|c| c as f64)
        };
        let motions: [fn([f64; 3], usize) -> f64; 3] = [
            |_, axis| if axis == 1 { 1.0 } else { 0.0 },
            |[x, y, _], axis| [-y, x, 0.0][axis],
            |x, axis| if axis == 2 { x[2] } else { 0.0 },
        ];
        for motion in motions {
            for i in middle..middle + 3 {
                let force: f64 = a
                    .range(i)
                    .map(|k| a.val[k] * motion(place(a.col[k] as usize), a.col[k] as usize % 3))
                    .sum();
                assert!(force.abs() < 1e-13, "{force}");
            }
        }
        assert!(at(&a, middle, middle) > 0.0);
    }

    #[test]
    fn other_grids_have_no_model() {
        let grid = Grid { stencil: Stencil::Box, size: [3, 3, 3], dof: 1 };
        assert!(!set_values(&mut grid.pattern(false).unwrap(), &grid));
    }
}
