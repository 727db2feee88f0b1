//! Numbers of the command line: read, refused and printed in words.

use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;
use std::time::Duration;

use crate::base::Result;

/// Reads a whole number.
pub fn whole<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T> {
    text.parse().map_err(|e: ParseIntError| match e.kind() {
        IntErrorKind::PosOverflow => format!("'{text}' is too large"),
        _ => format!("'{text}' is not a whole number"),
    })
}

/// Reads a number of seconds, which may turn out to be none that `duration` knows.
pub fn seconds(text: &str) -> Result<f64> {
    text.parse().map_err(|_| format!("'{text}' is not a number of seconds"))
}

/// So many seconds, of which `what` is to be.
pub fn duration(what: &str, seconds: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("there is no {what} of {seconds} seconds"))
}

/// A count and what is counted, as "1 row" or "2 rows".
pub fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// Milliseconds with three digits that matter.
pub fn ms(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v if v >= 0.1 => format!("{v:.3}"),
        v => format!("{v:.4}"),
    }
}

/// A count in thousands or millions.
pub fn count(value: usize) -> String {
    match value {
        v if v >= 10_000_000 => format!("{:.1}M", v as f64 * 1e-6),
        v if v >= 1_000_000 => format!("{:.2}M", v as f64 * 1e-6),
        v if v >= 10_000 => format!("{:.0}k", v as f64 * 1e-3),
        v => v.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_refused_in_words() {
        assert_eq!(whole("12"), Ok(12u32));
        for (text, words) in [
            ("a", "'a' is not a whole number"),
            ("", "'' is not a whole number"),
            ("-1", "'-1' is not a whole number"),
            ("1.5", "'1.5' is not a whole number"),
            ("4294967296", "'4294967296' is too large"),
        ] {
            assert_eq!(whole::<u32>(text), Err(words.to_string()));
        }
        assert_eq!(seconds("0.5"), Ok(0.5));
        assert_eq!(seconds("abc"), Err("'abc' is not a number of seconds".to_string()));
        assert_eq!(duration("effort", 0.5), Ok(Duration::from_millis(500)));
        for (seconds, words) in [(-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
            let message = duration("effort", seconds).unwrap_err();
            assert_eq!(message, format!("there is no effort of {words} seconds"));
        }
    }

    #[test]
    fn one_is_not_several() {
        let entries = [0, 1, 2].map(|count| counted(count, "entry", "entries"));
        assert_eq!(entries, ["0 entries", "1 entry", "2 entries"]);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [ms(0.01234), ms(0.1234), ms(1.234), ms(12.34), ms(1234.0)],
            ["0.0123", "0.123", "1.23", "12.3", "1234"]
        );
        assert_eq!(
            [count(999), count(16_447), count(1_048_576), count(164_000_000)],
            ["999", "16k", "1.05M", "164.0M"]
        );
    }
}
