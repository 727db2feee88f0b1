//! What the choice goes by on an H200 or an H100, and what is said of it.
#![forbid(unsafe_code)]

use sptrsv::analysis::{Needs, Panels, Tiles};
use sptrsv::engines::{self, nodal, tiled, Algorithm};
use sptrsv::gpus::{Speed, Traits};
use sptrsv::problem::DataType;
use sptrsv::select::decision::Decision;
use sptrsv::select::features::{Counts, Features};

use crate::known::Known;

/// Bytes of shared memory that a block may have.
const SHARED_BYTES: u32 = 227 << 10;

/// The speed of the GPU that is named by a part of its name.
pub fn speed(name: &str) -> Speed {
    Speed::of(name, Traits { multiprocessors: 132, ..Traits::default() })
}

/// What AUTO wants of an analysis. Panels are left out, as nothing on the CPU finds their segments.
pub fn needs(dtype: DataType) -> Needs {
    let room = (SHARED_BYTES - tiled::shared_bytes(dtype, 1)) / dtype.bytes() as u32;
    Needs {
        tiles: Tiles::IfFaster,
        panels: Panels::No,
        narrow_levels: true,
        remote_buffer: room.min(tiled::tuning::TILED_LARGEST_FORWARDED),
        ..nodal::Nodal.needs()
    }
}

/// The choice for a pattern: for that of its nodes, unless its rows are to be solved without them.
pub fn choose(needs: Needs, speed: Speed, known: &[Known]) -> Decision {
    let mut decision = Decision::default();
    for known in known {
        let mut features = known.clone();
        let counts = Counts { speed, ..known.counts };
        decision = engines::decide(&Features::new(needs, counts, known.natural.clone(), &mut features))
            .expect("nothing fails here");
        if known.counts.node == 1 || !decision.form.is_of_rows_only() {
            break;
        }
    }
    decision
}

/// The engine's name in tables.
pub fn engine(decision: Decision) -> &'static str {
    match engines::choose(None, decision.form).name() {
        "one_word" => "ONE_WORD",
        "tiled" => "TILED",
        "nodal" => "NODAL",
        "wide" => "WIDE",
        "thin" => "THIN",
        other => other,
    }
}

/// The engine, and how it is to solve.
pub fn words(decision: Decision) -> String {
    format!("{}{decision}", engine(decision))
}
