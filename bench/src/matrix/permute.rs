//! Reorderings of a symmetric pattern, and the pattern of an incomplete factorisation.

use rayon::prelude::*;

use crate::base::Result;
use crate::matrix::{hash, metis, Csr};

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Unknowns in random order
    Random,
    /// Reverse Cuthill-McKee
    Rcm,
    /// Nested dissection by level-set separators
    Nd,
    /// METIS's nested dissection
    Metis,
    /// Greedy multicolour order: each unknown has the first colour that none of its neighbours has
    #[value(alias = "colors")]
    Colours,
}

impl Order {
    pub fn name(self) -> &'static str {
        match self {
            Order::Random => "random",
            Order::Rcm => "rcm",
            Order::Nd => "nd",
            Order::Metis => "metis",
            Order::Colours => "colours",
        }
    }
}

/// The order as a list: the old number of each new unknown. The pattern must be symmetric.
pub fn order(a: &Csr, by: Order) -> Vec<u32> {
    match by {
        Order::Random => {
            let mut list: Vec<u32> = (0..a.n as u32).collect();
            list.par_sort_by_key(|&i| hash(u64::from(i) ^ 0xabcd));
            list
        }
        Order::Rcm => reverse_cuthill_mckee(a),
        Order::Nd => nested_dissection(a),
        Order::Metis => metis::nested_dissection(a),
        Order::Colours => by_colour(a),
    }
}

/// The pattern with its unknowns renumbered by `order`.
pub fn permuted(a: &Csr, order: &[u32]) -> Result<Csr> {
    let mut new = vec![0i32; a.n];
    for (i, &old) in order.iter().enumerate() {
        new[old as usize] = i as i32;
    }
    Csr::from_rows(a.n, |i, out| {
        out.extend(a.row(order[i] as usize).iter().map(|&c| new[c as usize]));
        out.sort_unstable();
    })
}

/// Breadth-first search over the nodes that `part` marks with `id`; returns the visited nodes in order and
/// where each distance begins. `seen` holds a stamp a node, so that it need not be cleared.
struct Search<'a> {
    a: &'a Csr,
    seen: Vec<u32>,
    stamp: u32,
}

impl<'a> Search<'a> {
    fn new(a: &'a Csr) -> Self {
        Search { a, seen: vec![0; a.n], stamp: 0 }
    }

    fn from(&mut self, root: u32, part: &[u32], id: u32, by_degree: bool) -> (Vec<u32>, Vec<usize>) {
        self.stamp += 1;
        self.seen[root as usize] = self.stamp;
        let (mut nodes, mut starts) = (vec![root], vec![0]);
        let mut begin = 0;
        while begin < nodes.len() {
            let end = nodes.len();
            for k in begin..end {
                let first_child = nodes.len();
                for &c in self.a.row(nodes[k] as usize) {
                    let c = c as usize;
                    if part[c] == id && self.seen[c] != self.stamp {
                        self.seen[c] = self.stamp;
                        nodes.push(c as u32);
                    }
                }
                if by_degree {
                    nodes[first_child..].sort_by_key(|&v| self.a.row(v as usize).len());
                }
            }
            starts.push(end);
            begin = end;
        }
        (nodes, starts)
    }

    /// A node at one end of a long path: the last one that repeated searches reach.
    fn far_end(&mut self, mut root: u32, part: &[u32], id: u32) -> u32 {
        let mut depth = 0;
        for _ in 0..4 {
            let (nodes, starts) = self.from(root, part, id, false);
            if starts.len() <= depth {
                break;
            }
            depth = starts.len();
            let last = &nodes[starts[starts.len() - 2]..];
            root = last.iter().copied().min_by_key(|&v| self.a.row(v as usize).len()).unwrap_or(root);
        }
        root
    }
}

fn reverse_cuthill_mckee(a: &Csr) -> Vec<u32> {
    let mut search = Search::new(a);
    let mut part = vec![0u32; a.n];
    let mut list = Vec::with_capacity(a.n);
    for i in 0..a.n {
        if part[i] == 0 {
            let root = search.far_end(i as u32, &part, 0);
            let (nodes, _) = search.from(root, &part, 0, true);
            for &v in &nodes {
                part[v as usize] = 1;
            }
            list.extend(nodes);
        }
    }
    list.reverse();
    list
}

/// Parts of at most this many unknowns are not dissected further.
const LEAF: usize = 64;

fn nested_dissection(a: &Csr) -> Vec<u32> {
    let mut search = Search::new(a);
    let mut part = vec![0u32; a.n];
    let mut next_part = 1;
    // Filled from the back: separators come after what they separate.
    let mut reversed = Vec::with_capacity(a.n);
    let mut pending: Vec<Vec<u32>> = vec![(0..a.n as u32).collect()];
    while let Some(nodes) = pending.pop() {
        if nodes.len() <= LEAF {
            reversed.extend(nodes.into_iter().rev());
            continue;
        }
        let id = next_part;
        next_part += 1;
        for &v in &nodes {
            part[v as usize] = id;
        }
        let root = search.far_end(nodes[0], &part, id);
        let (found, starts) = search.from(root, &part, id, false);
        if found.len() < nodes.len() {
            // Not connected: all components in one sweep, for there may be as many as there are unknowns.
            for &v in &nodes {
                if part[v as usize] == id {
                    let (component, _) = search.from(v, &part, id, false);
                    for &u in &component {
                        part[u as usize] = u32::MAX;
                    }
                    pending.push(component);
                }
            }
            continue;
        }
        if starts.len() < 4 {
            reversed.extend(nodes.into_iter().rev());
            continue;
        }
        // The level in the middle separates what comes before it from what comes after.
        let middle = starts.partition_point(|&s| s <= found.len() / 2).clamp(2, starts.len() - 2) - 1;
        let separator = starts[middle]..starts[middle + 1];
        reversed.extend(found[separator.clone()].iter().rev());
        pending.push(found[..separator.start].to_vec());
        pending.push(found[separator.end..].to_vec());
    }
    reversed.reverse();
    reversed
}

fn by_colour(a: &Csr) -> Vec<u32> {
    let mut colour = vec![u32::MAX; a.n];
    for i in 0..a.n {
        let taken: std::collections::BTreeSet<u32> = a.row(i).iter().map(|&c| colour[c as usize]).collect();
        colour[i] = (0..).find(|c| !taken.contains(c)).expect("there are more colours than neighbours");
    }
    let mut list: Vec<u32> = (0..a.n as u32).collect();
    list.sort_by_key(|&i| colour[i as usize]);
    list
}

/// ILU(k) with all of the fill: the factors themselves.
pub const COMPLETE: u32 = 1 << 30;

/// The pattern of ILU(k): fill is kept up to level k, a fill entry's level being the sum of the levels of
/// the two entries that make it, plus one.
pub fn ilu_pattern(a: &Csr, k: u32) -> Result<Csr> {
    let n = a.n;
    let mut upper: Vec<Vec<(u32, u32)>> = Vec::with_capacity(n);
    let mut rows: Vec<Vec<i32>> = Vec::with_capacity(n);
    let mut level = vec![u32::MAX; n];
    for i in 0..n {
        let mut heap = std::collections::BTreeSet::new();
        for &c in a.row(i).iter().chain(&[i as i32]) {
            level[c as usize] = 0;
            heap.insert(c as u32);
        }
        let mut at = 0;
        while let Some(&pivot) = heap.range(at..).next() {
            if pivot as usize >= i {
                break;
            }
            at = pivot + 1;
            let through = level[pivot as usize];
            for &(c, l) in &upper[pivot as usize] {
                let fill = through + l + 1;
                if fill <= k && fill < level[c as usize] {
                    level[c as usize] = fill;
                    heap.insert(c);
                }
            }
        }
        upper.push(heap.iter().filter(|&&c| c as usize > i).map(|&c| (c, level[c as usize])).collect());
        rows.push(heap.iter().map(|&c| c as i32).collect());
        for &c in &heap {
            level[c as usize] = u32::MAX;
        }
    }
    Csr::from_rows(n, |i, out| out.extend(&rows[i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::grids::{Grid, Stencil};
    use crate::matrix::Fill;

    fn grid() -> Csr {
        Grid { stencil: Stencil::Axes, size: [30, 20, 1], dof: 1 }.pattern(false).unwrap()
    }

    fn is_permutation(list: &[u32]) -> bool {
        let mut sorted = list.to_vec();
        sorted.sort_unstable();
        sorted.into_iter().eq(0..list.len() as u32)
    }

    #[test]
    fn orders_are_permutations_also_of_unconnected_matrices() {
        let two_parts = Csr::from_rows(400, |i, out| {
            let near = |j: i64| (0..400).contains(&j) && (j < 200) == (i < 200);
            out.extend((-1..=1).map(|d| i as i64 + d).filter(|&j| near(j)).map(|j| j as i32));
        })
        .unwrap();
        let without_entries = Csr::from_rows(50, |_, _| {}).unwrap();
        for a in [grid(), two_parts, without_entries] {
            for by in [Order::Random, Order::Rcm, Order::Nd, Order::Metis, Order::Colours] {
                let list = order(&a, by);
                assert!(is_permutation(&list), "{by:?}");
                assert_eq!(list, order(&a, by), "{by:?}");
                let p = permuted(&a, &list).unwrap();
                assert_eq!(p.nnz(), a.nnz());
                assert_eq!(p.transposed().col, p.col);
            }
        }
    }

    #[test]
    fn cuthill_mckee_narrows_the_band_of_a_shuffled_grid() {
        let band =
            |a: &Csr| (0..a.n).map(|i| a.row(i).iter().map(|&c| (c - i as i32).abs()).max().unwrap()).max();
        let shuffled = permuted(&grid(), &order(&grid(), Order::Random)).unwrap();
        let narrowed = permuted(&shuffled, &order(&shuffled, Order::Rcm)).unwrap();
        assert!(band(&narrowed) <= Some(30) && band(&shuffled) > Some(300));
    }

    #[test]
    fn nested_dissection_shortens_the_dependency_chains() {
        let a = grid();
        let nd = permuted(&a, &order(&a, Order::Nd)).unwrap();
        assert!(2 * nd.levels(Fill::Lower).count() < 2 * a.levels(Fill::Lower).count() + 60);
        assert_ne!(nd.col, a.col);
    }

    #[test]
    fn there_are_as_many_levels_as_colours() {
        let by_colour = |stencil| {
            let a = Grid { stencil, size: [20, 15, 6], dof: 1 }.pattern(false).unwrap();
            permuted(&a, &order(&a, Order::Colours)).unwrap().levels(Fill::Lower).count()
        };
        assert_eq!((by_colour(Stencil::Axes), by_colour(Stencil::Box)), (2, 8));
    }

    #[test]
    fn a_complete_factor_keeps_all_fill() {
        // Of a grid in natural order: all of the band from its second line on.
        let a = grid();
        let full = ilu_pattern(&a, COMPLETE).unwrap().triangle(Fill::Lower).unwrap();
        assert!((60..a.n).all(|i| full.row(i).len() == 31));
    }

    #[test]
    fn ilu0_is_the_pattern_itself() {
        let a = grid();
        assert_eq!(ilu_pattern(&a, 0).unwrap().col, a.col);
        assert!(ilu_pattern(&a, 1).unwrap().nnz() > a.nnz());
    }
}
