//! Links from a page to the evidence of a run.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::ir::Digest;
use crate::store::{Evidence, RunFolder};

/// What cannot stand in the path of a relative link.
pub(super) const UNSAFE: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'%').add(b'#').add(b'?').add(b'<').add(b'>').add(b':');

/// Links from a page to the evidence of a run.
#[derive(Debug)]
pub struct EvidenceLinks {
    evidence: Evidence,
    base: String,
}

impl EvidenceLinks {
    /// Relative links from a page that is written to this file; without a file, from the run's own
    /// folder. The page's folder is created if it is missing: a relative path needs it.
    pub fn from_page(run: &RunFolder, page: Option<&Path>) -> io::Result<Self> {
        let evidence = run.evidence();
        let Some(page) = page else { return Ok(Self { evidence, base: String::new() }) };
        let folder = match page.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        fs::create_dir_all(folder)?;
        let steps = steps(&folder.canonicalize()?, &run.path().canonicalize()?);
        let mut base = String::new();
        for step in steps {
            base.extend(utf8_percent_encode(&step, UNSAFE));
            base.push('/');
        }
        Ok(Self { evidence, base })
    }

    /// The link to a record; `None` where it is not kept.
    pub(super) fn to(&self, digest: &Digest) -> Option<String> {
        self.evidence.file_name(digest).map(|name| format!("{}evidence/{name}", self.base))
    }
}

/// The relative path from one absolute folder to another.
fn steps(from: &Path, to: &Path) -> Vec<String> {
    let parts = |path: &Path| -> Vec<PathBuf> {
        path.components()
            .filter(|part| matches!(part, Component::Normal(_)))
            .map(|part| PathBuf::from(part.as_os_str()))
            .collect()
    };
    let (from, to) = (parts(from), parts(to));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from.iter().skip(shared).map(|_| "..".to_owned());
    let down = to.iter().skip(shared).map(|part| part.to_string_lossy().into_owned());
    up.chain(down).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::keep_exchange;

    #[test]
    fn the_way_between_folders_goes_up_and_down() {
        for (from, to, expected) in [
            ("/a/reports/run", "/a/reports/run", ""),
            ("/a", "/a/reports/run", "reports/run"),
            ("/a/pages/today", "/a/reports/run", "../../reports/run"),
            ("/x", "/a/run", "../a/run"),
        ] {
            assert_eq!(steps(Path::new(from), Path::new(to)).join("/"), expected, "{from}");
        }
    }

    #[test]
    fn only_records_that_are_kept_are_linked() {
        let dir = tempfile::tempdir().unwrap();
        let reports = dir.path().join("re ports");
        let run = RunFolder::create(&reports, chrono::DateTime::UNIX_EPOCH).unwrap();
        let (kept, lost) = (keep_exchange(&run, "acme"), Digest::of("lost"));
        let page = dir.path().join("new folder/page.html");
        let links = EvidenceLinks::from_page(&run, Some(&page)).unwrap();
        let expected = "../re%20ports/19700101T000000Z/evidence/acme.jsonl";
        assert_eq!(links.to(&kept).as_deref(), Some(expected));
        assert_eq!(links.to(&lost), None);
        let beside = EvidenceLinks::from_page(&run, None).unwrap().to(&kept).unwrap();
        assert_eq!(beside, "evidence/acme.jsonl");
    }
}
