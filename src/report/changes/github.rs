//! Changes as annotations and as the summary of a job on GitHub.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use super::{Changes, change_line, changes_markdown};
use crate::regress::Level;
use crate::secret::scrub;

/// GitHub shows so many errors and warnings of a step.
const SHOWN: usize = 10;

/// The workflow commands that annotate the snapshots of what is denied, open or warned of.
pub(crate) fn changes_annotations(changes: &Changes<'_>) -> Vec<String> {
    let of = |command: &'static str, levels: &'static [Level]| {
        let entries = changes.entries.iter().filter(|entry| levels.contains(&entry.level()));
        entries.take(SHOWN).map(move |entry| {
            format!(
                "::{command} file={},line=1,title={}::{}",
                property(&changes.location(entry.change)),
                property(entry.change.code.as_str()),
                data(&change_line(entry))
            )
        })
    };
    of("error", &[Level::Deny]).chain(of("warning", &[Level::Inconclusive, Level::Warn])).collect()
}

/// Appends the changes to the summary of the job.
pub(crate) fn append_summary(file: &Path, changes: &Changes<'_>) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(file)?;
    writeln!(file, "{}", scrub(&changes_markdown(changes)))
}

/// Text after the command; it ends with the line.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_a_command_or_a_property() {
        assert_eq!(data("100 %\r\n::error::x"), "100 %25%0D%0A::error::x");
        assert_eq!(property("a,b=c::d\n"), "a%2Cb=c%3A%3Ad%0A");
    }
}
