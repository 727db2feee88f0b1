//! Patterns of every shape.

use sptrsv::problem::{Base, Fill, Format, Op};

/// A small generator of random numbers.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % bound.max(1) as u64) as usize
    }
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// A pattern by majors, zero-based.
pub struct Pattern {
    pub name: &'static str,
    pub majors: Vec<Vec<i64>>,
}

pub type Build = fn(usize, usize, &mut Random) -> Vec<i64>;

/// Of a grid in three dimensions with large planes, that is tiled by skewed 3-D blocks.
fn crossing(n: usize, i: usize) -> Vec<i64> {
    let (line, plane) = (100, 15_000);
    let (y, by) = (i % plane / line, plane - line);
    let mut row = solid(n, i, line, plane);
    row.extend((i >= plane && y + 1 < plane / line).then(|| (i - by) as i64));
    row.extend((y > 0 && i + by < n).then(|| (i + by) as i64));
    row.sort_unstable();
    row
}

/// Of a grid in three dimensions, with so many unknowns in a line and in a plane.
fn solid(n: usize, i: usize, line: usize, plane: usize) -> Vec<i64> {
    let before = [(plane, n), (line, plane), (1, line)];
    let low = before.iter().filter(|&&(by, of)| i % of >= by).map(|&(by, _)| (i - by) as i64);
    let high = before.iter().rev().filter(|&&(by, of)| i % of + by < of && i + by < n);
    low.chain([i as i64]).chain(high.map(|&(by, _)| (i + by) as i64)).collect()
}

/// A row of a square grid that comes by diagonals, and of unknowns by themselves: tiles are wavefront strips across the diagonals.
fn by_diagonals(n: usize, i: usize) -> Vec<i64> {
    let side = (n as f64).sqrt() as usize;
    // The first line of a diagonal, and the number of its point there.
    let low = |d: usize| (d + 1).saturating_sub(side);
    let begin = |d: usize| {
        if d < side {
            d * (d + 1) / 2
        } else {
            side * side - (2 * side - 1 - d) * (2 * side - d) / 2
        }
    };
    let Some(d) = (0..2 * side - 1).rfind(|&d| begin(d) <= i).filter(|_| i < side * side) else {
        return vec![i as i64];
    };
    let y = i - begin(d) + low(d);
    let x = d - y;
    let number = |x: usize, y: usize| (begin(x + y) + y - low(x + y)) as i64;
    let below = (y > 0).then(|| number(x, y - 1));
    let left = (x > 0).then(|| number(x - 1, y));
    let right = (x + 1 < side).then(|| number(x + 1, y));
    let above = (y + 1 < side).then(|| number(x, y + 1));
    [below, left, Some(i as i64), right, above].into_iter().flatten().collect()
}

/// Nodes of as many unknowns as `n` allows, each joined to four others.
fn of_nodes(n: usize, i: usize) -> Vec<i64> {
    let size = (2..=6).rev().find(|size| n % size == 0).unwrap_or(2);
    let (nodes, node) = (n.div_ceil(size) as i64, (i / size) as i64);
    let others = [node - 40, node - 1, node, node + 1, node + 40];
    let all = others.into_iter().filter(|other| (0..nodes).contains(other));
    let rows = all.flat_map(|other| (0..size as i64).map(move |c| other * size as i64 + c));
    rows.filter(|&j| j < n as i64).collect()
}

/// Major `i` of `n` of each shape. Full ones hold both triangles.
pub const SHAPES: &[(&str, Build)] = &[
    ("nothing", |_, _, _| vec![]),
    ("diagonal", |_, i, _| vec![i as i64]),
    ("chain", |n, i, _| (i.saturating_sub(1)..=(i + 1).min(n - 1)).map(|j| j as i64).collect()),
    ("chain of blocks", |n, i, _| (i / 3 * 3..(i / 3 * 3 + 6).min(n)).map(|j| j as i64).collect()),
    ("grid", |n, i, _| {
        let width = (n as f64).sqrt().ceil() as i64;
        let i = i as i64;
        [i - width, i - 1, i, i + 1, i + width].into_iter().filter(|j| (0..n as i64).contains(j)).collect()
    }),
    ("diagonals", |n, i, _| by_diagonals(n, i)),
    ("diagonals and a dense end", |n, i, _| {
        // An early row, whose last entry is not the unknown that it waits for, refutes chains before all pieces of the last row
        // are looked at.
        if i + 1 == n {
            return (0..n as i64).collect();
        }
        let mut row = by_diagonals(n - 1, i);
        row.extend((i == 300).then_some(0));
        row
    }),
    ("long grid", |n, i, _| {
        // Lines of 20: tiles are wavefront strips along the grid, by ranks from the other end.
        let (x, i, n) = (i % 20, i as i64, n as i64);
        let (left, right) = ((x > 0).then_some(i - 1), (x < 19 && i + 1 < n).then_some(i + 1));
        let (below, above) = ((i >= 20).then_some(i - 20), (i + 20 < n).then_some(i + 20));
        [below, left, Some(i), right, above].into_iter().flatten().collect()
    }),
    // Tiles are some planes, a plane, and 3-D blocks.
    ("small planes", |n, i, _| solid(n, i, 20, 300)),
    ("planes", |n, i, _| solid(n, i, 50, 1000)),
    ("3-D blocks", |n, i, _| solid(n, i, 100, 15_000)),
    ("skewed 3-D blocks", |n, i, _| crossing(n, i)),
    ("nodes", |n, i, _| of_nodes(n, i)),
    // Their rows follow one another where there is but one triangle.
    ("lower nodes", |n, i, _| of_nodes(n, i).into_iter().filter(|&j| j <= i as i64).collect()),
    ("upper nodes", |n, i, _| of_nodes(n, i).into_iter().filter(|&j| j >= i as i64).collect()),
    ("all but nodes", |n, i, _| {
        // Pairs, except one row in a hundred.
        let mut row: Vec<i64> = (i / 2 * 2..(i / 2 * 2 + 2).min(n)).map(|j| j as i64).collect();
        if i % 100 == 99 {
            row.insert(0, 0);
        }
        row
    }),
    ("random", |n, i, r| {
        let mut row: Vec<i64> = (0..r.below(9)).map(|_| r.below(n) as i64).chain([i as i64]).collect();
        row.sort_unstable();
        row.dedup();
        row
    }),
    ("layers", |n, i, r| {
        // Laid out level by level: where there are enough of them, rows go in locality order.
        let width = 600;
        let (begin, end) = (i / width * width, (i / width + 1) * width);
        let mut row = vec![i as i64];
        if begin > 0 {
            row.extend([begin - 1 - r.below(width), r.below(begin), r.below(begin)].map(|j| j as i64));
        }
        if end < n {
            row.extend([end + r.below(width.min(n - end)), end + r.below(n - end)].map(|j| j as i64));
        }
        row.sort_unstable();
        row.dedup();
        row
    }),
    ("unsorted", |n, i, r| {
        let mut row: Vec<i64> = (0..r.below(9)).map(|_| r.below(n) as i64).collect();
        if r.below(8) > 0 {
            row.insert(r.below(row.len() + 1), i as i64);
        }
        row
    }),
    ("twice", |n, i, r| {
        let j = r.below(n) as i64;
        let mut row = vec![i as i64; r.below(4)];
        row.extend([j, j, i as i64, j]);
        row
    }),
    (
        "dense row",
        |n, i, _| {
            if i == n / 2 || i + 1 == n || i == 0 {
                (0..n as i64).collect()
            } else {
                vec![i as i64]
            }
        },
    ),
    ("dense column", |n, i, _| {
        let mut row = vec![0, n as i64 / 2, i as i64, n as i64 - 1];
        row.sort_unstable();
        row.dedup();
        row
    }),
    // Dense rows beside each other.
    ("dense end", |n, i, _| if i + 40 >= n { (0..n as i64).collect() } else { vec![i as i64 / 2, i as i64] }),
    ("nets", |n, i, _| {
        // Lines of 20, and three unknowns that every third one depends on, or the other way round.
        let x = i % 20;
        let mut nets = (n / 6..n).step_by((n / 3).max(1));
        let mut row = vec![i];
        row.extend((x > 0).then(|| i - 1));
        row.extend((x < 19 && i + 1 < n).then_some(i + 1));
        row.extend(i.checked_sub(20));
        row.extend((i + 20 < n).then_some(i + 20));
        row.extend(nets.clone().filter(|_| i % 3 == 0));
        if nets.any(|net| net == i) {
            row.extend((0..n).step_by(3));
        }
        row.sort_unstable();
        row.dedup();
        row.into_iter().map(|j| j as i64).collect()
    }),
    ("empty majors", |n, i, r| if i % 3 == 0 { vec![] } else { vec![r.below(n) as i64, i as i64] }),
    ("long", |n, i, r| {
        let length = if i % 40 == 7 { 300 } else { 20 };
        let mut row: Vec<i64> = (0..length).map(|_| r.below(n) as i64).chain([i as i64]).collect();
        row.sort_unstable();
        row.dedup();
        row
    }),
    // Rows of up to 600 entries among short ones, which depend on each other, and on a few that many depend on.
    ("hubs", |n, i, r| {
        let length = if r.below(8) == 0 { 20 + r.below(600) } else { 4 };
        let mut row = vec![i as i64];
        row.extend((0..length).map(|_| {
            let often = r.below(n) + 1;
            r.below(often) as i64
        }));
        row.extend((0..length.min(40)).map(|_| i.saturating_sub(r.below(40)) as i64));
        row.sort_unstable();
        row.dedup();
        row
    }),
    ("dense", |n, _, _| (0..n.min(400) as i64).collect()),
    ("long and unsorted", |n, i, r| {
        let length = if i % 500 == 3 { 1500 } else { 3 };
        (0..length).map(|_| r.below(n) as i64).collect()
    }),
    ("band", |n, i, _| (i.saturating_sub(7)..(i + 8).min(n)).step_by(2).map(|j| j as i64).collect()),
    ("overtaken", |n, i, _| {
        // Even unknowns in a chain and odd ones in two, which are half as high. One even row depends on the odd ones beside
        // it as well.
        let by = if i % 2 == 0 { 2 } else { 4 };
        let beside = if i == n / 4 * 2 { 1 } else { by };
        let (i, n) = (i as i64, n as i64);
        let mut row = vec![i - by, i - beside, i, i + beside, i + by];
        row.retain(|j| (0..n).contains(j));
        row.dedup();
        row
    }),
];

pub fn build(shape: usize, n: usize, random: &mut Random) -> Pattern {
    let (name, major) = SHAPES[shape];
    Pattern { name, majors: (0..n).map(|i| major(n, i, random)).collect() }
}

impl Pattern {
    /// The caller's arrays, as wide integers.
    pub fn arrays(&self, base: Base) -> (Vec<i64>, Vec<i64>) {
        let base = base as i64;
        let mut ptr = vec![base];
        for major in &self.majors {
            ptr.push(ptr.last().unwrap() + major.len() as i64);
        }
        (ptr, self.majors.iter().flatten().map(|j| j + base).collect())
    }

    /// What there is of a triangle by the other index; of each, entries come in the order in which they are stored.
    pub fn transposed(&self, keeps_low: bool, with_diagonal: bool) -> Pattern {
        let mut majors = vec![Vec::new(); self.majors.len()];
        for (i, major) in self.majors.iter().enumerate() {
            for &j in major {
                let j = j as usize;
                if if i == j { with_diagonal } else { (j < i) == keeps_low } {
                    majors[j].push(i as i64);
                }
            }
        }
        Pattern { name: self.name, majors }
    }
}

/// One of the eight ways in which a triangle is stored and solved.
pub fn orientation(bits: usize) -> (Fill, Format, Op) {
    (
        [Fill::Lower, Fill::Upper][bits & 1],
        [Format::Csr, Format::Csc][bits >> 1 & 1],
        [Op::NonTranspose, Op::Transpose][bits >> 2],
    )
}

/// Rows that depend on unknowns anywhere.
pub fn anywhere(n: usize, random: &mut Random) -> Pattern {
    let row = |i: usize, random: &mut Random| {
        let mut row: Vec<i64> = (0..20).map(|_| random.below(n) as i64).chain([i as i64]).collect();
        row.sort_unstable();
        row.dedup();
        row
    };
    Pattern { name: "irregular", majors: (0..n).map(|i| row(i, random)).collect() }
}

/// A grid some of whose unknowns depend on others anywhere. Every size of its tiles is larger than is good.
pub fn irregular_lines() -> Pattern {
    let (line, plane, n) = (60, 3600, 3600 * 146);
    let row = |i: usize| {
        let own =
            [i.checked_sub(1).filter(|_| i % line != 0), i.checked_sub(line).filter(|_| i % plane >= line)];
        let far = (1..6usize).filter(|_| i > n / 8);
        let anywhere = far.map(|k| (i ^ k << 9).wrapping_mul(2_654_435_761) % (i - n / 16 - 1));
        let mut row: Vec<i64> =
            own.into_iter().flatten().chain(anywhere).chain([i]).map(|j| j as i64).collect();
        row.sort_unstable();
        row.dedup();
        row
    };
    Pattern { name: "irregular lines", majors: (0..n).map(row).collect() }
}

/// Nodes of two unknowns, which depend on the ones left and below and on others anywhere. Nodes are not looked at for that: else
/// they would be solved by nodes, and so they go by tiles.
pub fn irregular_nodes() -> Pattern {
    let row = |i: usize| {
        let (node, line) = (i / 2, 1024);
        let (x, y) = (node % line, node / line);
        let own = [node.checked_sub(1).filter(|_| x > 0), node.checked_sub(line)];
        let hashed = |k: usize| (node ^ k << 9).wrapping_mul(2_654_435_761) >> 7;
        let far = (1..4usize).filter(|_| y > 40).map(hashed);
        let anywhere = far.map(|h| h % (y - 33) * line + h / 4096 % (x + 1));
        let mut nodes: Vec<usize> = own.into_iter().flatten().chain(anywhere).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let own = (2 * node..=i).map(|j| j as i64);
        nodes.iter().flat_map(|&j| [2 * j as i64, 2 * j as i64 + 1]).chain(own).collect()
    };
    Pattern { name: "irregular nodes", majors: (0..2 << 19).map(row).collect() }
}
