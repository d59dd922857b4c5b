//! Suggestions for unknown names: which known name was probably meant?

/// How alike two names must be: high enough that `qqqq` gets no advice, low enough for two typing
/// errors in a short word.
const ALIKE: f64 = 0.8;

/// The known name nearest to an unknown one.
fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(wrong, name), name))
        .filter(|(score, _)| *score > ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// `; did you mean 'name'?`, to end a message that names the wrong one; empty if none is near.
pub(crate) fn did_you_mean<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(wrong, known).map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 3] = ["parallel-lost", "parallel-gained", "native-lost"];

    #[test]
    fn a_typing_error_leads_to_the_name_that_was_meant() {
        assert_eq!(nearest("paralell-lost", KNOWN), Some("parallel-lost"));
        assert_eq!(did_you_mean("nativelost", KNOWN), "; did you mean 'native-lost'?");
    }

    #[test]
    fn a_name_like_no_other_gets_no_advice() {
        assert_eq!(nearest("qqqq", KNOWN), None);
        assert_eq!(did_you_mean("qqqq", KNOWN), "");
    }
}
