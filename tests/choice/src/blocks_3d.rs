//! What 3-D blocks of a grid are made by: the levels of its lines and planes.
#![forbid(unsafe_code)]

use sptrsv::analysis::lines::Grid;

/// The levels of a grid are linear in its coordinates: from unknown to unknown of a line they rise by one, from line to line
/// of a plane, and from plane to plane, by these. None if they are not. `level` is in solving order.
pub fn steps(grid: Grid, level: &[u32]) -> Option<[u32; 2]> {
    let Grid { line, plane } = grid;
    if line == 0 || plane == 0 {
        return None;
    }
    let steps = [level[line as usize], level[plane as usize]];
    let is_linear = |(t, &level): (u32, &u32)| {
        let [x, y, z] = grid.place(t);
        level == x.wrapping_add(y.wrapping_mul(steps[0])).wrapping_add(z.wrapping_mul(steps[1]))
    };
    (0..).zip(level).all(is_linear).then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_a_grid_rise_by_the_same_from_line_to_line() {
        let (n, grid) = (1 << 18, Grid::new(1 << 18, 64, 1 << 14));
        let level: Vec<u32> = (0..n).map(|t: u32| t % 64 + 2 * (t / 64 % 256) + 3 * (t >> 14)).collect();
        assert_eq!(steps(grid, &level), Some([2, 3]));
        let mut other = level.clone();
        other[5000] += 1;
        assert_eq!(steps(grid, &other), None);
        assert_eq!(steps(Grid { plane: 0, ..grid }, &level), None);
    }
}
