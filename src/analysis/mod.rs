//! Analysis: from a sparsity pattern to the normal form that every solve walks.
//!
//! The contract multiplies triangles, operations, bases, index widths, formats, sortedness and diagonals.
//! All of them end here: a [`Schedule`] lists the unknowns in the order in which they are solved, and
//! names dependencies by 32-bit positions in that order, so that a solve knows none of the above.
#![forbid(unsafe_code)]

pub mod blocks_3d;
pub mod irregular;
pub mod lines;
pub mod locality;
pub mod nodes;
pub mod panels;
pub mod pattern;
pub mod ranges;
pub mod shared;
pub mod wavefront_strips;
pub mod work_items;

use crate::gpus::Speed;
use crate::problem::DiagSource;

pub use shared::schedule::NONE;

/// The pattern as the caller stores it, on the host, zero-based: entries of major index `i` (row of a CSR
/// matrix, column of a CSC matrix) are `ind[ptr[i]..ptr[i + 1]]`. Validated: `ptr` rises from 0 to
/// `ind.len()` and every index is below `n`.
#[derive(Debug, Default)]
pub struct Pattern {
    pub ptr: Vec<u32>,
    pub ind: Vec<u32>,
}

/// What an algorithm wants to know about a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Needs {
    /// Levels, and unknowns ordered by level; else no levels, and the natural order.
    pub levels: bool,
    /// For each row the positions it depends on, with where the values lie.
    pub rows: bool,
    /// For each column the positions that depend on it.
    pub columns: bool,
    /// The values along the columns too (else only the pattern).
    pub column_values: bool,
    /// The number of dependencies of each position.
    pub counts: bool,
    /// With levels and without tiles: rows, or nodes, of a level in locality order, where that is faster. On the GPU only.
    pub locality_order: bool,
    /// Whether unknowns are ordered by tile first and by level inside a tile; implies `levels`.
    pub tiles: Tiles,
    /// Whether a pattern of nodes is scheduled by nodes, if nothing else that is asked for is faster.
    pub nodes: bool,
    /// Up to this many levels, each level is a launch.
    pub wide_levels: u32,
    /// Whether the last levels are solved 32 rows at a time, if that is the fastest.
    pub narrow_levels: bool,
    /// Whether rows are solved by panels.
    pub panels: Panels,
    /// With tiles: how many unknowns of the tile before a block's own tile have room in the block's shared memory. 0 where blocks
    /// cannot store to each other's.
    pub remote_buffer: u32,
    /// With tiles: how many right-hand sides of a pass have room in a block's shared memory.
    pub tile_columns: u32,
    /// How many right-hand sides are announced to AUTO.
    pub right_hand_sides: i64,
    /// How fast the GPU is.
    pub speed: Speed,
}

/// What a schedule is made of, and so which engine solves it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Rows, level by level.
    #[default]
    Rows,
    Tiles(Forwarding),
    /// Nodes of this many unknowns.
    Nodes(u32),
    /// Rows of levels so wide that each is a launch.
    WideLevels,
    /// Rows, 32 at a time in the last levels, or in all, as these are narrow.
    NarrowLevels,
    /// Rows, in natural order, by panels.
    Panels,
    /// Rows, level by level, each for many right-hand sides.
    ManyColumns,
}

impl Form {
    /// The form of rows without tiles, where an engine is asked for by name.
    pub fn of_rows(needs: Needs, levels: u32) -> Form {
        if needs.wide_levels > 0 && levels <= needs.wide_levels {
            Form::WideLevels
        } else {
            Form::Rows
        }
    }
    /// Unknowns of a node.
    pub fn node(self) -> u32 {
        match self {
            Form::Nodes(size) => size,
            Form::Rows
            | Form::Tiles(_)
            | Form::WideLevels
            | Form::NarrowLevels
            | Form::Panels
            | Form::ManyColumns => 1,
        }
    }
    /// Whether its engine solves rows only, and is not the one that solves in place of NODAL where there are no nodes.
    pub fn is_of_rows_only(self) -> bool {
        matches!(self, Form::Tiles(_) | Form::NarrowLevels | Form::Panels | Form::ManyColumns)
    }
}

/// What an analysis on the CPU or GPU has found of a schedule, beside the arrays on the device. An engine makes its plan of it.
#[derive(Debug, Default)]
pub struct Findings {
    pub form: Form,
    /// Where each level is a launch: the position, or the work item if there are any, with which each level begins.
    pub level_ptr: Vec<u32>,
    /// The first work item of the levels at the end that one cluster of blocks solves, if it solves any.
    pub end: Option<u32>,
    /// Whether rows are cut into segments.
    pub has_segments: bool,
    /// With tiles: entries of the longest row beside its diagonal, and rows of the largest tile.
    pub longest: u32,
    pub tile: u32,
    /// Whether a level of a tile fills half of a batch.
    pub wide_tiles: bool,
    /// With panels: how many pieces of long rows are work items of their own, each with a sum for each row of its panel.
    pub panel_sums: u32,
    /// With nodes: whether the diagonal entry of each row is in its place in the row; and if so, whether each row of a node begins
    /// where the row before it ends.
    pub diag_in_rows: bool,
    pub rows_follow: bool,
}

/// Whether blocks in clusters forward unknowns from tile to tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forwarding {
    #[default]
    No,
    /// With few warps in a block, so that each polls more often.
    Narrow,
    /// With all warps of a block.
    Wide,
}

/// Whether a schedule has tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tiles {
    #[default]
    No,
    Yes,
    /// If the model says that the tiled engine is the fastest.
    IfFaster,
}

/// Whether a schedule is one of panels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panels {
    #[default]
    No,
    Yes,
    /// If the model says that the panel engine is the fastest.
    IfFaster,
}

/// Where the value of an entry lies in the caller's value array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values {
    /// The k-th entry of position `p` is at `first[p] + k`.
    Contiguous(Vec<u32>),
    /// Entry `e` of `adj` is at `index[e]`.
    Permuted(Vec<u32>),
}

/// Adjacency by position: the off-diagonal entries of position `p` are `adj[ptr[p]..ptr[p + 1]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists {
    pub ptr: Vec<u32>,
    pub adj: Vec<u32>,
    /// None where only the pattern was asked for.
    pub values: Option<Values>,
}

/// The rows of a schedule by nodes; kernels/nodal/nodal.cuh says what the numbers mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nodes {
    pub size: u32,
    /// Whether the stored entries are of a lower triangle.
    pub low: bool,
    /// By position of each row: where its entries of its node's own triangle lie, and its diagonal's.
    pub rows: Vec<[u32; 2]>,
    /// Where op(A)'s columns are stored: of each entry of the nodes' lists and each of its unknowns, where the
    /// values of the rows begin.
    pub index: Vec<u32>,
}

/// The normal form.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Number of unknowns.
    pub n: u32,
    /// Off-diagonal entries of the triangle.
    pub entries: u32,
    /// Level `l` is the positions `level_ptr[l]..level_ptr[l + 1]`; empty where no levels were computed.
    /// With tiles only the sizes mean anything.
    pub level_ptr: Vec<u32>,
    /// With tiles: tile `t` is the positions `tile_ptr[t]..tile_ptr[t + 1]`, a range of consecutive
    /// unknowns in some solving order, and depends on earlier tiles only.
    pub tile_ptr: Vec<u32>,
    /// What it is made of.
    pub form: Form,
    /// With tiles: whether a level of a tile fills half of a batch.
    pub wide_tiles: bool,
    /// With tiles: the level of each position.
    pub level: Vec<u32>,
    /// The unknown (zero-based) at each position. Inside a level unknowns ascend. Without levels:
    /// natural order, that is ascending for a forward and descending for a backward solve.
    pub order: Vec<u32>,
    /// Dependencies of each position. Always at smaller positions.
    pub rows: Option<Lists>,
    /// For solves that begin by gathering values: where each value comes from, in the order of the entries of `rows`. `rows` then says
    /// where the gathered values are.
    pub gathered: Vec<u32>,
    /// Dependents of each position. Always at larger positions.
    pub columns: Option<Lists>,
    /// Number of dependencies of each position (entries, so duplicates count); empty if not asked for.
    pub counts: Vec<u32>,
    /// Index of the diagonal entry of each position in the value array, or [`NONE`] where it is missing.
    /// Empty for a unit or separate diagonal.
    pub diag: Vec<u32>,
    /// Second and further entries on a diagonal, `[position, value index]`, by rising position.
    pub extra_diag: Vec<[u32; 2]>,
    /// The smallest row without a diagonal entry (zero-based), where the diagonal is the matrix's own.
    pub missing_diag: Option<u32>,
    /// Time of a solve by the model that chose the engine, or zero.
    pub predicted: std::time::Duration,
    /// There in a schedule by nodes. Unknowns and rows above are then nodes, except in `missing_diag` and `entries`.
    pub nodes: Option<Nodes>,
}

impl Schedule {
    /// Number of levels of rows; 0 where none were computed.
    pub fn levels(&self) -> usize {
        self.level_ptr.len().saturating_sub(1) * self.form.node() as usize
    }
    /// Rows in the widest level.
    pub fn widest_level(&self) -> u32 {
        self.level_ptr.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0)
    }
}

impl Schedule {
    /// Bytes of host memory that the schedule takes.
    pub fn bytes(&self) -> usize {
        let values = |v: &Values| match v {
            Values::Contiguous(v) | Values::Permuted(v) => v.len(),
        };
        let lists = |l: &Option<Lists>| {
            l.as_ref().map_or(0, |l| l.ptr.len() + l.adj.len() + l.values.as_ref().map_or(0, values))
        };
        let words = self.level_ptr.len()
            + self.order.len()
            + lists(&self.rows)
            + lists(&self.columns)
            + self.counts.len()
            + self.gathered.len()
            + self.diag.len()
            + 2 * self.extra_diag.len()
            + self.nodes.as_ref().map_or(0, |n| 2 * n.rows.len() + n.index.len());
        words * 4
    }
}

/// By position: row, index of the diagonal value, first entry, index of the first value; and one more.
pub fn records(schedule: &Schedule, diag: DiagSource) -> Vec<[u32; 4]> {
    let rows = schedule.rows.as_ref().expect("asked for");
    let first = |p: usize| match &rows.values {
        Some(Values::Contiguous(first)) => first[p],
        _ => 0,
    };
    let diagonal = |p: usize| match diag {
        DiagSource::Unit => NONE,
        DiagSource::Matrix => schedule.diag[p],
        DiagSource::Separate => schedule.order[p],
    };
    let n = schedule.n as usize;
    let mut records: Vec<[u32; 4]> =
        (0..n).map(|p| [schedule.order[p], diagonal(p), rows.ptr[p], first(p)]).collect();
    records.push([0, NONE, rows.ptr[n], 0]);
    records
}

/// Where each of consecutive groups begins, and where the last one ends.
pub fn running_sum(counts: &[u32]) -> Vec<u32> {
    let mut sums = Vec::with_capacity(counts.len() + 1);
    let mut sum = 0;
    sums.push(0);
    for count in counts {
        sum += count;
        sums.push(sum);
    }
    sums
}
