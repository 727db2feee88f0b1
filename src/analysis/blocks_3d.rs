//! 3-D blocks: tiles of a large grid in three dimensions, each some lines of some planes.
//!
//! A tile of consecutive lines of a plane of 256 × 256 unknowns crosses a fraction of the plane, and a wave that goes through
//! the grid crosses as many tiles in each plane as it has, in plane after plane. 3-D blocks of 8 lines of 4 planes are crossed four
//! planes at a time, and have 32 unknowns in most of their levels, which fill a batch. They are taken diagonal by diagonal, so
//! that those that can be at work together are.
//!
//! An order by 3-D blocks solves a grid in which no unknown depends on a later line of an earlier plane, as with stencils of 7
//! points and what fills them in. Where it depends on the next line there, as with stencils of 27, 3-D blocks are skewed: their
//! lines are one earlier in each plane. Where rows have several lanes, 3-D blocks are half as wide.
//!
//! Small grids have no 3-D blocks, but a skew as well: the predicted time of their tiles depends on it.
#![forbid(unsafe_code)]

use super::lines::{self, Grid};
use super::ranges::Span;
use crate::tuning::{BLOCK_3D_LINE, BLOCK_3D_PLANE, BLOCK_3D_SHAPE, BLOCK_3D_SHAPE_LANES, LANE_ENTRIES};

/// Lines for each plane by which 3-D blocks may be skewed.
const MOST_SKEW: u32 = 1;

/// The 3-D blocks of a grid.
#[derive(Clone, Debug)]
pub struct Blocks3d {
    /// Lines and planes of a 3-D block.
    pub lines: u32,
    pub planes: u32,
    /// Lines for each plane by which they are skewed.
    pub skew: u32,
    /// 3-D blocks beside each other.
    pub across: u32,
    /// The tile that each is, those beside each other first.
    pub tile: Vec<u32>,
    /// The first position of each tile, and past the last.
    pub begin: Vec<u32>,
    /// The levels of each tile.
    pub spans: Vec<Span>,
}

/// By how many lines for each plane 3-D blocks must be skewed so that no position depends on a later one of them: as far as
/// lines of earlier planes that it depends on are ahead of its own.
pub fn skew(grid: Grid, dependencies: impl Iterator<Item = (u32, u32)>) -> u32 {
    let of = |(t, q): (u32, u32)| {
        let ([_, y, z], [_, other, earlier]) = (grid.place(t), grid.place(q));
        match other.saturating_sub(y) {
            lines if lines <= z - earlier => (lines > 0) as u32,
            _ => MOST_SKEW + 1,
        }
    };
    dependencies.map(of).max().unwrap_or(0)
}

impl Blocks3d {
    /// 3-D blocks of `n` unknowns with so many entries, where they may be worth it: where planes are large. There are none that are
    /// more skewed, nor where there would be too many.
    pub fn new(n: u32, entries: u32, grid: Grid, steps: [u32; 2], skew: u32) -> Option<Blocks3d> {
        let Grid { line, plane } = grid;
        if line < BLOCK_3D_LINE || plane < BLOCK_3D_PLANE || skew > MOST_SKEW {
            return None;
        }
        let (lines, planes) = (plane / line, n / plane);
        let has_lanes = entries as f64 > LANE_ENTRIES * n as f64;
        let [wide, deep] = if has_lanes { BLOCK_3D_SHAPE_LANES } else { BLOCK_3D_SHAPE };
        let across = (lines + skew * (planes - 1)).div_ceil(wide);
        let along = planes.div_ceil(deep);
        if across as u64 * along as u64 >= lines::most_spans(n) as u64 {
            return None;
        }
        // Diagonal by diagonal, plane by plane.
        let order = (0..across + along - 1)
            .flat_map(|sum| (sum.saturating_sub(across - 1)..along.min(sum + 1)).map(move |z| (sum - z, z)));
        let count = (across * along) as usize;
        let mut blocks_3d = Blocks3d {
            lines: wide,
            planes: deep,
            skew,
            across,
            tile: vec![0; count],
            begin: Vec::with_capacity(count + 1),
            spans: Vec::with_capacity(count),
        };
        blocks_3d.begin.push(0);
        let mut end = 0;
        for (y, z) in order {
            let mut span = Span { low: u32::MAX, high: 0, rows: 0 };
            for z in z * deep..((z + 1) * deep).min(planes) {
                // Lines of this plane.
                let (first, past) =
                    ((y * wide).saturating_sub(skew * z), ((y + 1) * wide).saturating_sub(skew * z));
                let past = past.min(lines);
                if first < past {
                    let level = |y: u32| y * steps[0] + z * steps[1];
                    span.low = span.low.min(level(first));
                    span.high = span.high.max(level(past - 1) + line - 1);
                    span.rows += line * (past - first);
                }
            }
            if span.rows > 0 {
                blocks_3d.tile[(z * across + y) as usize] = blocks_3d.spans.len() as u32;
                blocks_3d.spans.push(span);
                end += span.rows;
                blocks_3d.begin.push(end);
            }
        }
        Some(blocks_3d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Blocks3d {
        /// The tile that a position is in.
        fn tile_of(&self, grid: Grid, position: u32) -> u32 {
            let [_, y, z] = grid.place(position);
            self.tile[(z / self.planes * self.across + (y + self.skew * z) / self.lines) as usize]
        }
    }

    #[test]
    fn blocks_3d_solve_a_grid() {
        let sizes = [[128, 128, 9], [64, 300, 4], [64, 128, 5], [64, 129, 2], [100, 200, 30]];
        for ([nx, ny, nz], crosses) in sizes.into_iter().flat_map(|size| [(size, 0), (size, 1)]) {
            let n = nx * ny * nz;
            let grid = Grid::new(n, nx, nx * ny);
            let level: Vec<u32> = (0..n).map(|i| i % nx + 2 * (i / nx % ny) + 3 * (i / (nx * ny))).collect();
            let dependencies = |t: u32| {
                let (x, y, z) = (t % nx, t / nx % ny, t / (nx * ny));
                let inside = [x > 0, y > 0, z > 0, crosses > 0 && z > 0 && y + 1 < ny];
                let before = [1, nx, nx * ny, nx * ny - nx];
                inside.into_iter().zip(before).filter(|&(inside, _)| inside).map(move |(_, by)| (t, t - by))
            };
            let skew = skew(grid, (0..n).flat_map(dependencies));
            assert_eq!(skew, crosses);
            let blocks_3d = Blocks3d::new(n, 3 * n, grid, [2, 3], skew).unwrap();
            assert_eq!(blocks_3d.begin.last(), Some(&n));
            // There is room for them where the spans were.
            assert!(blocks_3d.tile.len() + blocks_3d.begin.len() <= 2 * lines::most_spans(n) as usize);
            let mut seen: Vec<Span> =
                blocks_3d.spans.iter().map(|_| Span { low: u32::MAX, high: 0, rows: 0 }).collect();
            for t in 0..n {
                let span = &mut seen[blocks_3d.tile_of(grid, t) as usize];
                (span.low, span.high) = (span.low.min(level[t as usize]), span.high.max(level[t as usize]));
                span.rows += 1;
                assert!(
                    dependencies(t).all(|(t, q)| blocks_3d.tile_of(grid, q) <= blocks_3d.tile_of(grid, t))
                );
            }
            for (t, (seen, span)) in seen.iter().zip(&blocks_3d.spans).enumerate() {
                assert_eq!((seen.low, seen.high, seen.rows), (span.low, span.high, span.rows));
                assert_eq!(blocks_3d.begin[t + 1] - blocks_3d.begin[t], span.rows);
            }
        }
    }

    #[test]
    fn what_has_no_blocks_3d() {
        let (n, grid) = (1 << 18, Grid::new(1 << 18, 64, 1 << 14));
        assert!(Blocks3d::new(n, n, grid, [1, 1], 0).is_some());
        // Small planes, short lines, and more lines ahead than planes.
        assert!(Blocks3d::new(n, n, Grid::new(n, 64, 1 << 12), [1, 1], 0).is_none());
        assert!(Blocks3d::new(n, n, Grid::new(n, 16, 1 << 14), [1, 1], 0).is_none());
        assert!(Blocks3d::new(n, n, grid, [1, 1], 2).is_none());
        for (entry, lines) in
            [((16448, 0), 0), ((70, 69), 0), ((16384, 64), 1), ((32768, 128), 1), ((16384, 128), 2)]
        {
            assert_eq!(skew(grid, [entry, (64, 0)].into_iter()), lines, "{entry:?}");
        }
    }
}
