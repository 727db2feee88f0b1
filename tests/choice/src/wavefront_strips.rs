//! The order by wavefront strips, by the rule of src/analysis/wavefront_strips.rs.
#![forbid(unsafe_code)]

use sptrsv::analysis::wavefront_strips::{bound, fits};

/// The position of each unknown in the order by wavefront strips, and how many wavefront strips there are. `level` is by unknown,
/// and `entries` are all dependencies, as (row, what it depends on).
pub fn positions(
    by_level: &[u32],
    level_ptr: &[u32],
    level: &[u32],
    forward: bool,
    entries: impl Iterator<Item = (u32, u32)>,
) -> Option<(Vec<u32>, u32)> {
    let levels = level_ptr.len() as u32 - 1;
    let widest = level_ptr.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
    if !fits(levels, level.len() as u32) {
        return None;
    }
    bound(levels, widest)?;
    // The rank of each unknown, and from the other end of its level.
    let mut ranks = vec![[0; 2]; level.len()];
    for ends in level_ptr.windows(2) {
        let unknowns = &by_level[ends[0] as usize..ends[1] as usize];
        let last = unknowns.len() as u32 - 1;
        for (k, &i) in (0..).zip(unknowns) {
            ranks[i as usize] = if forward { [k, last - k] } else { [last - k, k] };
        }
    }
    let mut shifts = [vec![0; levels as usize], vec![0; levels as usize]];
    for (i, j) in entries {
        for (way, shift) in shifts.iter_mut().enumerate() {
            let by = ranks[j as usize][way].saturating_sub(ranks[i as usize][way]);
            let grows = &mut shift[level[i as usize] as usize];
            *grows = by.max(*grows);
        }
    }
    for shift in &mut shifts {
        for l in 1..shift.len() {
            shift[l] += shift[l - 1];
        }
    }
    let way = (shifts[1].last() < shifts[0].last()) as usize;
    let mut place: Vec<u32> =
        ranks.iter().zip(level).map(|(rank, &l)| rank[way] + shifts[way][l as usize]).collect();
    let mut order = by_level.to_vec();
    order.sort_by_key(|&i| place[i as usize]);
    let wavefront_strips = order.last().map_or(0, |&i| place[i as usize] + 1);
    for (position, &i) in (0..).zip(&order) {
        place[i as usize] = position;
    }
    Some((place, wavefront_strips))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels by unknown of a forward or backward solve, the unknowns by level, and where each level begins.
    fn by_level(n: u32, forward: bool, entries: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
        let mut level = vec![0; n as usize];
        let mut sorted = entries.to_vec();
        sorted.sort_by_key(|&(i, _)| if forward { i } else { n - 1 - i });
        for (i, j) in sorted {
            level[i as usize] = level[i as usize].max(level[j as usize] + 1);
        }
        let mut order: Vec<u32> = (0..n).collect();
        order.sort_by_key(|&i| level[i as usize]);
        let levels = level.iter().max().unwrap() + 1;
        let ptr = (0..=levels).map(|l| order.partition_point(|&i| level[i as usize] < l) as u32).collect();
        (level, order, ptr)
    }

    fn positions_of(n: u32, forward: bool, entries: &[(u32, u32)]) -> Option<Vec<u32>> {
        let (level, order, ptr) = by_level(n, forward, entries);
        let (positions, _) = positions(&order, &ptr, &level, forward, entries.iter().copied())?;
        let mut sorted = positions.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..n));
        assert!(entries.iter().all(|&(i, j)| positions[j as usize] < positions[i as usize]));
        Some(positions)
    }

    type Pairs = Vec<(u32, u32)>;

    /// A five-point grid whose points follow one another by diagonals or by lines, and the points.
    fn grid(nx: u32, ny: u32, by_diagonals: bool) -> (Pairs, Pairs) {
        let mut points: Pairs = (0..ny).flat_map(|y| (0..nx).map(move |x| (x, y))).collect();
        if by_diagonals {
            points.sort_by_key(|&(x, y)| (x + y, y));
        }
        let number = |p| points.iter().position(|&q| q == p).unwrap() as u32;
        let entries = points.iter().flat_map(|&(x, y)| {
            let left = (x > 0).then(|| (number((x, y)), number((x - 1, y))));
            let below = (y > 0).then(|| (number((x, y)), number((x, y - 1))));
            left.into_iter().chain(below)
        });
        let entries = entries.collect();
        (entries, points)
    }

    #[test]
    fn wavefront_strips_of_a_grid_are_its_lines_along_the_longer_axis() {
        for (nx, ny) in [(7, 7), (5, 9), (9, 5), (3, 40), (40, 3)] {
            for by_diagonals in [true, false] {
                let (entries, points) = grid(nx, ny, by_diagonals);
                let positions = positions_of(nx * ny, true, &entries).unwrap();
                let strip = |&(x, y): &(u32, u32)| if nx < ny { x * ny + y } else { y * nx + x };
                assert!(positions.iter().copied().eq(points.iter().map(strip)), "{nx} {ny}: {positions:?}");
                // The same from the other end.
                let last = nx * ny - 1;
                let mirrored: Vec<_> = entries.iter().map(|&(i, j)| (last - i, last - j)).collect();
                let backward = positions_of(nx * ny, false, &mirrored).unwrap();
                assert!(backward.iter().rev().eq(&positions));
            }
        }
    }

    #[test]
    fn whatever_the_pattern_is_the_order_solves_it() {
        let mut state = 7u64;
        let mut random = |bound: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as u32 % bound
        };
        let mut orders = 0;
        for n in 1..60 {
            for forward in [true, false] {
                let entries: Vec<(u32, u32)> = (0..2 * n)
                    .map(|_| (random(n), random(n)))
                    .filter(|&(i, j)| if forward { j < i } else { j > i })
                    .collect();
                orders += positions_of(n, forward, &entries).is_some() as u32;
            }
        }
        assert!(orders > 60);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let chain: Vec<_> = (1..9).map(|i| (i, i - 1)).collect();
        assert_eq!(positions_of(9, true, &chain), None);
        assert!(positions_of(18, true, &chain).is_some());
    }
}
