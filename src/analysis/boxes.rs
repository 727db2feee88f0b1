//! Boxes: tiles of a large grid in three dimensions, each some lines of some planes.
//!
//! A tile of consecutive lines of a plane of 256 × 256 unknowns crosses a fraction of the plane, and a wave that goes through
//! the grid crosses as many tiles in each plane as it has, in plane after plane. Boxes of 8 lines of 4 planes are crossed four
//! planes at a time, and have 32 unknowns in most of their levels, which fill a batch. They are taken diagonal by diagonal, so
//! that those that can be at work together are.
//!
//! An order by boxes solves a grid in which no unknown depends on one of an earlier plane that is of a later line there. So do
//! stencils of 7 points and what fills them in, and not those of 27.
#![forbid(unsafe_code)]

use super::lines::Grid;
use super::tiles::Span;
use crate::tuning::{TILED_BOX_LINE, TILED_BOX_PLANE};

/// Lines of a plane, and planes.
pub const LINES: u32 = 8;
pub const PLANES: u32 = 4;

/// The boxes of a grid.
#[derive(Clone, Debug)]
pub struct Boxes {
    grid: Grid,
    /// Boxes beside each other.
    pub across: u32,
    /// The tile that each is, those beside each other first.
    pub tile: Vec<u32>,
    /// The first position of each tile, and past the last.
    pub begin: Vec<u32>,
    /// The levels of each tile.
    pub spans: Vec<Span>,
}

/// The levels of a grid are linear in its coordinates: from unknown to unknown of a line they rise by one, from line to line
/// of a plane, and from plane to plane, by these. None if they are not. `level` is in solving order.
pub fn steps(grid: Grid, level: &[u32]) -> Option<[u32; 2]> {
    let Grid { line, plane } = grid;
    if line == 0 || plane == 0 {
        return None;
    }
    let steps = [level[line as usize], level[plane as usize]];
    let is_linear = |(t, &level): (u32, &u32)| {
        let (y, z) = (t % plane / line, t / plane);
        let guess = (t % line).wrapping_add(y.wrapping_mul(steps[0])).wrapping_add(z.wrapping_mul(steps[1]));
        level == guess
    };
    (0..).zip(level).all(is_linear).then_some(steps)
}

/// Whether no turn depends on one of an earlier plane that is of a later line there.
pub fn are_ordered(grid: Grid, mut dependencies: impl Iterator<Item = (u32, u32)>) -> bool {
    let Grid { line, plane } = grid;
    dependencies.all(|(t, q)| q / plane == t / plane || q % plane / line <= t % plane / line)
}

impl Boxes {
    /// Boxes of `n` unknowns, where they may be worth it: where planes are large.
    pub fn new(n: u32, grid: Grid, steps: [u32; 2]) -> Option<Boxes> {
        let Grid { line, plane } = grid;
        if line < TILED_BOX_LINE || plane < TILED_BOX_PLANE {
            return None;
        }
        let (lines, planes) = (plane / line, n / plane);
        let (across, along) = (lines.div_ceil(LINES), planes.div_ceil(PLANES));
        let mut order: Vec<(u32, u32)> = (0..along).flat_map(|z| (0..across).map(move |y| (y, z))).collect();
        order.sort_by_key(|&(y, z)| (y + z, z));
        let mut boxes = Boxes {
            grid,
            across,
            tile: vec![0; order.len()],
            begin: vec![0],
            spans: Vec::with_capacity(order.len()),
        };
        let mut end = 0;
        for (t, (y, z)) in (0..).zip(order) {
            boxes.tile[(z * across + y) as usize] = t;
            let ends = |k: u32, size: u32, all: u32| (k * size, (k * size + size).min(all) - 1);
            let ((y0, y1), (z0, z1)) = (ends(y, LINES, lines), ends(z, PLANES, planes));
            let rows = line * (y1 - y0 + 1) * (z1 - z0 + 1);
            let level = |x: u32, y: u32, z: u32| x + y * steps[0] + z * steps[1];
            boxes.spans.push(Span { low: level(0, y0, z0), high: level(line - 1, y1, z1), rows });
            end += rows;
            boxes.begin.push(end);
        }
        Some(boxes)
    }

    /// The tile that a turn is in.
    pub fn tile_of(&self, turn: u32) -> u32 {
        let Grid { line, plane } = self.grid;
        self.tile[(turn / plane / PLANES * self.across + turn % plane / line / LINES) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::lines;

    #[test]
    fn boxes_solve_a_grid() {
        for [nx, ny, nz] in [[128, 128, 9], [64, 300, 4], [64, 128, 5], [64, 129, 2], [100, 200, 30]] {
            let n = nx * ny * nz;
            let grid = Grid::new(n, nx, nx * ny);
            let level: Vec<u32> = (0..n).map(|i| i % nx + 2 * (i / nx % ny) + 3 * (i / (nx * ny))).collect();
            let steps = steps(grid, &level).unwrap();
            assert_eq!(steps, [2, 3]);
            let boxes = Boxes::new(n, grid, steps).unwrap();
            assert_eq!(boxes.begin.last(), Some(&n));
            // There is room for them where the spans were.
            assert!(boxes.tile.len() + boxes.begin.len() <= 2 * lines::most_spans(n) as usize);
            let mut seen: Vec<Span> =
                boxes.spans.iter().map(|s| Span { low: u32::MAX, high: 0, rows: s.rows }).collect();
            let mut rows = vec![0; seen.len()];
            for t in 0..n {
                let tile = boxes.tile_of(t);
                let span = &mut seen[tile as usize];
                (span.low, span.high) = (span.low.min(level[t as usize]), span.high.max(level[t as usize]));
                rows[tile as usize] += 1;
                for (by, of) in [(1, nx), (nx, nx * ny), (nx * ny, n)] {
                    assert!(t % of < by || boxes.tile_of(t - by) <= tile);
                }
            }
            for (t, (seen, span)) in seen.iter().zip(&boxes.spans).enumerate() {
                assert_eq!((seen.low, seen.high, rows[t]), (span.low, span.high, span.rows));
                assert_eq!(boxes.begin[t + 1] - boxes.begin[t], span.rows);
            }
        }
    }

    #[test]
    fn what_has_no_boxes() {
        let grid = Grid::new(1 << 18, 64, 1 << 14);
        let level: Vec<u32> = (0..1 << 18).map(|t: u32| t % 64 + t / 64 % 256 + (t >> 14)).collect();
        assert_eq!(steps(grid, &level), Some([1, 1]));
        assert!(Boxes::new(1 << 18, grid, [1, 1]).is_some());
        let mut other = level.clone();
        other[5000] += 1;
        assert_eq!(steps(grid, &other), None);
        assert_eq!(steps(Grid { plane: 0, ..grid }, &level), None);
        // Small planes, and short lines.
        assert!(Boxes::new(1 << 18, Grid::new(1 << 18, 64, 1 << 12), [1, 1]).is_none());
        assert!(Boxes::new(1 << 18, Grid::new(1 << 18, 16, 1 << 14), [1, 1]).is_none());
        assert!(are_ordered(grid, [(16384, 0), (16448, 64), (16448, 0), (70, 69)].into_iter()));
        assert!(!are_ordered(grid, [(16384, 0), (16384, 64)].into_iter()));
    }
}
