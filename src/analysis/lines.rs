//! Lines and planes: sizes of tiles that end where the lines of a grid end.
//!
//! Eight whole lines of a grid have eight unknowns in most of their levels, and four such levels fill a batch of 32; a
//! tile of 8192 unknowns of a grid with lines of 1000 has nine in some levels, and a batch has room for three. A tile
//! that holds the end of one plane and the beginning of the next ties the two together. So where the pattern has lines,
//! tiles are some of them, or a plane.
//!
//! In a line each unknown depends on the one before, and the first one does not: so the entries next to the diagonal say
//! how many lines there are. The first unknown of a line depends on the line before, and where it does not a plane begins.
#![forbid(unsafe_code)]

use crate::tuning::{LONGEST_LINE, SHORTEST_LINE, SMALLEST_RANGE};

/// The smallest tile, where there are lines.
const LEAST: u32 = SMALLEST_RANGE * 10 / 14;

/// The shape of a grid: positions of a line and of a plane, or 0 where there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    pub line: u32,
    pub plane: u32,
}

/// How positions are cut: so many have the least and largest of their levels noted together, and tiles may have so many,
/// which are multiples of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub span: u32,
    pub tiles: Vec<u32>,
    /// Positions of a plane, where some of the tiles hold the end of one and the beginning of the next, or 0.
    pub plane: u32,
    /// The same where tiles are parts of planes, or planes.
    pub whole: u32,
}

/// Positions of a line, where so many entries are next to the diagonal and all lines have the same length; 0 if not.
pub fn line(n: u32, next_to_diagonal: u32) -> u32 {
    length(n, n.saturating_sub(next_to_diagonal))
}

/// Positions of each of so many parts, if all are alike and long enough.
pub fn length(n: u32, parts: u32) -> u32 {
    match parts {
        0 | 1 => 0,
        parts if n % parts == 0 && n / parts >= SHORTEST_LINE => n / parts,
        _ => 0,
    }
}

/// Positions before the first line that does not depend on the line before, or 0. `nearest` is how far the nearest of what
/// the first unknown of a line depends on is before it.
pub fn plane(n: u32, line: u32, nearest: impl Fn(u32) -> u32) -> u32 {
    if line == 0 {
        return 0;
    }
    (line..n).step_by(line as usize).find(|&t| nearest(t) > line + line / 2).unwrap_or(0)
}

/// The most spans that there may be.
pub fn most_spans(n: u32) -> u32 {
    n.div_ceil(LEAST)
}

impl Grid {
    /// Planes count where all are alike.
    pub fn new(n: u32, line: u32, plane: u32) -> Grid {
        let is_whole = line > 0 && plane > 0 && n % plane == 0;
        Grid { line, plane: if is_whole { plane } else { 0 } }
    }

    /// Where a position is: in its line, its line in the plane, and its plane.
    pub fn place(self, position: u32) -> [u32; 3] {
        let in_plane = position % self.plane;
        [in_plane % self.line, in_plane / self.line, position / self.plane]
    }

    /// Sizes of tiles for so many unknowns: a power of two of lines, or a part of one. Where a block has room for a plane
    /// of another tile, `remote_buffer`, some planes or a part of one, as what straddles two planes ties them together.
    pub fn sizes(self, n: u32, remote_buffer: u32) -> Sizes {
        let Grid { line, plane } = self;
        if (1..LEAST).contains(&plane) {
            return Sizes::doubled(plane, n).unwrap_or_else(|| Sizes::plain(n));
        }
        let Some(lines) = Sizes::doubled(line, n) else { return Sizes::plain(n) };
        if plane == 0 || plane > remote_buffer {
            return Sizes { plane, ..lines };
        }
        let parts = lines.tiles.into_iter().filter(|&part| part < plane && plane % part == 0);
        let planes = Sizes::from(plane, n).tiles;
        let tiles: Vec<u32> = parts.chain(planes).collect();
        Sizes { span: tiles[0], tiles, plane: 0, whole: plane }
    }
}

impl Sizes {
    /// Where nothing is known of lines.
    pub fn plain(n: u32) -> Sizes {
        Sizes::from(SMALLEST_RANGE, n)
    }

    /// The size and its doubles, up to one that holds all.
    fn from(least: u32, n: u32) -> Sizes {
        let mut tiles = vec![least];
        while let Some(&last) = tiles.last().filter(|&&last| last < n) {
            tiles.push(last.saturating_mul(2));
        }
        Sizes { span: least, tiles, plane: 0, whole: 0 }
    }

    /// The same from the smallest tile of whole parts of that length, or of halves of one. None where that is not small, and
    /// where there are no parts.
    fn doubled(part: u32, n: u32) -> Option<Sizes> {
        let mut least = part;
        while least >= 2 * LEAST && least % 2 == 0 {
            least /= 2;
        }
        if least == 0 || least > LONGEST_LINE {
            return None;
        }
        while least < LEAST {
            least *= 2;
        }
        Some(Sizes::from(least, n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_planes_of_grids() {
        for [nx, ny, nz] in [[20, 30, 1], [20, 30, 4], [100, 8, 9], [8, 8, 8]] {
            let n = nx * ny * nz;
            let lines = ny * nz;
            assert_eq!(line(n, n - lines), nx);
            // Of the first unknown of a line, as majors of both triangles say.
            let nearest = |t: u32| if t / nx % ny > 0 { nx } else { nx * ny };
            assert_eq!(plane(n, nx, nearest), if nz > 1 { nx * ny } else { 0 });
        }
        // A chain, unknowns by themselves, lines of two lengths, short ones, and more entries than rows.
        for (n, entries) in [(100, 99), (100, 0), (100, 97), (100, 80), (100, 100), (100, 250), (0, 0)] {
            assert_eq!(line(n, entries), 0, "{n} {entries}");
        }
        assert_eq!(plane(100, 0, |_| 100), 0);
        assert_eq!(Grid::new(100, 10, 30), Grid { line: 10, plane: 0 });
        assert_eq!(Grid::new(90, 10, 30), Grid { line: 10, plane: 30 });
        assert_eq!(Grid { line: 10, plane: 30 }.place(88), [8, 2, 2]);
    }

    #[test]
    fn sizes_are_lines_and_planes() {
        let sizes = |line, plane, n| Grid { line, plane }.sizes(n, 16384);
        let of = |tiles: &[u32]| Sizes { span: tiles[0], tiles: tiles.to_vec(), plane: 0, whole: 0 };
        let parts = |whole: u32, tiles: &[u32]| Sizes { whole, ..of(tiles) };
        assert_eq!(sizes(0, 0, 5000), of(&[1024, 2048, 4096, 8192]));
        assert_eq!(sizes(1000, 0, 8000), of(&[1000, 2000, 4000, 8000]));
        assert_eq!(sizes(3000, 0, 6000), of(&[750, 1500, 3000, 6000]));
        // Planes, and their parts; small ones, and large ones.
        assert_eq!(sizes(128, 128 * 128, 1 << 15), parts(128 * 128, &[1024, 2048, 4096, 8192, 16384, 32768]));
        assert_eq!(sizes(60, 3600, 7200), parts(3600, &[3600, 7200]));
        assert_eq!(sizes(25, 625, 5000), of(&[1250, 2500, 5000]));
        assert_eq!(sizes(148, 21904, 40000), Sizes { plane: 21904, ..sizes(148, 0, 40000) });
        assert_eq!(
            Grid { line: 60, plane: 3600 }.sizes(7200, 0),
            Sizes { plane: 3600, ..sizes(60, 0, 7200) }
        );
        // Lines that are too long.
        assert_eq!(sizes(5001, 0, 10002), Sizes::plain(10002));
        let grids = [
            (0, 0, 1 << 20),
            (8, 8 * 85, 1 << 20),
            (60, 3600, 60 * 3600),
            (733, 7330, 7330 * 9),
            (1463, 0, 14630),
        ];
        for (line, plane, n) in grids {
            let sizes = sizes(line, plane, n);
            assert!(n.div_ceil(sizes.span) <= most_spans(n));
            assert!(sizes.tiles.iter().all(|size| size % sizes.span == 0));
            assert!(*sizes.tiles.last().unwrap() >= n);
        }
    }
}
