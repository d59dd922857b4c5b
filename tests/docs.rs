//! Do README and `docs/` still say what is true?

#![expect(clippy::unwrap_used, reason = "a page that cannot be read is a failure")]

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn the_captures_on_the_front_page_are_those_that_are_kept() {
    let readme = read(&root().join("README.md"));
    let mut shown = 0;
    for capture in readme.split("<!-- reports/sample/").skip(1) {
        let (file, rest) = capture.split_once(" -->").unwrap();
        let block = rest.split("```").nth(1).unwrap().strip_prefix("text\n").unwrap();
        let kept = read(&root().join("reports/sample").join(file));
        assert_eq!(block.trim_end(), kept.trim_end(), "{file}: run ci/sample");
        shown += 1;
    }
    assert!(shown > 0, "the front page shows no capture");
}

#[test]
fn the_front_page_tells_of_every_probe_of_the_standard_suite() {
    let readme = read(&root().join("README.md"));
    for file in files(&root().join("probes")) {
        let is_standard =
            read(&file).lines().any(|l| l.starts_with("suites") && l.contains("standard"));
        let id = file.file_stem().unwrap().to_str().unwrap();
        assert!(!is_standard || readme.contains(&format!("| `{id}` |")), "README lacks {id}");
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}
