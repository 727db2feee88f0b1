//! What the paper says of its solvers, and what the same experiments say here.

use crate::measure::geometric_mean;
use crate::paper::{Experiment, Results};
use crate::paper_data::{implied_solve, name_in_paper, GRIDS};
use crate::paper_report::{gpu_setup, index_of};

/// The paper's solvers that can still be had, fastest first as its title solver would have it.
pub const ORDERED: [&str; 5] = ["SLFC", "SLFR", "LEVR", "LEVC", "csrsv2"];

/// A solver's time of a solve in milliseconds: its name, ours, the paper's.
pub type Times = (&'static str, f64, f64);

/// Experiments with the paper's time of a solve for each solver of `ORDERED` that was measured: our mean, the
/// paper's, in milliseconds. The paper draws its solve times but prints none; they are its setup times over their
/// ratios to one solve, which it prints.
pub fn beside_paper(results: &Results) -> Vec<(&Experiment, Vec<Times>)> {
    let mut out = Vec::new();
    for tables in &GRIDS {
        for e in results.experiments.iter().filter(|e| e.group == tables.group && e.value_type == "D") {
            let Some(cells) = index_of(e).map(|k| &tables.cpu[k]) else { continue };
            let both = |s: &'static str| {
                Some((s, e.timing(s)?.solve_mean_ms, implied_solve(cells, name_in_paper(s))?))
            };
            let both: Vec<_> = ORDERED.into_iter().filter_map(both).collect();
            if both.len() > 1 {
                out.push((e, both));
            }
        }
    }
    out
}

/// Solvers of one grid from the shortest solve to the longest, by our times or by the paper's.
pub fn order(both: &[Times], time: fn(&Times) -> f64) -> String {
    let mut sorted = both.to_vec();
    sorted.sort_by(|a, b| time(a).total_cmp(&time(b)));
    sorted.iter().map(|s| s.0).collect::<Vec<_>>().join(" < ")
}

/// Two solvers whose order is not the paper's on some grids, in how many of them each is the faster, and why.
pub struct Swap {
    pub pair: (&'static str, &'static str),
    pub grids: usize,
    pub first_there: usize,
    pub first_here: usize,
    pub differing: usize,
    pub why: &'static str,
}

pub fn swaps(results: &Results) -> Vec<Swap> {
    let rows = beside_paper(results);
    let mut out = Vec::new();
    for (k, &a) in ORDERED.iter().enumerate() {
        for &b in &ORDERED[k + 1..] {
            let mut swap =
                Swap { pair: (a, b), grids: 0, first_there: 0, first_here: 0, differing: 0, why: why(a, b) };
            for (_, both) in &rows {
                let of = |s: &str| both.iter().find(|x| x.0 == s);
                let (Some(x), Some(y)) = (of(a), of(b)) else { continue };
                let (here, there) = (x.1 < y.1, x.2 < y.2);
                swap.grids += 1;
                swap.first_here += usize::from(here);
                swap.first_there += usize::from(there);
                swap.differing += usize::from(here != there);
            }
            out.extend((swap.differing > 0).then_some(swap));
        }
    }
    out
}

fn why(a: &str, b: &str) -> &'static str {
    let by_level = |s: &str| s.starts_with("LEV");
    match (a, b) {
        _ if b == "csrsv2" => {
            "csrsv2 here is a later cuSPARSE's, the paper's was that of CUDA 8: another program under the same name"
        }
        _ if by_level(a) != by_level(b) => {
            "the levels are nodes of one CUDA graph here and were a kernel launch each in the paper, which makes the \
             level-scheduled solvers the cheaper a level; a self-scheduled one still pays a write, a fence and a flag \
             through the second-level cache for each step"
        }
        _ => {
            "the two differ in atomic additions (by columns) against gathered loads (by rows), whose costs moved with \
             the size of the second-level cache and the speed of its atomics"
        }
    }
}

/// A statement of the paper's text, and what was found here.
pub struct Finding {
    pub statement: &'static str,
    pub here: String,
}

pub fn findings(results: &Results) -> Vec<Finding> {
    let all: Vec<&Experiment> = results.experiments.iter().filter(|e| e.error.is_none()).collect();
    let of = |groups: &[&str], types: &[&str]| -> Vec<&Experiment> {
        let belongs =
            |e: &&&Experiment| groups.contains(&e.group.as_str()) && types.contains(&e.value_type.as_str());
        all.iter().filter(belongs).copied().collect()
    };
    let both = ["S", "D"];
    let (flat, solid, general) =
        (of(&["5pt", "9pt"], &both), of(&["7pt", "27pt"], &both), of(&["general"], &["D"]));
    let time = |e: &Experiment, s: &str| e.timing(s).map(|t| t.solve_mean_ms);
    // On how many of the experiments in which all of them were measured each of `first` beats each of `then`.
    let before = |list: &[&Experiment], first: &[&str], then: &[&str]| {
        let judged = |e: &&Experiment| -> Option<bool> {
            let slowest = first.iter().map(|s| time(e, s)).collect::<Option<Vec<f64>>>()?;
            let fastest = then.iter().map(|s| time(e, s)).collect::<Option<Vec<f64>>>()?;
            let slowest = slowest.into_iter().fold(0.0, f64::max);
            Some(slowest < fastest.into_iter().fold(f64::INFINITY, f64::min))
        };
        let judged: Vec<bool> = list.iter().filter_map(judged).collect();
        match judged.len() {
            0 => "not measured".into(),
            n => format!("so on {} of {n}", judged.iter().filter(|&&yes| yes).count()),
        }
    };
    let range = |list: &[&Experiment], num: &str, den: &str| {
        let ratios = list.iter().filter_map(|e| Some(time(e, num)? / time(e, den)?));
        let ratios: Vec<f64> = ratios.collect();
        match ratios.is_empty() {
            true => "not measured".into(),
            false => format!(
                "{:.2} to {:.2}",
                ratios.iter().copied().fold(f64::INFINITY, f64::min),
                ratios.iter().copied().fold(0.0, f64::max)
            ),
        }
    };
    // Double over single precision, the mean over grids and the paper's four solvers.
    let precision = |groups: &[&str]| {
        let mut ratios = Vec::new();
        for d in of(groups, &["D"]) {
            if let Some(s) = of(groups, &["S"]).into_iter().find(|s| s.name == d.name) {
                let ratio = |solver: &&str| Some(time(d, solver)? / time(s, solver)?);
                ratios.extend(ORDERED[..4].iter().filter_map(ratio));
            }
        }
        let mean = geometric_mean(ratios.into_iter());
        mean.map_or("not measured".into(), |m| format!("double takes {m:.2} times as long as single"))
    };
    let setups = |wins: &dyn Fn(&Experiment) -> Option<bool>| {
        let judged: Vec<bool> = general.iter().filter_map(|e| wins(e)).collect();
        match judged.len() {
            0 => "not measured".into(),
            n => format!("{} of {n}", judged.iter().filter(|&&yes| yes).count()),
        }
    };
    let setup = |e: &Experiment, s: &str| e.timing(s).map(|t| t.analysis_ms);
    let rate = |name: &str| {
        let e = general.iter().find(|e| e.name == name);
        let rates = ORDERED.iter().filter_map(|s| Some((*s, e?.gflops(s)?)));
        rates
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map_or("not measured".to_string(), |(s, g)| format!("{s} {g:.1}"))
    };
    let selves = ["SLFR", "SLFC"];
    let levels = ["LEVR", "LEVC"];
    let finding = |statement: &'static str, here: String| Finding { statement, here };
    vec![
        finding("2-D: SLFC is faster than SLFR on all grids", before(&flat, &["SLFC"], &["SLFR"])),
        finding("2-D: SLFR and SLFC are faster than LEVR and LEVC", before(&flat, &selves, &levels)),
        finding(
            "7-point: LEVR and LEVC are faster than SLFR on most grids",
            before(&of(&["7pt"], &both), &levels, &["SLFR"]),
        ),
        finding(
            "3-D: SLFC is the fastest of all on 19 of 20",
            before(&solid, &["SLFC"], &["SLFR", "LEVR", "LEVC", "csrsv2", "GSF"]),
        ),
        finding(
            "7-point: SLFC is 1.18 to 1.47 times as fast as csrsv2 (0.95 and 0.98 on the last grid)",
            range(&of(&["7pt"], &both), "csrsv2", "SLFC"),
        ),
        finding(
            "27-point: SLFC is 1.09 to 1.82 times as fast as csrsv2",
            range(&of(&["27pt"], &both), "csrsv2", "SLFC"),
        ),
        finding("general: SLFC is up to 2.64 times as fast as csrsv2", range(&general, "csrsv2", "SLFC")),
        finding("3-D: GSF is the slowest on almost all", before(&solid, &ORDERED[..4], &["GSF"])),
        finding("2-D: single and double precision differ very little", precision(&["5pt", "9pt"])),
        finding("3-D: they differ more", precision(&["7pt", "27pt"])),
        finding("elasticity3D: more than 10 GFLOPS", rate("elasticity3D")),
        finding("Queen_4147: more than 10 GFLOPS", rate("Queen_4147")),
        finding(
            "general: setup is faster on the GPU for 11 of 12 (SLFC)",
            setups(&|e| Some(gpu_setup(e, "SLFC")?.0 < setup(e, "SLFC")?)),
        ),
        finding(
            "general: SLFC's setup, on the faster place, is cheaper than csrsv2's for 6 of 12",
            setups(&|e| {
                let gpu = gpu_setup(e, "SLFC").map_or(f64::INFINITY, |g| g.0);
                Some(gpu.min(setup(e, "SLFC")?) < setup(e, "csrsv2")?)
            }),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Timing;

    fn experiment(group: &str, ratio: usize, times: &[(&str, f64)]) -> Experiment {
        let timing =
            |&(s, ms): &(&str, f64)| Timing { solver: s.into(), solve_mean_ms: ms, ..Timing::default() };
        Experiment {
            name: group.into(),
            group: group.into(),
            ratio,
            value_type: "D".into(),
            timings: times.iter().map(timing).collect(),
            ..Experiment::default()
        }
    }

    #[test]
    fn orders_and_statements_are_judged_by_the_times() {
        // The paper has SLFC before LEVR on the first 5-point grid (8.2 against 27.3 ms).
        let slow = experiment("5pt", 1, &[("SLFC", 5.0), ("LEVR", 4.0), ("LEVC", 6.0), ("SLFR", 7.0)]);
        let results = Results { experiments: vec![slow], ..Results::default() };
        let rows = beside_paper(&results);
        assert_eq!(order(&rows[0].1, |s| s.1), "LEVR < SLFC < LEVC < SLFR");
        assert_eq!(order(&rows[0].1, |s| s.2), "SLFC < SLFR < LEVR < LEVC");
        let swaps = swaps(&results);
        let swap = swaps.iter().find(|s| s.pair == ("SLFC", "LEVR")).unwrap();
        assert_eq!((swap.grids, swap.first_there, swap.first_here, swap.differing), (1, 1, 0, 1));
        assert!(!swaps.iter().any(|s| s.pair == ("SLFC", "SLFR")));
        let found = findings(&results);
        let here = |start: &str| &found.iter().find(|f| f.statement.starts_with(start)).unwrap().here;
        assert_eq!(here("2-D: SLFC is faster"), "so on 1 of 1");
        assert_eq!(here("2-D: SLFR and SLFC"), "so on 0 of 1");
        assert_eq!(here("27-point"), "not measured");
    }
}
