//! The numbers that the paper states, measured there on an NVIDIA Tesla P100 with CUDA 8.

/// Columns of the tables of setup on the CPU.
pub const CPU_COLUMNS: [&str; 7] = ["LEVR", "LEVC", "SLFR", "SLFC", "CUS1", "CUS2", "GSF"];

/// Setup in milliseconds, and in solves.
pub type Cell = (f64, f64);

/// A stencil's two tables: setup on the CPU for CPU_COLUMNS, and on the GPU for the first four of them; a row
/// for each aspect ratio.
pub struct GridTables {
    pub group: &'static str,
    pub cpu: [[Cell; 7]; 5],
    pub gpu: [[Cell; 4]; 5],
}

pub const GRIDS: [GridTables; 4] = [
    GridTables {
        group: "5pt",
        cpu: [
            [(30., 1.1), (41., 1.5), (34., 2.9), (41., 5.0), (86., 2.1), (214., 27.), (0.34, 0.0)],
            [(30., 0.87), (41., 1.2), (34., 2.4), (42., 4.1), (94., 1.8), (75., 7.5), (0.34, 0.0)],
            [(30., 0.51), (41., 0.72), (34., 1.5), (41., 2.5), (128., 1.4), (36., 2.3), (0.35, 0.0)],
            [(30., 0.27), (41., 0.38), (34., 0.81), (41., 1.5), (203., 1.2), (25., 0.87), (0.34, 0.0)],
            [(30., 0.14), (41., 0.19), (34., 0.40), (41., 0.85), (357., 3.8), (35., 0.64), (0.35, 0.0)],
        ],
        gpu: [
            [(34., 1.2), (27., 1.0), (31., 2.7), (26., 3.2)],
            [(35., 1.0), (28., 0.82), (32., 2.3), (27., 2.7)],
            [(39., 0.66), (32., 0.56), (36., 1.6), (31., 1.9)],
            [(56., 0.50), (49., 0.45), (53., 1.4), (48., 1.8)],
            [(95., 0.43), (88., 0.41), (92., 1.1), (87., 1.8)],
        ],
    },
    GridTables {
        group: "9pt",
        cpu: [
            [(45., 1.1), (36., 0.90), (52., 2.9), (36., 2.9), (120., 2.0), (208., 17.), (0.41, 0.0)],
            [(45., 0.71), (36., 0.59), (52., 2.0), (37., 2.0), (151., 1.6), (74., 4.0), (0.40, 0.0)],
            [(44., 0.39), (36., 0.32), (52., 1.1), (36., 1.1), (223., 1.3), (37., 1.2), (0.40, 0.0)],
            [(44., 0.20), (36., 0.17), (52., 0.54), (36., 0.60), (377., 4.2), (36., 0.47), (0.40, 0.01)],
            [(44., 0.10), (36., 0.08), (52., 0.27), (36., 0.33), (688., 4.4), (79., 0.61), (0.39, 0.0)],
        ],
        gpu: [
            [(40., 0.97), (29., 0.72), (37., 2.1), (29., 2.4)],
            [(43., 0.70), (33., 0.54), (40., 1.6), (32., 1.8)],
            [(58., 0.51), (47., 0.42), (54., 1.1), (46., 1.5)],
            [(93., 0.42), (82., 0.38), (90., 0.88), (82., 1.4)],
            [(167., 0.38), (156., 0.36), (164., 0.86), (156., 1.4)],
        ],
    },
    GridTables {
        group: "7pt",
        cpu: [
            [(77., 8.9), (65., 7.8), (89., 7.4), (65., 7.5), (116., 12.), (44., 4.3), (0.76, 0.01)],
            [(75., 8.7), (64., 7.7), (86., 7.8), (63., 7.9), (121., 13.), (55., 5.8), (0.77, 0.01)],
            [(75., 8.4), (64., 7.2), (86., 8.9), (63., 10.), (125., 9.2), (44., 5.2), (0.76, 0.01)],
            [(75., 5.0), (63., 4.3), (86., 9.7), (63., 9.7), (134., 5.6), (46., 5.6), (0.75, 0.01)],
            [(75., 2.7), (64., 2.3), (86., 6.1), (64., 6.3), (134., 3.0), (34., 3.5), (0.75, 0.01)],
        ],
        gpu: [
            [(39., 4.3), (22., 2.5), (34., 2.4), (21., 2.1)],
            [(41., 4.7), (23., 2.8), (36., 2.7), (23., 2.6)],
            [(50., 5.6), (33., 3.7), (47., 4.5), (33., 5.1)],
            [(62., 4.1), (46., 3.1), (57., 5.8), (45., 6.3)],
            [(73., 2.5), (59., 2.1), (70., 5.0), (58., 5.7)],
        ],
    },
    GridTables {
        group: "27pt",
        cpu: [
            [(253., 20.), (189., 15.), (285., 22.), (189., 22.), (289., 16.), (64., 6.0), (1.9, 0.01)],
            [(252., 14.), (186., 11.), (287., 25.), (188., 23.), (302., 11.), (96., 9.4), (1.9, 0.01)],
            [(249., 8.3), (187., 6.4), (286., 17.), (191., 16.), (308., 6.4), (82., 6.3), (1.9, 0.01)],
            [(250., 4.3), (189., 3.4), (281., 9.1), (190., 9.4), (351., 3.8), (108., 3.4), (1.9, 0.01)],
            [(247., 2.2), (186., 1.7), (282., 5.2), (189., 5.3), (406., 2.3), (74., 1.1), (1.9, 0.01)],
        ],
        gpu: [
            [(93., 7.3), (44., 3.4), (88., 6.6), (43., 4.9)],
            [(109., 6.1), (61., 3.5), (106., 8.9), (61., 7.0)],
            [(140., 4.7), (92., 3.1), (134., 8.3), (92., 7.6)],
            [(166., 2.9), (115., 2.1), (162., 5.8), (115., 5.6)],
            [(180., 1.6), (128., 1.2), (170., 3.3), (128., 3.6)],
        ],
    },
];

/// The time of a solve in milliseconds that a setup time and its ratio imply, and the least and the most that it
/// can be: setup times are rounded to whole milliseconds there, ratios to two digits.
pub fn implied_solve(cells: &[Cell; 7], solver: &str) -> Option<(f64, [f64; 2])> {
    let column = CPU_COLUMNS.iter().position(|c| *c == solver)?;
    let (setup, ratio) = cells[column];
    let half = match ratio {
        r if r >= 10.0 => 0.5,
        r if r >= 1.0 => 0.05,
        _ => 0.005,
    };
    (ratio > half).then(|| (setup / ratio, [(setup - 0.5) / (ratio + half), (setup + 0.5) / (ratio - half)]))
}

/// A general matrix: setup in milliseconds on the CPU and on the GPU for LEVR, LEVC, SLFR, SLFC; that of
/// CUS1, CUS2 and GSF; and the solves n_s from which SLFC's total is below that of CUS2 and of GSF.
pub struct General {
    pub name: &'static str,
    pub cpu: [f64; 4],
    pub gpu: [f64; 4],
    pub others: [f64; 3],
    pub solves: [u32; 2],
}

const fn general(
    name: &'static str,
    cpu: [f64; 4],
    gpu: [f64; 4],
    others: [f64; 3],
    solves: [u32; 2],
) -> General {
    General { name, cpu, gpu, others, solves }
}

pub const GENERAL: [General; 12] = [
    general("af_shell8", [76., 57., 89., 57.], [88., 71., 85., 70.], [156., 72., 0.43], [0, 1]),
    general("ecology2", [28., 39., 33., 39.], [32., 26., 30., 25.], [82., 216., 0.34], [0, 1]),
    general("webbase-1M", [33., 32., 37., 33.], [15., 11., 13., 11.], [59., 8.0, 1.0], [3, 9]),
    general("elasticity2D", [62., 48., 72., 49.], [62., 47., 59., 47.], [132., 265., 0.46], [0, 1]),
    general("elasticity3D", [466., 422., 525., 425.], [127., 61., 120., 61.], [358., 52., 2.2], [3, 1]),
    general("thermal2", [55., 57., 62., 57.], [37., 27., 34., 26.], [94., 11., 0.43], [61, 3]),
    general("atmosmodd", [46., 38., 54., 38.], [27., 17., 25., 16.], [80., 29., 0.46], [0, 1]),
    general("StocF-1465", [103., 101., 118., 102.], [92., 71., 89., 71.], [184., 24., 0.81], [28, 2]),
    general("af_shell10", [230., 173., 268., 175.], [200., 154., 195., 154.], [396., 372., 1.2], [0, 1]),
    general("Transport", [107., 69., 125., 70.], [50., 27., 46., 27.], [149., 37., 0.90], [0, 1]),
    general("Bump_2911", [664., 624., 757., 631.], [354., 250., 344., 251.], [751., 136., 3.7], [5, 2]),
    general(
        "Queen_4147",
        [1872., 1676., 2106., 1690.],
        [726., 472., 710., 469.],
        [1625., 253., 9.3],
        [11, 1],
    ),
];

/// The four solve rates in GFLOPS that the paper's text gives, for the 7-point grid 32 x 32 x 2048: value type,
/// CUS2, SLFC.
pub const STATED_GFLOPS: [(&str, f64, f64); 2] = [("S", 3.11, 3.05), ("D", 2.98, 2.84)];

/// The paper's name for a solver of ours or a peer.
pub fn name_in_paper(solver: &str) -> &str {
    if solver == "csrsv2" {
        "CUS2"
    } else {
        solver
    }
}

/// The general matrices' rows and entries as the paper lists them.
pub const SIZES: [(&str, usize, usize); 12] = [
    ("af_shell8", 504_855, 17_588_875),
    ("ecology2", 999_999, 4_995_991),
    ("webbase-1M", 1_000_005, 3_105_536),
    ("elasticity2D", 1_002_528, 14_012_744),
    ("elasticity3D", 1_029_000, 80_990_208),
    ("thermal2", 1_228_045, 8_580_313),
    ("atmosmodd", 1_270_432, 8_814_880),
    ("StocF-1465", 1_465_137, 21_005_389),
    ("af_shell10", 1_508_065, 52_672_325),
    ("Transport", 1_602_111, 23_500_731),
    ("Bump_2911", 2_911_419, 127_729_899),
    ("Queen_4147", 4_147_110, 329_499_284),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_implies_the_time_of_a_solve() {
        let (levr, [least, most]) = implied_solve(&GRIDS[0].cpu[0], "LEVR").unwrap();
        assert!((levr - 27.3).abs() < 0.1 && (least - 25.7).abs() < 0.1 && (most - 29.0).abs() < 0.1);
        assert_eq!(implied_solve(&GRIDS[0].cpu[0], "GSF"), None);
    }

    #[test]
    fn the_paper_lists_every_general_matrix() {
        for entry in crate::suites::lists::paper_general() {
            assert!(GENERAL.iter().any(|g| g.name == entry.name), "{}", entry.name);
        }
        assert_eq!(SIZES.map(|s| s.0), GENERAL.map(|g| g.name));
    }
}
