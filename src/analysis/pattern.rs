//! A pattern as the caller stores it: checked, zero-based and in 32 bits.
#![forbid(unsafe_code)]

use super::Pattern;
use crate::error::{Error, Result};
use crate::problem::Shape;

/// Checks a pattern as the caller stores it and makes it zero-based and 32-bit. `ptr` has n + 1 entries
/// (or none where n = 0) and `ind` nnz; whatever they hold, nothing outside them is read.
pub fn validate<P, I>(shape: &Shape, ptr: &[P], ind: &[I]) -> Result<Pattern>
where
    P: Copy + Into<i64>,
    I: Copy + Into<i64>,
{
    let ptr = offsets(shape, ptr)?;
    let ind = indices(shape, &ptr, ind)?;
    Ok(Pattern { ptr, ind })
}

/// The offsets of a pattern, zero-based. They say how many indices there are; only where that is nnz may indices be read.
pub fn offsets<P: Copy + Into<i64>>(shape: &Shape, ptr: &[P]) -> Result<Vec<u32>> {
    let (n, nnz, base) = (shape.n as usize, shape.nnz as usize, shape.base());
    if ptr.len() != n + 1 && !(n == 0 && ptr.is_empty()) {
        return Err(Error::Invalid(format!("{} offsets do not fit a matrix with m = {n}", ptr.len())));
    }
    // A number below the base wraps around to one that is far too large.
    let mut rises = true;
    let mut previous = 0;
    let mut offsets = Vec::with_capacity(n + 1);
    for &offset in ptr {
        let offset = offset.into().wrapping_sub(base) as u64;
        rises &= previous <= offset;
        previous = offset;
        offsets.push(offset as u32);
    }
    if offsets.is_empty() {
        offsets.push(0);
    }
    if rises && offsets[0] == 0 && previous == nnz as u64 {
        return Ok(offsets);
    }
    Err(first_bad_offset(shape, ptr))
}

/// Whether the last offset says that there are nnz indices. It is looked at before memory is asked for by nnz.
pub fn last_offset<P: Copy + Into<i64>>(shape: &Shape, ptr: &[P]) -> Result<()> {
    let is_nnz = |&last: &P| last.into().wrapping_sub(shape.base()) == i64::from(shape.nnz);
    if ptr.last().is_none_or(is_nnz) {
        return Ok(());
    }
    Err(first_bad_offset(shape, ptr))
}

/// The indices of a pattern with these offsets, zero-based.
pub fn indices<I: Copy + Into<i64>>(shape: &Shape, offsets: &[u32], ind: &[I]) -> Result<Vec<u32>> {
    let (n, nnz, base) = (i64::from(shape.n), shape.nnz as usize, shape.base());
    if ind.len() != nnz {
        return Err(Error::Invalid(format!("{} indices do not fit a matrix with nnz = {nnz}", ind.len())));
    }
    // The largest number says whether all were in range, as one below the base wraps around.
    let mut largest = 0;
    let indices: Vec<u32> = ind
        .iter()
        .map(|&index| {
            let index = index.into().wrapping_sub(base) as u64;
            largest = largest.max(index);
            index as u32
        })
        .collect();
    if nnz == 0 || largest < n as u64 {
        return Ok(indices);
    }
    let is_bad = |index: i64| !(base..n + base).contains(&index);
    let at = ind.iter().position(|&index| is_bad(index.into())).expect("one is out of range");
    let row = offsets.partition_point(|&begin| begin as usize <= at) as i64 - 1;
    let (index, last): (i64, i64) = (ind[at].into(), n - 1 + base);
    let other = if shape.major() == "row" { "column" } else { "row" };
    Err(fault(shape, row, format!("{other} index {index} is outside {base} to {last}")))
}

fn fault(shape: &Shape, row: i64, why: String) -> Error {
    Error::Malformed { major: shape.major(), row: row + shape.base(), why }
}

/// The first bad row of offsets that are known to have one.
fn first_bad_offset<P: Copy + Into<i64>>(shape: &Shape, ptr: &[P]) -> Error {
    let (n, nnz, base) = (i64::from(shape.n), i64::from(shape.nnz), shape.base());
    let mut begin = base;
    for (row, &offset) in (-1..).zip(ptr) {
        let end: i64 = offset.into();
        if row < 0 && end != base {
            return fault(shape, 0, format!("the first offset is {end}, but the index base is {base}"));
        }
        if end < begin {
            return fault(shape, row, format!("its offsets fall from {begin} to {end}"));
        }
        if end > nnz + base {
            return fault(
                shape,
                row,
                format!("it ends at offset {end}, but nnz is {nnz} with index base {base}"),
            );
        }
        begin = end;
    }
    let why = format!("the last offset is {begin}, but nnz is {nnz} with index base {base}");
    fault(shape, (n - 1).max(0), why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Base, DataType, Diag, MatDescr, Op};

    /// The row that the message names (in the caller's base), and the message.
    fn fault<P: Copy + Into<i64>, I: Copy + Into<i64>>(base: Base, ptr: &[P], ind: &[I]) -> (i64, String) {
        let descr = MatDescr { base, diag: Diag::NonUnit, ..Default::default() };
        let n = ptr.len() as i64 - 1;
        let shape = Shape::new(Op::NonTranspose, n, ind.len() as i64, descr, DataType::F64, false).unwrap();
        match validate(&shape, ptr, ind) {
            Err(Error::Malformed { major: "row", row, why }) => (row, why),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn malformed_patterns_name_the_first_bad_row() {
        let row = |base, ptr: &[i32], ind: &[i32]| fault(base, ptr, ind).0;
        // The first offset is not the base.
        assert_eq!(row(Base::Zero, &[1, 2, 3], &[0, 1, 1]), 0);
        assert_eq!(row(Base::One, &[0, 1, 2], &[1, 2]), 1);
        // Offsets fall, or leave the arrays on the way and come back.
        assert_eq!(row(Base::Zero, &[0, 2, 1, 3], &[0, 1, 2]), 1);
        assert_eq!(row(Base::Zero, &[0, 9, 2, 3], &[0, 1, 2]), 0);
        assert_eq!(row(Base::One, &[1, 2, -7, 4], &[1, 2, 3]), 2);
        // The last offset is not the end: too small and too large.
        assert_eq!(row(Base::Zero, &[0, 1, 2], &[0, 1, 1]), 1);
        assert_eq!(row(Base::Zero, &[0, 1, 4], &[0, 1, 1]), 1);
        // Indices below and above the range.
        assert_eq!(row(Base::Zero, &[0, 1, 2], &[0, -1]), 1);
        assert_eq!(row(Base::Zero, &[0, 1, 2], &[2, 0]), 0);
        assert_eq!(row(Base::One, &[1, 2, 3], &[1, 0]), 2);
        assert_eq!(row(Base::One, &[1, 2, 3], &[1, 3]), 2);
        // Of two bad rows the first one, but offsets come first: without good ones no index is looked at.
        assert_eq!(row(Base::Zero, &[0, 1, 2], &[5, 7]), 0);
        assert_eq!(row(Base::Zero, &[0, 1, 3, 2], &[5, 0]), 1);
    }

    #[test]
    fn messages_say_what_is_wrong() {
        let (_, why) = fault(Base::One, &[1, 2, 3], &[1, 3]);
        assert_eq!(why, "column index 3 is outside 1 to 2");
        let (_, why) = fault(Base::Zero, &[0, 2, 1, 3], &[0, 1, 2]);
        assert_eq!(why, "its offsets fall from 2 to 1");
        let (_, why) = fault(Base::One, &[0, 1], &[1]);
        assert_eq!(why, "the first offset is 0, but the index base is 1");
    }

    #[test]
    fn wild_64_bit_numbers() {
        for wild in [i64::MIN, i64::MIN + 1, -1, 1 << 32, (1 << 32) + 1, i64::MAX - 1, i64::MAX] {
            for base in [Base::Zero, Base::One] {
                let b = base as i64;
                assert_eq!(fault(base, &[wild, 1 + b, 2 + b], &[b, b]).0, b);
                assert_eq!(fault(base, &[b, wild, 2 + b], &[b, b]).0, b);
                assert_eq!(fault(base, &[b, 1 + b, wild], &[b, b]).0, 1 + b);
                assert_eq!(fault(base, &[b, 1 + b, 2 + b], &[b, wild]).0, 1 + b);
            }
        }
    }

    #[test]
    fn mixed_widths_and_wrong_lengths() {
        let s = Shape::new(Op::NonTranspose, 2, 3, MatDescr::default(), DataType::F64, false).unwrap();
        let pattern = validate(&s, &[0i64, 1, 3], &[0i32, 0, 1]).unwrap();
        assert_eq!((pattern.ptr, pattern.ind), (vec![0, 1, 3], vec![0, 0, 1]));
        assert!(validate(&s, &[0i64, 1], &[0i32, 0, 1]).is_err());
        assert!(validate(&s, &[0i64, 1, 3], &[0i32, 0]).is_err());
    }
}
