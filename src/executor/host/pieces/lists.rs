//! The entries of the triangle by stored row or column (a *major*), or across these.
#![forbid(unsafe_code)]

use std::ops::Range;

use crate::analysis::{Pattern, NONE};
use crate::problem::{DiagSource, Shape};

/// Values within so many of each other are near: of a few rows that follow one another.
const FAR: u32 = 256;

/// Off-diagonal entries of the triangle by unknown, and where the diagonal is. Numbers of entries are below the length of
/// `other`; where `place` is empty, they are places in the caller's array of values too.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lists {
    pub spans: Spans,
    /// The other unknown of each entry.
    pub other: Vec<u32>,
    /// Where the value of each entry lies in the caller's array; empty: the entry's own number.
    pub place: Vec<u32>,
    /// Where the diagonal's value of each unknown lies, or [`NONE`]. Empty for a unit or separate diagonal, and where
    /// the spans say it.
    pub diag: Vec<u32>,
    /// Second and further entries on a diagonal, `[unknown, place]`, by rising unknown.
    pub extra_diag: Vec<[u32; 2]>,
    /// How many entries all unknowns have.
    pub entries: u32,
    /// The smallest unknown without a diagonal entry, where the diagonal is the matrix's own.
    pub missing_diag: Option<u32>,
}

/// What is told of the dependency graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    pub count: u32,
    pub widest: u32,
}

/// The entries of each unknown.
#[derive(Debug, PartialEq, Eq)]
pub enum Spans {
    /// Unknown `i` has `ptr[i] + front..ptr[i + 1] - back`: nothing is stored but the triangle, and the diagonal entry, if
    /// there is one, is the first of all or the last.
    Tight { ptr: Vec<u32>, front: u32, back: u32 },
    /// Unknown `i` has `first[i]..end[i]`.
    Loose { first: Vec<u32>, end: Vec<u32> },
}

impl Default for Spans {
    fn default() -> Self {
        Spans::Loose { first: Vec::new(), end: Vec::new() }
    }
}

impl Spans {
    /// The spans of a pattern, if they are tight.
    fn tight(shape: &Shape, pattern: &mut Pattern) -> Option<Spans> {
        let (n, low) = (shape.n, shape.keeps_low());
        let ends = |i: u32| (pattern.ptr[i as usize], pattern.ptr[i as usize + 1]);
        if n == 0 {
            return None;
        }
        // The one that has no other entry.
        let (begin, end) = ends(if low { 0 } else { n - 1 });
        let (front, back) = match (end - begin, low) {
            (1, true) => (0, 1),
            (1, false) => (1, 0),
            (0, _) if shape.diag != DiagSource::Matrix => (0, 0),
            _ => return None,
        };
        let is_tight = (0..n).all(|i| {
            let (begin, end) = ends(i);
            let list = &pattern.ind[begin as usize..end as usize];
            let length = list.len();
            if length < (front + back) as usize {
                return false;
            }
            let has_diag =
                list[..front as usize].iter().chain(&list[length - back as usize..]).all(|&j| j == i);
            let others = &list[front as usize..length - back as usize];
            has_diag && others.iter().fold(true, |all, &j| all & if low { j < i } else { j > i })
        });
        is_tight.then(|| Spans::Tight { ptr: std::mem::take(&mut pattern.ptr), front, back })
    }

    /// How many unknowns there are.
    pub fn len(&self) -> usize {
        match self {
            Spans::Tight { ptr, .. } => ptr.len() - 1,
            Spans::Loose { first, .. } => first.len(),
        }
    }

    #[inline(always)]
    pub fn of(&self, i: u32) -> Range<u32> {
        match self {
            Spans::Tight { ptr, front, back } => ptr[i as usize] + front..ptr[i as usize + 1] - back,
            Spans::Loose { first, end } => first[i as usize]..end[i as usize],
        }
    }
}

impl Lists {
    /// The entries by major, in storage order. What the pattern holds beside them stays where it is, unless it lies
    /// between the entries of a major.
    pub fn stored(shape: &Shape, mut pattern: Pattern) -> Lists {
        if let Some(spans) = Spans::tight(shape, &mut pattern) {
            let entries = match &spans {
                Spans::Tight { front, back, .. } => shape.nnz - (front + back) * shape.n,
                Spans::Loose { .. } => unreachable!("they are tight"),
            };
            return Lists { spans, other: pattern.ind, entries, ..Lists::default() };
        }
        let (low, has_diag) = (shape.keeps_low(), shape.diag == DiagSource::Matrix);
        let majors = shape.n as usize;
        let (mut firsts, mut stops) = (Vec::with_capacity(majors), Vec::with_capacity(majors));
        let mut lists =
            Lists { diag: Vec::with_capacity(if has_diag { majors } else { 0 }), ..Lists::default() };
        let mut are_together = true;
        for (i, ends) in (0..).zip(pattern.ptr.windows(2)) {
            let (mut first, mut end, mut count) = (ends[0], ends[0], 0);
            let mut diag = NONE;
            for (e, &j) in (ends[0]..).zip(&pattern.ind[ends[0] as usize..ends[1] as usize]) {
                if j == i {
                    if has_diag && diag != NONE {
                        lists.extra_diag.push([i, e]);
                    } else {
                        diag = e;
                    }
                } else if (j < i) == low {
                    if count == 0 {
                        first = e;
                    }
                    count += 1;
                    end = e + 1;
                }
            }
            are_together &= end - first == count;
            lists.entries += count;
            firsts.push(first);
            stops.push(end);
            if has_diag {
                if diag == NONE && lists.missing_diag.is_none() {
                    lists.missing_diag = Some(i);
                }
                lists.diag.push(diag);
            }
        }
        lists.other = pattern.ind;
        if !are_together {
            lists.gather(low, &mut firsts, &mut stops);
        }
        lists.spans = Spans::Loose { first: firsts, end: stops };
        lists
    }

    /// Leaves out what lies between the entries of a major.
    fn gather(&mut self, low: bool, firsts: &mut [u32], ends: &mut [u32]) {
        let mut other = Vec::with_capacity(self.entries as usize);
        self.place = Vec::with_capacity(self.entries as usize);
        for (i, (first, end)) in (0..).zip(firsts.iter_mut().zip(ends)) {
            let stored = *first..*end;
            *first = other.len() as u32;
            for (e, &j) in stored.clone().zip(&self.other[stored.start as usize..stored.end as usize]) {
                if j != i && (j < i) == low {
                    other.push(j);
                    self.place.push(e);
                }
            }
            *end = other.len() as u32;
        }
        self.other = other;
    }

    /// The same entries by their other unknown, and for each of these in the order in which the majors are solved; entries of
    /// one place from the last to the first, too, where that is the order.
    /// The diagonal stays with the majors.
    pub fn transposed(&self, forward: bool) -> Lists {
        let n = self.spans.len();
        let mut end = vec![0; n];
        let mut sum = 0;
        for i in 0..n as u32 {
            self.of(i).iter().for_each(|&j| end[j as usize] += 1);
        }
        for end in &mut end {
            // For now where the next entry goes.
            let count = std::mem::replace(end, sum);
            sum += count;
        }
        let first = end.clone();
        let mut other = vec![0; sum as usize];
        let mut place = vec![0; sum as usize];
        in_order(n as u32, forward).for_each(|i| {
            let span = self.spans.of(i);
            for k in in_order(span.len() as u32, forward) {
                let e = span.start + k;
                let j = self.other[e as usize];
                let slot = end[j as usize] as usize;
                end[j as usize] += 1;
                other[slot] = i;
                place[slot] = if self.place.is_empty() { e } else { self.place[e as usize] };
            }
        });
        Lists { spans: Spans::Loose { first, end }, other, place, entries: self.entries, ..Lists::default() }
    }

    /// Whether the other unknowns of each unknown rise.
    pub fn are_sorted(&self) -> bool {
        let rises = |list: &[u32]| list.windows(2).fold(true, |all, pair| all & (pair[0] < pair[1]));
        (0..self.spans.len() as u32).all(|i| rises(self.of(i)))
    }

    /// How many values lie far from where the value of the same number lies in the row before, so that hardly any two of
    /// them share what is brought from memory.
    pub fn far_values(&self) -> u32 {
        let mut far = 0;
        let mut before: &[u32] = &[];
        for i in 0..self.spans.len() as u32 {
            let span = self.spans.of(i);
            let places = &self.place[span.start as usize..span.end as usize];
            let near = places.iter().zip(before).filter(|(place, other)| place.abs_diff(**other) <= FAR);
            far += places.len() as u32 - near.count() as u32;
            before = places;
        }
        far
    }

    /// The other unknowns of the entries of unknown `i`.
    #[inline(always)]
    pub fn of(&self, i: u32) -> &[u32] {
        let span = self.spans.of(i);
        &self.other[span.start as usize..span.end as usize]
    }

    /// Where the diagonal's value of unknown `i` lies, or [`NONE`], where the diagonal is the matrix's own.
    #[inline(always)]
    pub fn diagonal(&self, i: u32) -> u32 {
        match &self.spans {
            Spans::Tight { ptr, front: 1, .. } => ptr[i as usize],
            Spans::Tight { ptr, .. } => ptr[i as usize + 1] - 1,
            Spans::Loose { .. } => self.diag[i as usize],
        }
    }

    /// The levels of the dependency graph, where these are its rows, or its columns.
    pub fn levels(&self, forward: bool, are_rows: bool) -> Levels {
        let n = self.spans.len();
        let mut level = vec![0u32; n];
        let mut widths: Vec<u32> = Vec::new();
        in_order(n as u32, forward).for_each(|i| {
            let own = if are_rows {
                let own = self.of(i).iter().map(|&j| level[j as usize] + 1).max().unwrap_or(0);
                level[i as usize] = own;
                own
            } else {
                let own = level[i as usize];
                self.of(i).iter().for_each(|&j| level[j as usize] = level[j as usize].max(own + 1));
                own
            };
            if own as usize >= widths.len() {
                widths.resize(own as usize + 1, 0);
            }
            widths[own as usize] += 1;
        });
        Levels { count: widths.len() as u32, widest: widths.into_iter().max().unwrap_or(0) }
    }

    /// Bytes of memory that the lists take.
    pub fn bytes(&self) -> usize {
        let spans = match &self.spans {
            Spans::Tight { ptr, .. } => ptr.len(),
            Spans::Loose { first, end } => first.len() + end.len(),
        };
        let lists = self.other.len() + self.place.len() + self.diag.len() + 2 * self.extra_diag.len();
        4 * (spans + lists)
    }
}

/// The unknowns in the order in which they are solved.
pub fn in_order(n: u32, forward: bool) -> impl Iterator<Item = u32> {
    // One loop for both directions costs each of them; two of them are folded apart.
    (0..n).map(move |p| if forward { p } else { n - 1 - p })
}
