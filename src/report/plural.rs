//! Numbers with the noun they count.

/// `1 target`, `2 targets`.
pub(crate) fn plural(count: impl TryInto<u64>, noun: &str) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        let shown = [0_u64, 1, 2].map(|count| plural(count, "request"));
        assert_eq!(shown, ["0 requests", "1 request", "2 requests"]);
    }
}
