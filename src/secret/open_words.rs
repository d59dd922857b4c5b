//! Open words: what everybody knows is not secret, and blanking it would spoil the evidence.
//!
//! A header such as `x-title: toolprobe`, `x-suite: standard` or `x-tool: probe_echo` must not blank the words of the
//! protocols, of the suite and of the files that are written: replies could not be read any more, nor profiles. The
//! same goes for dates. Such a value is still never stored from where it was put.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The field names and fixed values of the protocols, of the suite and of stored files, one on each line.
static WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("open_words.txt").lines().collect());

/// Whether a value is known to everybody.
pub(super) fn is_open(value: &str) -> bool {
    WORDS.contains(value.to_ascii_lowercase().as_str()) || is_date(value)
}

/// `2026-11-18`, alone or before a time.
fn is_date(value: &str) -> bool {
    let (date, time) = value.split_at_checked(10).unwrap_or((value, ""));
    let fits = |(byte, place): (u8, u8)| match place {
        b'-' => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    let is_time = |byte: u8| byte.is_ascii_digit() || b"T:.+-Z ".contains(&byte);
    date.len() == 10 && date.bytes().zip(*b"0000-00-00").all(fits) && time.bytes().all(is_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_protocols_and_dates_are_open_and_passwords_are_not() {
        for open in ["probe_echo", "Tool_Calls", "toolprobe", "standard", "text/event-stream"] {
            assert!(is_open(open), "{open}");
        }
        for open in ["2026-11-18", "2026-11-18T04:00:00Z", "2026-11-18 04:00:00.5+01:00"] {
            assert!(is_open(open), "{open}");
        }
        for secret in ["probe_echo1", "letmeinplease", "20261118", "2026-11-18-token", "ab-26-11-1"]
        {
            assert!(!is_open(secret), "{secret}");
        }
    }
}
