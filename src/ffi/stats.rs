//! What an analysis found and what it cost, as C programs read it; in the header a part of the section on infos.

use std::ffi::c_int;

use crate::stats::Stats;

/// What an analysis found and what it cost. Set `struct_size` to `sizeof(sptrsvStats_t)` before the call: only that many bytes are
/// written, so that the structure can grow.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct sptrsvStats_t {
    /// Bytes of this structure as the caller knows it.
    pub struct_size: usize,
    /// Number of levels of the dependency graph; 0 where the algorithm needs none and none were computed.
    pub levels: i64,
    /// Rows in the widest level.
    pub widest_level: i64,
    /// Rows of the matrix.
    pub rows: i64,
    /// Entries of the triangle without its diagonal, plus one for each row.
    pub entries_used: i64,
    /// The algorithm in use (a value of sptrsvAlgorithm_t).
    pub algorithm: c_int,
    /// Where the analysis was done (a value of sptrsvAnalysisMode_t, never AUTO).
    pub setup: c_int,
    /// Wall-clock time of the whole analysis in milliseconds; of all operations, if it was for all.
    pub setup_ms: f64,
    /// Bytes that the info holds in the executor's memory; of all operations, if it was analysed for all.
    pub bytes_held: i64,
    /// Predicted time of one solve in milliseconds, by the model that chose the algorithm; 0 where no model did.
    pub predicted_ms: f64,
    /// Copying the pattern to the host (MAT_D2H of R. Li's paper), in milliseconds.
    pub mat_d2h_ms: f64,
    /// Validating and transposing the pattern (TRANS), in milliseconds.
    pub trans_ms: f64,
    /// Counting dependencies (DEP), in milliseconds.
    pub dep_ms: f64,
    /// Computing levels (LEV), in milliseconds.
    pub lev_ms: f64,
    /// Copying the schedule to the device (LEV_H2D), in milliseconds.
    pub lev_h2d_ms: f64,
    /// The smallest row without an entry on its diagonal, in the matrix's own index base; -1 where there is none, and where the
    /// diagonal is UNIT or separate.
    pub missing_diagonal: i64,
    /// 1 where the analysis has found the pattern that the info held already (sptrsvSetKeepPattern), else 0. The times of its parts
    /// are then those of the analysis before it.
    pub pattern_was_known: i64,
    /// Time of one solve in milliseconds as sptrsvTune has measured it for the algorithm in use; 0 where it has not.
    pub tuned_ms: f64,
}

impl From<Stats> for sptrsvStats_t {
    fn from(s: Stats) -> Self {
        let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
        sptrsvStats_t {
            struct_size: std::mem::size_of::<sptrsvStats_t>(),
            levels: s.levels as i64,
            widest_level: s.widest_level.into(),
            rows: s.rows.into(),
            entries_used: s.entries_used,
            algorithm: s.algorithm,
            setup: s.setup as c_int,
            setup_ms: ms(s.time),
            bytes_held: s.bytes_held as i64,
            predicted_ms: ms(s.predicted),
            mat_d2h_ms: ms(s.times.mat_d2h),
            trans_ms: ms(s.times.trans),
            dep_ms: ms(s.times.dep),
            lev_ms: ms(s.times.lev),
            lev_h2d_ms: ms(s.times.lev_h2d),
            missing_diagonal: s.missing_diagonal.unwrap_or(-1),
            pattern_was_known: s.pattern_was_known.into(),
            tuned_ms: ms(s.tuned),
        }
    }
}
