//! Nodes: unknowns of one grid point, say, that depend on the same others. Where a pattern is one of nodes, the
//! nodes' own pattern is analysed in its place, and a solve goes node by node.
//!
//! The `b` unknowns of a node are consecutive. The majors of a node have the same entries, in whole nodes, and
//! besides those of the node's own triangle, which is dense. The major with nothing of it is called bare: the
//! first one where the lower triangle is stored, and the last one for the upper triangle.
#![forbid(unsafe_code)]

use super::shared::nodes::{LARGEST_NODE, SMALLEST_NODE};
use super::{Nodes, Pattern, Schedule, Values, NONE};
use crate::problem::{Base, DiagSource, Index, MatDescr, Shape};

/// Rows that may be those of nodes: kernels/nodal/nodal.cuh numbers the words of two work vectors in 32 bits.
const MOST_ROWS: u32 = 1 << 31;

/// The largest size of nodes that divides `n` and is not refuted: bit `b` of `refuted` stands for size `b`.
pub fn largest(n: u32, refuted: u32) -> Option<u32> {
    let may_be = (1..=MOST_ROWS).contains(&n);
    (SMALLEST_NODE..=LARGEST_NODE).rev().find(|&b| may_be && n % b == 0 && refuted >> b & 1 == 0)
}

/// Entries of the nodes' pattern where the triangle has `entries`.
pub fn entries(n: u32, entries: u32, size: u32) -> u32 {
    (entries - n / size * (size * (size - 1) / 2)) / (size * size)
}

/// The problem that the nodes' pattern is analysed for.
pub fn shape(shape: &Shape, entries: u32, size: u32) -> Shape {
    let descr = MatDescr { base: Base::Zero, offsets: Index::I32, columns: Index::I32, ..shape.descr };
    Shape { n: shape.n / size, nnz: entries, descr, diag: DiagSource::Unit, ..*shape }
}

/// What is known of each stored major: where its entries of the triangle begin, which are consecutive, how many
/// they are, and where its diagonal entry is.
pub struct Majors<'a> {
    pub low: bool,
    pub first: &'a [u32],
    pub lengths: &'a [u32],
    pub diag: &'a [u32],
    pub ind: &'a [u32],
}

impl Majors<'_> {
    fn of(&self, i: u32) -> &[u32] {
        let first = self.first[i as usize] as usize;
        &self.ind[first..first + self.lengths[i as usize] as usize]
    }
    /// Of the node's majors.
    fn bare(&self, node: u32, size: u32) -> u32 {
        node * size + if self.low { 0 } else { size - 1 }
    }

    /// The largest size that the pattern's nodes have.
    pub fn size(&self) -> Option<u32> {
        let n = self.first.len() as u32;
        let all = (SMALLEST_NODE..=LARGEST_NODE).fold(0, |bits, b| bits | 1u32 << b);
        let mut refuted = 0;
        for i in 0..n {
            let own = self.of(i);
            let bits = |yes: &dyn Fn(u32) -> bool| {
                (SMALLEST_NODE..=LARGEST_NODE).filter(|&b| yes(b)).fold(0, |bits, b| bits | 1 << b)
            };
            let inside = bits(&|b| i % b != 0);
            if inside & !refuted != 0 {
                let before = self.of(i - 1);
                let same = if self.low {
                    own.split_last().is_some_and(|(&last, rest)| last == i - 1 && rest == before)
                } else {
                    before.split_first().is_some_and(|(&first, rest)| first == i && rest == own)
                };
                if !same {
                    refuted |= inside;
                }
            }
            refuted |= bits(&|b| {
                refuted >> b & 1 == 0
                    && self.bare(i / b, b) == i
                    && !own.chunks(b as usize).all(|node| is_node(node, b))
            });
            if refuted == all {
                return None;
            }
        }
        largest(n, refuted)
    }

    /// The pattern of the nodes.
    pub fn pattern(&self, size: u32) -> Pattern {
        let mut pattern = Pattern { ptr: vec![0], ind: Vec::new() };
        for node in 0..self.first.len() as u32 / size {
            let nodes = self.of(self.bare(node, size)).iter().step_by(size as usize);
            pattern.ind.extend(nodes.map(|&j| j / size));
            pattern.ptr.push(pattern.ind.len() as u32);
        }
        pattern
    }

    /// What solves need of the rows, beside the `schedule` of the nodes' pattern.
    pub fn rows(&self, pattern: &Pattern, schedule: &Schedule, size: u32, diag: DiagSource) -> Nodes {
        let row = |node: u32, unknown: u32| {
            let i = node * size + unknown;
            let (first, length) = (self.first[i as usize], self.lengths[i as usize]);
            let diagonal = match diag {
                DiagSource::Matrix => self.diag[i as usize],
                DiagSource::Separate | DiagSource::Unit => i,
            };
            // Wraps around where the first row's own entries begin before the array: they are none. In a row without
            // entries the diagonal says where they would lie.
            let own = if diag == DiagSource::Matrix && length == 0 && diagonal != NONE {
                diagonal.wrapping_sub(unknown)
            } else if self.low {
                first + length - unknown
            } else {
                first.wrapping_sub(unknown + 1)
            };
            [own, diagonal]
        };
        let rows = schedule.order.iter().flat_map(|&node| (0..size).map(move |unknown| row(node, unknown)));
        let mut index = Vec::new();
        if let Some((lists, Values::Permuted(values))) =
            schedule.rows.as_ref().and_then(|l| l.values.as_ref().map(|v| (l, v)))
        {
            for (&position, &value) in lists.adj.iter().zip(values) {
                let node = schedule.order[position as usize];
                let rank = value - pattern.ptr[node as usize];
                index.extend((0..size).map(|unknown| {
                    let first = self.first[(node * size + unknown) as usize];
                    first + if self.low { 0 } else { size - 1 - unknown } + rank * size
                }));
            }
        }
        Nodes { size, low: self.low, rows: rows.collect(), index }
    }
}

/// Whether these are the indices of a whole node.
fn is_node(indices: &[u32], size: u32) -> bool {
    indices.len() == size as usize && indices[0] % size == 0 && indices.windows(2).all(|w| w[1] == w[0] + 1)
}

impl Nodes {
    /// Whether the diagonal of each row is in its place beside the entries of its node's own triangle.
    pub fn diag_in_rows(&self) -> bool {
        let unknowns = (0..self.size).cycle();
        self.rows
            .iter()
            .zip(unknowns)
            .all(|(&[own, diagonal], unknown)| diagonal != NONE && diagonal == own.wrapping_add(unknown))
    }

    /// Whether, if so and op(A)'s rows are stored, each row of a node begins where the one before it ends. `row_ptr` are the
    /// offsets of the nodes' lists.
    pub fn rows_follow(&self, row_ptr: &[u32]) -> bool {
        let size = self.size as usize;
        self.rows.chunks(size).zip(row_ptr.windows(2)).all(|(rows, list)| {
            let others = (list[1] - list[0]) * self.size;
            rows.windows(2).zip(1..).all(|(pair, unknown)| {
                let ([before, _], [own, _]) = (pair[0], pair[1]);
                if self.low {
                    own.wrapping_sub(others) == before.wrapping_add(unknown)
                } else {
                    own.wrapping_add(unknown) == before.wrapping_add(self.size + others)
                }
            })
        })
    }
}

/// The records of nodes: node, nothing, first entry, where its first row's entries of its own triangle lie; and one more.
pub fn records(schedule: &Schedule, nodes: &Nodes) -> Vec<[u32; 4]> {
    let lists = schedule.rows.as_ref().expect("asked for");
    let own = nodes.rows.iter().step_by(nodes.size as usize).map(|&[own, _]| own);
    let records = schedule.order.iter().zip(&lists.ptr).zip(own);
    let mut records: Vec<[u32; 4]> = records.map(|((&node, &first), own)| [node, NONE, first, own]).collect();
    records.push([0, NONE, lists.ptr[schedule.order.len()], 0]);
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Majors of a lower triangle, each without its diagonal, one after the other.
    fn majors(low: bool, rows: &[&[u32]]) -> (Vec<u32>, Vec<u32>, Vec<u32>, bool) {
        let mut first = Vec::new();
        let mut ind = Vec::new();
        for row in rows {
            first.push(ind.len() as u32);
            ind.extend_from_slice(row);
        }
        (first, rows.iter().map(|r| r.len() as u32).collect(), ind, low)
    }

    fn size(low: bool, rows: &[&[u32]]) -> Option<u32> {
        let (first, lengths, ind, low) = majors(low, rows);
        Majors { low, first: &first, lengths: &lengths, diag: &[], ind: &ind }.size()
    }

    #[test]
    fn nodes_are_found_in_both_triangles() {
        assert_eq!(size(true, &[&[], &[0], &[0, 1], &[0, 1, 2]]), Some(4));
        assert_eq!(size(true, &[&[], &[0], &[], &[2]]), Some(2));
        assert_eq!(size(true, &[&[], &[0], &[0, 1], &[], &[3], &[3, 4]]), Some(3));
        assert_eq!(size(false, &[&[1, 2, 3], &[2, 3], &[3], &[]]), Some(4));
        assert_eq!(size(false, &[&[1], &[], &[3], &[]]), Some(2));
    }

    #[test]
    fn rows_whose_words_have_no_numbers_are_not_of_nodes() {
        assert_eq!((largest(MOST_ROWS, 0), largest(MOST_ROWS + 2, 0), largest(0, 0)), (Some(4), None, None));
    }

    #[test]
    fn what_is_not_whole_is_no_node() {
        assert_eq!(size(true, &[&[], &[]]), None);
        assert_eq!(size(true, &[&[], &[0], &[0], &[0, 2]]), None);
        assert_eq!(size(true, &[&[], &[0], &[0, 1], &[0, 1]]), None);
        assert_eq!(size(true, &[&[], &[0], &[]]), None);
        // Entries of one node of two and of another, in the wrong places.
        assert_eq!(size(true, &[&[], &[0], &[0, 1], &[0, 1, 2], &[1, 2], &[1, 2, 4]]), None);
        assert_eq!(size(false, &[&[1, 2], &[2], &[3], &[]]), None);
    }

    #[test]
    fn a_missing_diagonal_is_in_no_place() {
        let nodes = |rows| Nodes { size: 2, low: false, rows, index: Vec::new() };
        // Entries of the upper triangle's first row begin where its diagonal would be at -1.
        assert!(!nodes(vec![[u32::MAX, NONE], [0, 1]]).diag_in_rows());
        assert!(nodes(vec![[0, 0], [1, 2]]).diag_in_rows());
    }

    #[test]
    fn rows_follow_where_nothing_lies_between_them() {
        // Nodes of three: one that depends on no other, and one that does.
        let follow = |low, own: [u32; 6]| {
            let rows = own.iter().map(|&own| [own, NONE]).collect();
            Nodes { size: 3, low, rows, index: Vec::new() }.rows_follow(&[0, 0, 1])
        };
        // [d] [l d] [l l d], and [o o o d] and so on; [d u u] [d u] [d], and [d u u o o o] and so on. Own entries begin where the
        // first unknown's is, or would be.
        let (low, high) = ([0, 1, 3, 9, 13, 18], [0, 2, 3, 6, 11, 15]);
        assert!(follow(true, low) && follow(false, high));
        assert!(!follow(false, low) && !follow(true, high));
        // One entry between rows of the second node; and between the nodes, which is nothing.
        assert!(!follow(true, [0, 1, 3, 9, 13, 19]) && !follow(false, [0, 2, 3, 6, 12, 16]));
        assert!(follow(true, [0, 1, 3, 10, 14, 19]) && follow(false, [0, 2, 3, 7, 12, 16]));
    }

    #[test]
    fn the_pattern_of_the_nodes() {
        let (first, lengths, ind, low) =
            majors(true, &[&[], &[0], &[], &[2], &[0, 1, 2, 3], &[0, 1, 2, 3, 4]]);
        let all = Majors { low, first: &first, lengths: &lengths, diag: &[], ind: &ind };
        assert_eq!(all.size(), Some(2));
        let pattern = all.pattern(2);
        assert_eq!((pattern.ptr, pattern.ind), (vec![0, 0, 0, 2], vec![0, 1]));
        assert_eq!(entries(6, ind.len() as u32, 2), 2);
    }
}
