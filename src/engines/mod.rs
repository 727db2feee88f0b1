//! The engines and the paper's algorithms: one folder each, the list of all, and which one solves a schedule.
#![forbid(unsafe_code)]

mod auto;
pub mod block;
pub mod by_rows;
pub mod nodal;
pub mod one_word;
pub mod panel;
pub mod paper;
pub mod thin;
pub mod tiled;
pub mod wide;

use crate::analysis::{Form, Needs};
use crate::error::{Error, Result};
use crate::executor::cuda::engine::columns_bytes;
use crate::executor::cuda::Gpu;
use crate::executor::host::Method;
use crate::problem::{DataType, Shape};
use crate::select::decision::Decision;
use crate::select::features::{Counts, Features};
use crate::workspace::ROW_BYTES;

pub use crate::executor::cuda::engine::{Algorithm, Choice, MANY_COLUMNS};
pub use auto::decide;

/// Every algorithm that can be asked for by number. AUTO is number 0. The choice asks them in this order what they cost: what is
/// cheap to predict comes first.
pub static ALL: &[&dyn Algorithm] = &[
    &paper::levr::Levr,
    &paper::levc::Levc,
    &paper::slfr::Slfr,
    &paper::slfc::Slfc,
    &paper::gsf::Gsf,
    &one_word::OneWord,
    &nodal::Nodal,
    &wide::Wide,
    &tiled::Tiled,
    &thin::Thin,
    &panel::Panel,
    &block::Block,
];

/// AUTO's number.
pub const AUTO: i32 = 0;

/// Checks a number that a caller asks for.
pub fn request(id: i32) -> Result<i32> {
    if id == AUTO || ALL.iter().any(|a| a.id() == id) {
        Ok(id)
    } else {
        Err(Error::BadEnum { what: "sptrsvAlgorithm_t", value: id })
    }
}

/// The algorithm with a valid number, or None for AUTO.
pub fn by_id(id: i32) -> Option<&'static dyn Algorithm> {
    ALL.iter().copied().find(|a| a.id() == id)
}

/// Bytes of the caller's buffer for a row on a GPU, with that of the algorithm asked for, or else with any that AUTO may choose.
pub fn row_bytes(asked: Option<&'static dyn Algorithm>, dtype: DataType, right_hand_sides: i64) -> usize {
    let of_auto = || ALL.iter().copied().filter(|a| a.is_for_columns(right_hand_sides));
    match asked {
        Some(algorithm) => algorithm.row_bytes(dtype, right_hand_sides),
        None => of_auto().map(|a| a.row_bytes(dtype, right_hand_sides)).max().unwrap_or(ROW_BYTES),
    }
}

/// Bytes of a row for the unknowns of so many right-hand sides, as far as the algorithm asked for, or AUTO, solves them at once.
pub fn row_bytes_of_columns(
    asked: Option<&'static dyn Algorithm>,
    dtype: DataType,
    right_hand_sides: i64,
) -> usize {
    match asked.is_none_or(|a| a.is_for_columns(right_hand_sides)) {
        true => columns_bytes(dtype, right_hand_sides),
        false => ROW_BYTES,
    }
}

/// The number of the algorithm with this method on the host.
pub fn id_on_host(method: Method) -> i32 {
    ALL.iter().find(|a| a.host() == method).map_or(AUTO, |a| a.id())
}

/// The algorithm that a caller asks for; None is AUTO, the choice among all.
pub struct Asked(pub Option<&'static dyn Algorithm>);

impl Choice for Asked {
    /// For AUTO they are those of all engines that it chooses among.
    fn needs(&self, gpu: &Gpu, shape: &Shape, right_hand_sides: i64) -> Result<Needs> {
        let remote_buffer = ALL.iter().map(|a| a.remote_buffer(gpu, shape)).max().unwrap_or(0);
        let of_asked = self.0.map_or_else(Needs::default, |a| a.needs());
        let mut needs = Needs { remote_buffer, speed: gpu.speed(), ..of_asked };
        match self.0 {
            Some(algorithm) => algorithm.check(gpu, shape)?,
            None => {
                needs.right_hand_sides = right_hand_sides;
                ALL.iter().for_each(|a| a.add_needs(gpu, shape, &mut needs));
            }
        }
        Ok(needs)
    }
    fn decide(&self, features: &Features) -> Result<Decision> {
        decide(features)
    }
    fn algorithm(&self, form: Form) -> &'static dyn Algorithm {
        choose(self.0, form)
    }
}

/// The algorithm that solves a schedule of this form. It is the one asked for, except where a matrix has no nodes, or too many levels
/// for a launch each: then rows are solved one by one. If none is asked for, it is the engine of the form.
pub fn choose(asked: Option<&'static dyn Algorithm>, form: Form) -> &'static dyn Algorithm {
    let is_left = |asked: &dyn Algorithm| asked.needs().nodes || asked.needs().wide_levels > 0;
    match asked {
        Some(asked) if form != Form::Rows || !is_left(asked) => asked,
        _ => ALL.iter().copied().find(|a| a.is_for(form)).expect("each form has an engine"),
    }
}

/// The algorithm that solves on the host: one of the paper's. For AUTO it is LEVR, whose bits AUTO's own way has too.
pub fn choose_on_host(asked: Option<&'static dyn Algorithm>) -> &'static dyn Algorithm {
    let method = asked.map_or(Method::Levr, |a| a.host());
    ALL.iter().copied().find(|a| a.host() == method).expect("each method is that of an algorithm")
}

/// The engines that may solve a matrix with these counts of rows faster than `chosen`, AUTO's choice: those with the least predicted
/// time first.
pub fn candidates_on_gpu(
    chosen: &dyn Algorithm,
    gpu: &Gpu,
    shape: &Shape,
    rows: Counts,
) -> Vec<&'static dyn Algorithm> {
    // AUTO takes rows one by one only where it has found no nodes.
    let has_nothing =
        |a: &'static dyn Algorithm| a.needs().nodes && choose(Some(a), Form::Rows).id() == chosen.id();
    let others = ALL.iter().copied().filter(|a| a.id() != chosen.id() && !has_nothing(*a));
    let mut promising: Vec<_> =
        others.filter_map(|a| a.promise(gpu, shape, rows).map(|least| (least, a))).collect();
    promising.sort_by_key(|&(least, _)| least);
    promising.into_iter().map(|(_, algorithm)| algorithm).collect()
}

/// The algorithms that may be faster on the host than AUTO: those whose solves give the same bits every time.
pub fn candidates_on_host() -> Vec<&'static dyn Algorithm> {
    let own = ALL.iter().copied().filter(|a| id_on_host(a.host()) == a.id());
    own.filter(|a| a.deterministic()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        for (k, a) in ALL.iter().enumerate() {
            assert_ne!(a.id(), AUTO);
            for b in &ALL[..k] {
                assert_ne!(a.id(), b.id());
                assert_ne!(a.name(), b.name());
            }
        }
    }

    #[test]
    fn on_the_host_the_engines_are_slfr() {
        for a in ALL.iter().copied() {
            let on_host = choose_on_host(Some(a)).name();
            assert_eq!(on_host, if a.id() < 16 { a.name() } else { "slfr" });
        }
        assert_eq!(choose_on_host(None).name(), "levr");
    }

    #[test]
    fn what_an_engine_is_not_for_is_left_to_one_word() {
        for a in ALL.iter().copied() {
            let is_left = a.needs().nodes || a.needs().wide_levels > 0;
            assert_eq!(choose(Some(a), Form::Rows).name(), if is_left { "one_word" } else { a.name() });
        }
        assert_eq!(choose(Some(&nodal::Nodal), Form::Nodes(3)).name(), "nodal");
        assert_eq!(choose(Some(&wide::Wide), Form::WideLevels).name(), "wide");
        assert_eq!(choose(None, Form::WideLevels).name(), "wide");
    }

    #[test]
    fn a_buffer_has_room_for_whatever_auto_may_choose() {
        for dtype in [DataType::F32, DataType::C64] {
            assert_eq!(row_bytes(None, dtype, 1), ROW_BYTES);
            for rhs in [2, MANY_COLUMNS - 1, MANY_COLUMNS, i64::MAX] {
                let of_auto = row_bytes(None, dtype, rhs);
                assert!(row_bytes(Some(&tiled::Tiled), dtype, rhs) <= of_auto);
                assert_eq!(row_bytes(Some(&block::Block), dtype, rhs) <= of_auto, rhs >= MANY_COLUMNS);
            }
        }
    }

    #[test]
    fn tuning_on_the_host_takes_deterministic_methods() {
        let names: Vec<_> = candidates_on_host().iter().map(|a| a.name()).collect();
        assert_eq!(names, ["levr", "slfr"]);
    }

    #[test]
    fn auto_is_deterministic() {
        for form in [
            Form::Rows,
            Form::Tiles(crate::analysis::Forwarding::No),
            Form::Nodes(3),
            Form::WideLevels,
            Form::NarrowLevels,
            Form::Panels,
        ] {
            assert!(choose(None, form).deterministic());
        }
        assert!(choose_on_host(None).deterministic());
    }
}
