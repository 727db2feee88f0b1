//! What a setup is asked for, what it makes, and what it leaves for the next one.

use std::time::Duration;

use super::super::args::SolveArgs;
use super::super::DeviceArray;
use super::args::Summary;
use crate::analysis::{Findings, Needs, Pattern};

/// Times of the paper's setup operations.
#[derive(Clone, Copy, Debug, Default)]
pub struct SetupTimes {
    pub mat_d2h: Duration,
    pub trans: Duration,
    pub dep: Duration,
    pub lev: Duration,
    pub lev_h2d: Duration,
}

/// What the analysis for an operation leaves for that of the transposed one.
#[derive(Default)]
pub enum Known {
    /// There is only one analysis.
    #[default]
    Unwanted,
    /// Nothing yet.
    Nothing,
    /// The pattern, found good, and the levels for the transposed operation if there are any.
    OnHost(Pattern, Option<Vec<u32>>),
    OnDevice(Found),
}

/// A schedule whose arrays are on the device; `base` has their addresses.
pub struct DeviceSchedule {
    pub base: SolveArgs,
    pub owned: Vec<DeviceArray>,
    pub levels: u32,
    pub entries: u32,
    pub missing_diag: Option<u32>,
    /// But for what is known in the end.
    pub found: Findings,
    /// Time of a solve by the model that chose the engine, or zero.
    pub predicted: Duration,
    /// Where the values of a copy come from, and how many, if solves read one.
    pub copied: Option<(DeviceArray, u32)>,
    /// Where those come from that each solve begins by copying, if it does.
    pub gathered: Option<DeviceArray>,
    /// The rows' lists, where batches have taken what they need from them.
    pub(super) _lists: Option<DeviceArray>,
}

/// How levels are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Levels {
    /// In one launch, without global synchronisation.
    Sweep,
    /// With a launch and a synchronisation per level, as in the paper.
    Kahn,
}

/// What is to be set up, and how.
#[derive(Clone, Copy)]
pub struct Wish {
    pub needs: Needs,
    pub levels: Levels,
    /// Of the watchdog; zero is off.
    pub timeout: Duration,
    /// Unknowns of a node, where the pattern is one of nodes.
    pub node: u32,
    /// Whether solves are to read a copy of the values, which would lie scattered.
    pub copies: bool,
}

/// What a setup has found that the one for the transposed operation need not find again.
pub struct Found {
    /// Four words for each row by the survey; and behind them, where levels were computed, a word for each position.
    pub(super) words: DeviceArray,
    /// As the survey left it, with the number of levels and the sizes of nodes that there are not.
    pub(super) summary: Box<Summary>,
}
