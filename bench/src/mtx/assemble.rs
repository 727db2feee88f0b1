//! From entries in any order to a matrix by rows.

use rayon::prelude::*;

use super::entries::{Entries, Piece};
use super::head::Symmetry;
use crate::base::numbers::counted;
use crate::base::{memory, Result};
use crate::matrix::Csr;

/// Rows that one task sorts.
const CHUNK: usize = 1 << 14;

/// Marks the column of an entry that the file does not store: the mirror image of another entry.
const MIRRORED: i32 = i32::MIN;

/// Pairs of places for which a symmetric file stores entries in both halves: their number, and the first pair's
/// place below the diagonal.
#[derive(Clone, Copy, Default)]
pub struct Doubled {
    pub count: usize,
    pub first: Option<(usize, usize)>,
}

impl Doubled {
    fn join(self, later: Doubled) -> Doubled {
        Doubled { count: self.count + later.count, first: self.first.or(later.first) }
    }
}

/// The matrix: mirrored where the file holds one half, sorted, duplicates added up in the file's order.
pub fn assemble(n: usize, entries: Entries, symmetry: Symmetry, complex: bool) -> Result<(Csr, Doubled)> {
    let most = i32::MAX as usize;
    let too_many = || "the matrix has 2^31 entries or more".to_string();
    if entries.count() > most {
        return Err(too_many());
    }
    let what = format!("a matrix of {}", counted(n, "row", "rows"));
    let mut ptr = memory::zeros::<i32>(n + 1, &what)?;
    let is_mirrored = symmetry != Symmetry::General;
    for &[row, col] in entries.pieces.iter().flat_map(|piece| &piece.places) {
        ptr[row as usize + 1] += 1;
        if is_mirrored && row != col {
            ptr[col as usize + 1] += 1;
        }
    }
    let total: usize = ptr.iter().map(|&count| count as usize).sum();
    if total > most {
        return Err(too_many());
    }
    let what = format!("a matrix of {}", counted(total, "entry", "entries"));
    let mut a = Csr {
        n,
        ptr,
        col: memory::zeros(total, &what)?,
        val: memory::zeros(total, &what)?,
        im: memory::zeros(if complex { total } else { 0 }, &what)?,
    };
    place(&mut a, entries, symmetry);
    let sorted = sort(&mut a);
    if sorted.has_duplicates {
        add_up(&mut a);
    }
    Ok((a, sorted.doubled))
}

/// Puts entries into their rows. Before, `a.ptr[i + 1]` is the number of entries of row i; afterwards, it is the
/// end of row i.
fn place(a: &mut Csr, entries: Entries, symmetry: Symmetry) {
    let mut begin = 0;
    for count in &mut a.ptr[1..] {
        begin += std::mem::replace(count, begin);
    }
    let mut put = |row: u32, col: i32, re: f64, im: f64| {
        let end = &mut a.ptr[row as usize + 1];
        let at = *end as usize;
        *end += 1;
        a.col[at] = col;
        a.val[at] = re;
        if let Some(place) = a.im.get_mut(at) {
            *place = im;
        }
    };
    for Piece { places, re, im, .. } in entries.pieces {
        for (k, &[row, col]) in places.iter().enumerate() {
            let re = re.get(k).copied().unwrap_or(0.0);
            let im = im.get(k).copied().unwrap_or(0.0);
            put(row, col as i32, re, im);
            if symmetry == Symmetry::General || row == col {
                continue;
            }
            let (re, im) = match symmetry {
                Symmetry::Skew => (-re, -im),
                Symmetry::Hermitian => (re, -im),
                Symmetry::General | Symmetry::Symmetric => (re, im),
            };
            put(col, row as i32 | MIRRORED, re, im);
        }
    }
}

/// What sorting has found.
#[derive(Clone, Copy, Default)]
struct Sorted {
    has_duplicates: bool,
    doubled: Doubled,
}

/// Consecutive rows and their entries.
struct Rows<'a> {
    first: usize,
    ptr: &'a [i32],
    col: &'a mut [i32],
    val: &'a mut [f64],
    im: &'a mut [f64],
}

/// Sorts each row by column, duplicates in the file's order, and clears the marks.
fn sort(a: &mut Csr) -> Sorted {
    let (mut col, mut val, mut im) = (&mut a.col[..], &mut a.val[..], &mut a.im[..]);
    let mut tasks = Vec::new();
    for first in (0..a.n).step_by(CHUNK) {
        let ptr = &a.ptr[first..=(first + CHUNK).min(a.n)];
        let count = (ptr[ptr.len() - 1] - ptr[0]) as usize;
        tasks.push(Rows {
            first,
            ptr,
            col: split_off(&mut col, count),
            val: split_off(&mut val, count),
            im: split_off(&mut im, count),
        });
    }
    let join = |one: Sorted, later: Sorted| Sorted {
        has_duplicates: one.has_duplicates || later.has_duplicates,
        doubled: one.doubled.join(later.doubled),
    };
    match tasks.len() {
        // To wake other threads would take longer.
        0..=1 => tasks.into_iter().map(Rows::sort).fold(Sorted::default(), join),
        _ => tasks.into_par_iter().map(Rows::sort).reduce(Sorted::default, join),
    }
}

/// Takes the first elements away, or all where there are fewer.
fn split_off<'a, T>(rest: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let all = std::mem::take(rest);
    let (first, others) = all.split_at_mut(count.min(all.len()));
    *rest = others;
    first
}

impl Rows<'_> {
    fn sort(mut self) -> Sorted {
        let mut found = Sorted::default();
        let mut spare = Vec::new();
        for k in 0..self.ptr.len() - 1 {
            let at = |p: i32| (p - self.ptr[0]) as usize;
            let (begin, end) = (at(self.ptr[k]), at(self.ptr[k + 1]));
            self.sort_row(self.first + k, begin, end, &mut spare, &mut found);
        }
        found
    }

    fn sort_row(
        &mut self,
        row: usize,
        begin: usize,
        end: usize,
        spare: &mut Vec<(i32, f64, f64)>,
        found: &mut Sorted,
    ) {
        let key = |col: i32| col & !MIRRORED;
        let cols = &mut self.col[begin..end];
        if !cols.windows(2).all(|two| key(two[0]) < key(two[1])) {
            let im = |k: usize| self.im.get(k).copied().unwrap_or(0.0);
            spare.clear();
            spare.extend((begin..end).map(|k| (self.col[k], self.val[k], im(k))));
            spare.sort_by_key(|entry| key(entry.0));
            for (k, &(col, re, im)) in (begin..end).zip(spare.iter()) {
                self.col[k] = col;
                self.val[k] = re;
                if let Some(place) = self.im.get_mut(k) {
                    *place = im;
                }
            }
            for equal in self.col[begin..end].chunk_by(|&one, &other| key(one) == key(other)) {
                found.has_duplicates |= equal.len() > 1;
                let mirrored = equal.iter().filter(|&&col| col < 0).count();
                let col = key(equal[0]) as usize;
                if mirrored > 0 && mirrored < equal.len() && col < row {
                    found.doubled = found.doubled.join(Doubled { count: 1, first: Some((row, col)) });
                }
            }
        }
        self.col[begin..end].iter_mut().for_each(|col| *col = key(*col));
    }
}

/// Adds duplicates up.
fn add_up(a: &mut Csr) {
    let (mut begin, mut to) = (0, 0);
    for end in &mut a.ptr[1..] {
        let first = to;
        for k in begin..*end as usize {
            if to > first && a.col[to - 1] == a.col[k] {
                a.val[to - 1] += a.val[k];
                if !a.im.is_empty() {
                    a.im[to - 1] += a.im[k];
                }
                continue;
            }
            a.col[to] = a.col[k];
            a.val[to] = a.val[k];
            if !a.im.is_empty() {
                a.im[to] = a.im[k];
            }
            to += 1;
        }
        begin = *end as usize;
        *end = to as i32;
    }
    a.col.truncate(to);
    a.val.truncate(to);
    a.im.truncate(to);
}
