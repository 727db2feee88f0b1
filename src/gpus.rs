//! The table of GPUs. All times of the model were measured on an H200. On another GPU each kind of time is multiplied by its factor.
#![forbid(unsafe_code)]

/// How fast a GPU is, compared with an H200.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    pub multiprocessors: u32,
    /// The factor of times that go by the clock: launches, levels, hops, steps of a batch.
    pub steps: f64,
    /// The factor of times that go by the bandwidth of memory: rows, entries, copies.
    pub memory: f64,
    /// The factor of what the cache holds.
    pub cache: f64,
}

impl Default for Speed {
    fn default() -> Self {
        H200
    }
}

/// What a driver tells of a GPU: its clock in MHz, the bandwidth of its memory in GB/s, what its cache holds in bytes. 0 is unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traits {
    pub multiprocessors: u32,
    pub megahertz: f64,
    pub bandwidth: f64,
    pub cache: f64,
}

const H200: Speed = Speed { multiprocessors: 132, steps: 1.0, memory: 1.0, cache: 1.0 };
const H200_TRAITS: Traits =
    Traits { multiprocessors: 132, megahertz: 1980.0, bandwidth: 4800.0, cache: 60e6 };

/// GPUs that were measured, by words of their names. Streams of an H100 took 1.26 times as long, its levels as long.
const MEASURED: [(&str, Speed); 2] =
    [("H200", H200), ("H100 80GB HBM3", Speed { memory: 1.26, cache: 0.83, ..H200 })];

impl Speed {
    /// That of a GPU whose name is in the table, or else by its traits.
    pub fn of(name: &str, traits: Traits) -> Speed {
        let multiprocessors = traits.multiprocessors.max(1);
        if let Some((_, measured)) = MEASURED.iter().find(|(words, _)| has_words(name, words)) {
            return Speed { multiprocessors, ..*measured };
        }
        let ratio = |a: f64, b: f64| if a > 0.0 && b > 0.0 { a / b } else { 1.0 };
        Speed {
            multiprocessors,
            steps: ratio(H200_TRAITS.megahertz, traits.megahertz),
            memory: ratio(H200_TRAITS.bandwidth, traits.bandwidth),
            cache: ratio(traits.cache, H200_TRAITS.cache),
        }
    }
}

/// Whether the words stand in the name, as whole ones: a GH200 is no H200.
fn has_words(name: &str, words: &str) -> bool {
    format!(" {name} ").contains(&format!(" {words} "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_gpus_come_first_and_others_go_by_their_traits() {
        let part = Traits { multiprocessors: 60, ..H200_TRAITS };
        assert_eq!(Speed::of("NVIDIA H200", H200_TRAITS), Speed::default());
        assert_eq!(Speed::of("NVIDIA H200 MIG 3g.71gb", part), Speed { multiprocessors: 60, ..H200 });
        assert_eq!(Speed::of("NVIDIA H100 80GB HBM3", H200_TRAITS).memory, 1.26);
        let slower = Traits { bandwidth: 4000.0, ..H200_TRAITS };
        assert_eq!(Speed::of("NVIDIA GH200 480GB", slower).memory, 1.2);
        let other = Traits { multiprocessors: 108, megahertz: 1410.0, bandwidth: 1555.0, cache: 40e6 };
        let speed = Speed::of("NVIDIA A100-SXM4-40GB", other);
        assert!((speed.steps - 1.404).abs() < 1e-3 && (speed.memory - 3.087).abs() < 1e-3, "{speed:?}");
        assert!(speed.multiprocessors == 108 && (speed.cache - 2.0 / 3.0).abs() < 1e-9);
        // A driver may tell nothing of its clocks.
        let unknown = Speed::of("GPU", Traits { multiprocessors: 132, ..Traits::default() });
        assert_eq!(unknown, Speed::default());
    }
}
