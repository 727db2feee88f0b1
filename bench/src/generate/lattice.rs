//! Generated patterns of lattices: in up to four dimensions, with stencils that reach further than one step, with sides that meet,
//! and with many unknowns a point.

use crate::base::Result;
use crate::matrix::Csr;

/// Which points of a lattice are neighbours.
#[derive(Clone, Copy, Debug)]
pub enum Neighbours {
    /// Up to so many steps along an axis.
    Axes(i32),
    /// The same, and one step along each of two axes.
    Planes(i32),
    /// A step along any of the axes.
    Box,
}

/// Points in lexicographic order, the first axis fastest, with `dof` unknowns each, all of which are linked to all of the
/// neighbours' and to each other. The last point of a `periodic` axis is followed by the first.
#[derive(Clone, Copy, Debug)]
pub struct Lattice {
    pub size: [usize; 4],
    pub neighbours: Neighbours,
    pub dof: usize,
    pub periodic: bool,
}

type Step = [i32; 4];

impl Neighbours {
    fn steps(self) -> Vec<Step> {
        let reach = match self {
            Neighbours::Axes(reach) | Neighbours::Planes(reach) => reach,
            Neighbours::Box => 1,
        };
        let side = 2 * reach + 1;
        let steps =
            (0..side.pow(4)).map(|k| [1, side, side * side, side.pow(3)].map(|by| k / by % side - reach));
        let is_wanted = |step: &Step| {
            let axes = step.iter().filter(|&&d| d != 0).count();
            let longest = step.iter().map(|d| d.abs()).max().unwrap_or(0);
            match self {
                Neighbours::Axes(_) => axes == 1,
                Neighbours::Planes(_) => axes == 1 || axes == 2 && longest == 1,
                Neighbours::Box => axes > 0,
            }
        };
        steps.filter(is_wanted).collect()
    }
}

impl Lattice {
    pub fn rows(&self) -> usize {
        self.size.iter().product::<usize>() * self.dof
    }

    /// The point a step away, if there is one.
    fn neighbour(&self, point: usize, step: &Step) -> Option<usize> {
        let (mut other, mut by) = (0, 1);
        for (&n, &d) in self.size.iter().zip(step) {
            let x = (point / by % n) as i32 + d;
            if !self.periodic && !(0..n as i32).contains(&x) {
                return None;
            }
            other += by * x.rem_euclid(n as i32) as usize;
            by *= n;
        }
        Some(other)
    }

    pub fn lower_pattern(&self) -> Result<Csr> {
        let (steps, dof) = (self.neighbours.steps(), self.dof);
        Csr::from_rows(self.rows(), |row, out| {
            let point = row / dof;
            let mut before: Vec<usize> =
                steps.iter().filter_map(|step| self.neighbour(point, step)).collect();
            before.retain(|&other| other < point);
            before.sort_unstable();
            before.dedup();
            out.extend(before.iter().flat_map(|&other| other * dof..(other + 1) * dof).map(|c| c as i32));
            out.extend((point * dof) as i32..=row as i32);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::grids::{Grid, Stencil};
    use crate::matrix::Fill;

    fn lattice(size: [usize; 4], neighbours: Neighbours, dof: usize, periodic: bool) -> Csr {
        Lattice { size, neighbours, dof, periodic }.lower_pattern().unwrap()
    }

    #[test]
    fn stencils_of_one_step_are_those_of_grids() {
        for (neighbours, stencil) in [(Neighbours::Axes(1), Stencil::Axes), (Neighbours::Box, Stencil::Box)] {
            for dof in [1, 3] {
                let a = lattice([5, 4, 3, 1], neighbours, dof, false);
                let b = Grid { stencil, size: [5, 4, 3], dof }.pattern(true).unwrap();
                assert_eq!(a.n, b.n);
                assert!((0..a.n).all(|i| a.row(i) == b.row(i)));
            }
        }
    }

    #[test]
    fn neighbours_are_counted_once() {
        let steps = |neighbours: Neighbours| neighbours.steps().len();
        assert_eq!((steps(Neighbours::Axes(1)), steps(Neighbours::Axes(4))), (8, 32));
        assert_eq!((steps(Neighbours::Planes(2)), steps(Neighbours::Box)), (16 + 24, 80));
        // Of a periodic lattice every point has all of them, and half of the links are below the diagonal.
        let a = lattice([6, 5, 5, 5], Neighbours::Planes(2), 1, true);
        assert_eq!(a.nnz() - a.n, a.n * 40 / 2);
        // A ring of two: the neighbour on one side is that on the other.
        assert_eq!(lattice([2, 1, 1, 1], Neighbours::Axes(1), 1, true).nnz(), 3);
        assert_eq!(lattice([10, 1, 1, 1], Neighbours::Axes(2), 1, false).levels(Fill::Lower).count(), 10);
    }
}
