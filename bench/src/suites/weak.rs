//! The kinds of matrices that are hardest for AUTO, in two halves: costs and constants may be fitted to the kinds of
//! `fit`, and results are reported of the kinds of `report`, to which no constant was fitted. `factors` has complete
//! factors on which no versions of a kernel are compared either.

use super::entries::{other, Entry, Recipe};
use crate::generate::factor::{Dissected, Factor};
use crate::generate::graph::PowerLaw;
use crate::generate::grids::{Along, Grid, Points, Stencil};
use crate::generate::mesh::{Element, Mesh, Shape};
use crate::generate::multigrid::of_cube;
use crate::generate::reservoir::Reservoir;

/// Of a grid in one of two orders.
fn factor(of: fn(Grid) -> Dissected, stencil: Stencil, size: [usize; 3], one_way: u64) -> Recipe {
    Recipe::Factor(Factor { of: of(Grid { stencil, size, dof: 1 }), one_way })
}

fn symmetric(of: Dissected) -> Recipe {
    Recipe::Factor(Factor { of, one_way: 0 })
}

fn mesh_factor(shape: Shape, element: Element) -> Recipe {
    symmetric(Dissected::MetisMesh(Mesh { shape, element, dof: 1 }))
}

fn mesh(shape: Shape, element: Element, dof: usize) -> Recipe {
    Recipe::Mesh(Mesh { shape, element, dof })
}

fn coarse(stencil: Stencil, side: usize, times: usize) -> Recipe {
    Recipe::Coarse(of_cube(stencil, side, times))
}

/// Complete factors of grids, most of them in the plane, of a mesh in the plane and of an unsymmetric matrix; coarse operators of
/// multigrid; reservoirs with wells; linear elements on graded and porous meshes, with one unknown at a corner and with several.
pub fn fit() -> Vec<Entry> {
    use Dissected::{Metis, Planes};
    use Shape::{Graded, Porous};
    use Stencil::{Axes, Box};
    let wells = |size, dof, wells, perforated| {
        Recipe::Reservoir(Reservoir { size, dof, wells, perforated, closed: 15 })
    };
    vec![
        other("factor-5pt-400x400", factor(Planes, Axes, [400, 400, 1], 0), 1195, (0.16, 6.44)),
        other("factor-9pt-250x500", factor(Planes, Box, [250, 500, 1], 0), 989, (0.125, 5.33)),
        other("factor-7pt-32x32x32", factor(Planes, Axes, [32; 3], 0), 2388, (0.0328, 8.15)),
        other("factor-graded-metis", mesh_factor(Graded(5e-4), Element::P1), 941, (0.164, 4.27)),
        other(
            "factor-5pt-300x300-unsymmetric-metis",
            factor(Metis, Axes, [300, 300, 1], 40),
            863,
            (0.09, 2.17),
        ),
        other("coarse-100-1", coarse(Axes, 100, 1), 624, (0.31, 2.78)),
        other("coarse-120-2", coarse(Axes, 120, 2), 636, (0.0587, 0.771)),
        other("reservoir-120x120x60", wells([120, 120, 60], 1, 40, 2000), 298, (0.735, 2.66)),
        other("reservoir-80x80x40-x3", wells([80, 80, 40], 3, 20, 1200), 594, (0.652, 6.23)),
        other("graded-p1", mesh(Graded(2.5e-4), Element::P1, 1), 2975, (0.328, 1.31)),
        other("graded-p1-x2", mesh(Graded(4e-4), Element::P1, 2), 4576, (0.397, 2.98)),
        other("porous-45-p1-x3", mesh(Porous(45), Element::P1, 3), 408, (0.292, 6.37)),
    ]
}

/// A coarse operator of multigrid and a graded mesh that take no time.
pub fn small() -> Vec<Entry> {
    vec![
        other("coarse-24-1", coarse(Stencil::Axes, 24, 1), 140, (0.00456, 0.0389)),
        other("graded-p1-8k", mesh(Shape::Graded(1e-2), Element::P1, 1), 448, (0.00792, 0.0314)),
    ]
}

/// Complete factors of 27-point grids, of a mesh in space and of an unsymmetric matrix; a coarse operator of a 27-point grid;
/// quadratic and edge elements; power-law graphs.
pub fn report() -> Vec<Entry> {
    use Dissected::{Metis, Planes};
    use Shape::{Graded, Porous};
    use Stencil::{Axes, Box};
    let graph = |rows, links, skew| Recipe::PowerLaw(PowerLaw { rows, links, skew });
    vec![
        other("factor-27pt-24x24x40", factor(Planes, Box, [24, 24, 40], 0), 1722, (0.023, 5.46)),
        other("factor-5pt-250x250-unsymmetric", factor(Planes, Axes, [250, 250, 1], 40), 729, (0.0625, 1.71)),
        other("factor-porous-30-metis", mesh_factor(Porous(30), Element::P1), 2319, (0.0298, 7.58)),
        other("factor-27pt-30x30x30-metis", factor(Metis, Box, [30; 3], 0), 2051, (0.027, 7.38)),
        other("coarse-27pt-128-1", coarse(Box, 128, 1), 690, (0.171, 2.22)),
        other("graded-p2", mesh(Graded(8e-4), Element::P2, 1), 4561, (0.398, 2.49)),
        other("graded-edge", mesh(Graded(6e-4), Element::Edge, 1), 3291, (0.382, 1.14)),
        other("porous-40-edge", mesh(Porous(40), Element::Edge, 1), 475, (0.453, 3.69)),
        other("porous-32-p2", mesh(Porous(32), Element::P2, 1), 449, (0.27, 3.76)),
        other("power-law-300k", graph(300_000, 2_000_000, 3), 49, (0.3, 2.3)),
        other("power-law-1M", graph(1_000_000, 4_000_000, 5), 118, (1.0, 5.0)),
    ]
}

/// Further complete factors: of an uneven grid in the plane and one in space, of a solid with three unknowns at a node, of
/// quadratic tetrahedra, of points at random, and of an unsymmetric matrix in space.
pub fn factors() -> Vec<Entry> {
    use Dissected::{Metis, MetisPoints, Planes};
    use Stencil::{Axes, Box};
    let solid = Grid { stencil: Box, size: [14, 16, 20], dof: 3 };
    let points = Points { count: 120_000, dof: 1, axes: 2, radius: 0.0051, along: Along::Sweep };
    vec![
        other("factor-5pt-190x740", factor(Planes, Axes, [190, 740, 1], 0), 929, (0.141, 5.26)),
        other("factor-7pt-18x34x58-metis", factor(Metis, Axes, [18, 34, 58], 0), 1772, (0.0355, 5.33)),
        other("factor-elasticity-14x16x20x3", symmetric(Planes(solid)), 1743, (0.0134, 4.76)),
        other("factor-porous-14-p2-metis", mesh_factor(Shape::Porous(14), Element::P2), 2093, (0.0238, 5.49)),
        other("factor-points2d-120k-metis", symmetric(MetisPoints(points)), 677, (0.12, 2.59)),
        other(
            "factor-7pt-24x24x30-unsymmetric-metis",
            factor(Metis, Axes, [24, 24, 30], 40),
            1401,
            (0.0173, 2.05),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_in_two_lists() {
        let lists = [fit(), report(), factors()];
        assert!(lists.iter().all(|list| list.len() > 5));
        let all = lists.concat();
        let names: std::collections::HashSet<_> = all.iter().map(|e| &e.name).collect();
        assert_eq!(names.len(), all.len());
    }
}
