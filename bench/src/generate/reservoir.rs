//! Reservoirs: cells of a grid, some of them without a pore, and wells that many cells flow into.

use crate::base::Result;
use crate::matrix::{hash, Csr};

/// Cells with so many unknowns each, and wells, which are one unknown each and come last. A well passes the cells of a
/// vertical plane piece by piece, as a horizontal well with fractures does.
#[derive(Clone, Copy, Debug)]
pub struct Reservoir {
    pub size: [usize; 3],
    pub dof: usize,
    pub wells: usize,
    /// Cells of each well.
    pub perforated: usize,
    /// Of a hundred cells, so many are no part of the reservoir.
    pub closed: u64,
}

impl Reservoir {
    /// The lower triangle.
    pub fn lower_pattern(&self) -> Result<Csr> {
        let [nx, ny, nz] = self.size;
        let cells = nx * ny * nz;
        // A cell's number among those that are open.
        let mut number = vec![None; cells];
        let mut open = Vec::new();
        for cell in (0..cells).filter(|&cell| hash(cell as u64) % 100 >= self.closed) {
            number[cell] = Some(open.len());
            open.push(cell);
        }
        let steps = [(nx * ny, nx * ny * nz), (nx, nx * ny), (1, nx)];
        let before = |cell: usize| {
            let is_there = move |&(step, period): &(usize, usize)| cell % period >= step;
            steps.into_iter().filter(is_there).map(move |(step, _)| cell - step).collect::<Vec<_>>()
        };
        let passed: Vec<Vec<i32>> = (0..self.wells).map(|well| self.well(well, &number)).collect();
        let inner = open.len() * self.dof;
        Csr::from_rows(inner + self.wells, |row, out| {
            if row >= inner {
                out.extend(passed[row - inner].iter().map(|&cell| cell * self.dof as i32));
            } else {
                let dof = self.dof;
                let near = before(open[row / dof]).into_iter().filter_map(|cell| number[cell]);
                out.extend(
                    near.flat_map(|cell| (cell * dof..(cell + 1) * dof).map(|unknown| unknown as i32)),
                );
                out.extend((row / dof * dof..row).map(|unknown| unknown as i32));
            }
            out.push(row as i32);
        })
    }

    /// The cells that a well passes, by their numbers, in order.
    fn well(&self, well: usize, number: &[Option<usize>]) -> Vec<i32> {
        let [nx, ny, nz] = self.size;
        let draw = |k: u64, bound: usize| (hash((well as u64) << 8 | k) % bound as u64) as usize;
        let (x, y, depth) = (draw(1, nx), draw(2, ny), draw(3, nz / 2));
        let mut passed: Vec<i32> = (0..self.perforated)
            .map(|k| {
                let (along, down) = (k / (nz / 2), k % (nz / 2));
                ((depth + down) * ny + (y + along) % ny) * nx + x
            })
            .filter_map(|cell| number[cell].map(|n| n as i32))
            .collect();
        passed.sort_unstable();
        passed.dedup();
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wells_are_long_rows_at_the_end() {
        let reservoir = Reservoir { size: [10, 12, 8], dof: 2, wells: 3, perforated: 40, closed: 10 };
        let a = reservoir.lower_pattern().unwrap();
        assert_eq!(a.missing_diagonal(), None);
        let inner = a.n - 3;
        assert!(inner < 2 * 960 && inner > 2 * 800);
        assert!((inner..a.n).all(|row| a.row(row).len() > 20));
        assert!((0..inner).all(|row| a.row(row).len() <= 8));
        assert!((0..a.n).all(|row| a.row(row).is_sorted() && a.row(row).last() == Some(&(row as i32))));
    }
}
