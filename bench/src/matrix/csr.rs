//! A sparse matrix in CSR form on the host, and what is asked of its triangles: levels, counts, copies.

use rayon::prelude::*;

use crate::base::{memory, Result};

/// Rows that one parallel task works on.
const CHUNK: usize = 1 << 14;

/// Which triangle of a matrix is meant; the diagonal belongs to both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    Lower,
    Upper,
}

impl Fill {
    /// Whether the entry is in the triangle, off the diagonal.
    #[inline]
    pub fn is_dependency(self, row: usize, col: usize) -> bool {
        match self {
            Fill::Lower => col < row,
            Fill::Upper => col > row,
        }
    }
}

/// A square matrix, rows sorted by column, base 0. `im` is empty for a real matrix.
#[derive(Clone, Default)]
pub struct Csr {
    pub n: usize,
    pub ptr: Vec<i32>,
    pub col: Vec<i32>,
    pub val: Vec<f64>,
    pub im: Vec<f64>,
}

/// The level structure of one triangle.
pub struct Levels {
    pub sizes: Vec<u32>,
}

impl Levels {
    pub fn count(&self) -> usize {
        self.sizes.len()
    }
    pub fn widest(&self) -> usize {
        self.sizes.iter().copied().max().unwrap_or(0) as usize
    }
}

impl Csr {
    pub fn nnz(&self) -> usize {
        self.col.len()
    }

    #[inline]
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.ptr[row] as usize..self.ptr[row + 1] as usize
    }

    #[inline]
    pub fn row(&self, row: usize) -> &[i32] {
        &self.col[self.range(row)]
    }

    /// Builds a pattern row by row. `row(i, out)` appends the sorted columns of row i; it is called twice
    /// for each row, on any thread, and must give the same both times.
    pub fn from_rows(n: usize, row: impl Fn(usize, &mut Vec<i32>) + Sync) -> Result<Csr> {
        let mut ptr = memory::zeros::<i32>(n + 1, "the rows of a pattern")?;
        ptr[1..].par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, lengths)| {
            let mut cols = Vec::new();
            for (k, length) in lengths.iter_mut().enumerate() {
                cols.clear();
                row(chunk * CHUNK + k, &mut cols);
                *length = cols.len() as i32;
            }
        });
        let mut total = 0i64;
        for p in &mut ptr {
            total += i64::from(*p);
            *p = i32::try_from(total).map_err(|_| "the matrix has 2^31 entries or more".to_string())?;
        }
        let mut col = memory::zeros::<i32>(total as usize, "the entries of a pattern")?;
        for_row_chunks(&ptr, &mut col, |first, rows, out| {
            let mut cols = Vec::new();
            let mut at = 0;
            for i in first..first + rows {
                cols.clear();
                row(i, &mut cols);
                out[at..at + cols.len()].copy_from_slice(&cols);
                at += cols.len();
            }
        });
        Ok(Csr { n, ptr, col, ..Csr::default() })
    }

    /// Gives every entry a value by the rule of this program: the diagonal in [1, 2), off the diagonal in
    /// (-1, 1) over the longer of its row and its column. Solves with such a matrix, or its transpose,
    /// neither overflow nor underflow. The same pattern always gets the same values.
    pub fn assign_values(&mut self) {
        use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
        let counts: Vec<AtomicU32> = (0..self.n).into_par_iter().map(|_| AtomicU32::new(0)).collect();
        self.col.par_chunks(CHUNK).for_each(|cols| {
            for &c in cols {
                counts[c as usize].fetch_add(1, Relaxed);
            }
        });
        let (ptr, col) = (&self.ptr, &self.col);
        self.im = Vec::new();
        self.val = vec![0.0; col.len()];
        for_row_chunks(ptr, &mut self.val, |first, rows, out| {
            let base = ptr[first] as usize;
            for i in first..first + rows {
                let (begin, end) = (ptr[i] as usize, ptr[i + 1] as usize);
                for k in begin..end {
                    let j = col[k] as usize;
                    let u = unit(hash(k as u64 ^ SEED));
                    out[k - base] = if i == j {
                        1.0 + u
                    } else {
                        (2.0 * u - 1.0) / f64::from(counts[j].load(Relaxed).max((end - begin) as u32))
                    };
                }
            }
        });
    }

    /// Gives every entry a complex value: those of `assign_values`, each turned by an angle of its own.
    pub fn assign_complex_values(&mut self) {
        self.assign_values();
        let turned = |(k, value): (usize, &mut f64)| {
            let (sin, cos) = (std::f64::consts::TAU * unit(hash(k as u64 ^ !SEED))).sin_cos();
            let im = *value * sin;
            *value *= cos;
            im
        };
        self.im = self.val.par_iter_mut().with_min_len(CHUNK).enumerate().map(turned).collect();
    }

    /// The matrix with a whole diagonal: where its entry is missing or zero, it becomes the largest magnitude
    /// in its row, or 1 in a row of zeros.
    pub fn with_whole_diagonal(&self) -> Csr {
        let mut out = Csr { n: self.n, ptr: vec![0; self.n + 1], ..Csr::default() };
        for i in 0..self.n {
            let magnitude = |k: usize| self.val[k].hypot(self.im.get(k).copied().unwrap_or(0.0));
            let largest = self.range(i).map(magnitude).fold(0.0, f64::max);
            let rule = if largest > 0.0 { largest } else { 1.0 };
            let before = self.range(i).start + self.row(i).partition_point(|&c| (c as usize) < i);
            let present = self.range(i).contains(&before) && self.col[before] as usize == i;
            let mut push = |col: i32, re: f64, im: f64| {
                out.col.push(col);
                out.val.push(re);
                if !self.im.is_empty() {
                    out.im.push(im);
                }
            };
            let copied = |k: usize| (self.col[k], self.val[k], self.im.get(k).copied().unwrap_or(0.0));
            for (c, re, im) in (self.range(i).start..before).map(copied) {
                push(c, re, im);
            }
            match present && magnitude(before) > 0.0 {
                true => push(i as i32, self.val[before], copied(before).2),
                false => push(i as i32, rule, 0.0),
            }
            for (c, re, im) in (before + usize::from(present)..self.range(i).end).map(copied) {
                push(c, re, im);
            }
            out.ptr[i + 1] = out.col.len() as i32;
        }
        out
    }

    /// One triangle, diagonal included, with its values.
    pub fn valued_triangle(&self, fill: Fill) -> Csr {
        let mut out = Csr { n: self.n, ptr: vec![0; self.n + 1], ..Csr::default() };
        for i in 0..self.n {
            for k in self.range(i) {
                let c = self.col[k] as usize;
                if c == i || fill.is_dependency(i, c) {
                    out.col.push(self.col[k]);
                    out.val.push(self.val[k]);
                    out.im.extend(self.im.get(k));
                }
            }
            out.ptr[i + 1] = out.col.len() as i32;
        }
        out
    }

    /// Levels of one triangle, the other one ignored.
    pub fn levels(&self, fill: Fill) -> Levels {
        let mut level = vec![0u32; self.n];
        let mut sizes: Vec<u32> = Vec::new();
        let mut visit = |i: usize| {
            let mut l = 0;
            for &c in self.row(i) {
                if fill.is_dependency(i, c as usize) {
                    l = l.max(level[c as usize] + 1);
                }
            }
            level[i] = l;
            if sizes.len() <= l as usize {
                sizes.push(0);
            }
            sizes[l as usize] += 1;
        };
        match fill {
            Fill::Lower => (0..self.n).for_each(&mut visit),
            Fill::Upper => (0..self.n).rev().for_each(&mut visit),
        }
        Levels { sizes }
    }

    /// Entries of one triangle, diagonal included.
    pub fn count(&self, fill: Fill) -> usize {
        (0..self.n)
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|i| {
                self.row(i).iter().filter(|&&c| c as usize == i || fill.is_dependency(i, c as usize)).count()
            })
            .sum()
    }

    /// The first row without an entry on the diagonal.
    #[cfg(test)]
    pub fn missing_diagonal(&self) -> Option<usize> {
        (0..self.n).find(|&i| !self.row(i).contains(&(i as i32)))
    }

    /// The pattern of one triangle with a full diagonal.
    pub fn triangle(&self, fill: Fill) -> Result<Csr> {
        Csr::from_rows(self.n, |i, out| {
            if fill == Fill::Upper {
                out.push(i as i32);
            }
            out.extend(self.row(i).iter().filter(|&&c| fill.is_dependency(i, c as usize)));
            if fill == Fill::Lower {
                out.push(i as i32);
            }
        })
    }

    /// The pattern with rows and columns in reverse order: it turns a lower triangle into an upper one with
    /// the same levels.
    pub fn reversed(&self) -> Result<Csr> {
        let last = self.n as i32 - 1;
        Csr::from_rows(self.n, |i, out| out.extend(self.row(self.n - 1 - i).iter().rev().map(|&c| last - c)))
    }

    /// The pattern of A + transpose(A) with a full diagonal.
    pub fn symmetrised(&self) -> Result<Csr> {
        let t = self.transposed();
        Csr::from_rows(self.n, |i, out| {
            out.extend(self.row(i));
            out.extend(t.row(i));
            out.push(i as i32);
            out.sort_unstable();
            out.dedup();
        })
    }

    /// The pattern of the transpose.
    pub fn transposed(&self) -> Csr {
        let mut ptr = vec![0i32; self.n + 1];
        for &c in &self.col {
            ptr[c as usize + 1] += 1;
        }
        for i in 0..self.n {
            ptr[i + 1] += ptr[i];
        }
        let mut next = ptr.clone();
        let mut col = vec![0i32; self.nnz()];
        for i in 0..self.n {
            for &c in self.row(i) {
                col[next[c as usize] as usize] = i as i32;
                next[c as usize] += 1;
            }
        }
        Csr { n: self.n, ptr, col, ..Csr::default() }
    }
}

/// Calls `work(first row, rows, slice of out that belongs to them)` for chunks of rows in parallel.
fn for_row_chunks<T: Send>(ptr: &[i32], out: &mut [T], work: impl Fn(usize, usize, &mut [T]) + Sync) {
    let n = ptr.len() - 1;
    let mut rest = out;
    let mut tasks = Vec::new();
    for first in (0..n).step_by(CHUNK) {
        let rows = CHUNK.min(n - first);
        let (mine, others) = rest.split_at_mut((ptr[first + rows] - ptr[first]) as usize);
        tasks.push((first, rows, mine));
        rest = others;
    }
    tasks.into_par_iter().for_each(|(first, rows, mine)| work(first, rows, mine));
}

const SEED: u64 = 0x5eed_0f7a_1a6e;

/// A well-mixed 64-bit hash of a counter (the finaliser of splitmix64).
pub fn hash(counter: u64) -> u64 {
    let mut z = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A hash as a number in [0, 1).
pub fn unit(hash: u64) -> f64 {
    (hash >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A right-hand side with values in [0.5, 1.5), always the same.
pub fn right_hand_side(n: usize) -> Vec<f64> {
    (0..n).into_par_iter().with_min_len(CHUNK).map(|i| 0.5 + unit(hash(i as u64 ^ !SEED))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Csr {
        // rows: 0: 0 2 | 1: 1 | 2: 0 2 | 3: 1 2 3
        Csr { n: 4, ptr: vec![0, 2, 3, 5, 8], col: vec![0, 2, 1, 0, 2, 1, 2, 3], ..Csr::default() }
    }

    #[test]
    fn levels_of_both_triangles() {
        assert_eq!(small().levels(Fill::Lower).sizes, [2, 1, 1]);
        assert_eq!(small().levels(Fill::Upper).sizes, [3, 1]);
        assert_eq!(small().count(Fill::Lower), 7);
        assert_eq!(small().count(Fill::Upper), 5);
    }

    #[test]
    fn reversing_a_lower_triangle_keeps_its_levels() {
        let lower = small().triangle(Fill::Lower).unwrap();
        assert_eq!(lower.col, [0, 1, 0, 2, 1, 2, 3]);
        let upper = lower.reversed().unwrap();
        assert_eq!(upper.levels(Fill::Upper).sizes, lower.levels(Fill::Lower).sizes);
        assert_eq!(upper.reversed().unwrap().col, lower.col);
    }

    #[test]
    fn transposition_and_symmetry() {
        let t = small().transposed();
        assert_eq!((t.ptr.clone(), t.col.clone()), (vec![0, 2, 4, 7, 8], vec![0, 2, 1, 3, 0, 2, 3, 3]));
        let s = small().symmetrised().unwrap();
        assert_eq!(s.transposed().col, s.col);
        assert_eq!(s.nnz(), 10);
    }

    #[test]
    fn holes_in_the_diagonal_are_filled_by_the_rule() {
        // rows: 0: . -3 | 1: 2 0 | 2: (empty) | 3: 5 at the end
        let a = Csr {
            n: 4,
            ptr: vec![0, 1, 3, 3, 4],
            col: vec![1, 0, 1, 3],
            val: vec![-3.0, 2.0, 0.0, 5.0],
            im: vec![],
        };
        let b = a.with_whole_diagonal();
        assert_eq!((b.ptr.clone(), b.col.clone()), (vec![0, 2, 4, 5, 6], vec![0, 1, 0, 1, 2, 3]));
        assert_eq!(b.val, [3.0, -3.0, 2.0, 2.0, 1.0, 5.0]);
        let lower = b.valued_triangle(Fill::Lower);
        assert_eq!((lower.col, lower.val), (vec![0, 0, 1, 2, 3], vec![3.0, 2.0, 2.0, 1.0, 5.0]));
    }

    #[test]
    fn complex_values_have_the_moduli_of_the_real_ones() {
        let (mut a, mut b) = (small(), small());
        a.assign_values();
        b.assign_complex_values();
        for k in 0..a.nnz() {
            assert!((b.val[k].hypot(b.im[k]) - a.val[k].abs()).abs() < 1e-15);
        }
        assert!(b.im.iter().any(|&im| im != 0.0));
    }

    #[test]
    fn values_follow_the_rule() {
        let mut a = small();
        a.assign_values();
        for i in 0..a.n {
            for k in a.range(i) {
                let on_diagonal = a.col[k] as usize == i;
                assert!(if on_diagonal { (1.0..2.0).contains(&a.val[k]) } else { a.val[k].abs() < 0.5 });
            }
        }
    }
}
