//! Layout: headers of files, maps of modules, and how many files stand in a folder.

use std::collections::BTreeMap;
use std::path::Path;

use crate::source::{read, root, rust_files};

/// More files than this in one folder are looked for, not seen.
const FILES: usize = 20;

/// Folders with more files, and why.
const FAMILIES: &[(&str, &str)] = &[
    ("src/textcall/formats", "one file per text format"),
    ("src/cli", "one file per command"),
    ("tests/cli", "one file per command"),
];

#[test]
fn every_source_file_opens_with_a_header() {
    for file in rust_files(&root().join("src")) {
        assert!(read(&file).starts_with("//! "), "{} has no leading //! line", file.display());
    }
}

#[test]
fn no_folder_has_too_many_files() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for folder in ["src", "tests"] {
        for file in rust_files(&root().join(folder)) {
            *counts.entry(below_root(file.parent().unwrap())).or_default() += 1;
        }
    }
    let is_family = |folder: &str| FAMILIES.iter().any(|(known, _)| *known == folder);
    let full: Vec<_> =
        counts.iter().filter(|(folder, count)| **count > FILES && !is_family(folder)).collect();
    assert!(full.is_empty(), "more than {FILES} files in one folder: {full:?}");
    for (folder, why) in FAMILIES {
        assert!(counts[*folder] > FILES, "{folder} needs no exception ({why})");
    }
}

#[test]
fn no_module_map_has_links_that_lead_to_itself() {
    let files = rust_files(&root().join("src"));
    let wrong: Vec<String> = files
        .iter()
        .filter(|file| read(file).contains("](self)"))
        .map(|file| below_root(file))
        .collect();
    assert!(wrong.is_empty(), "write `x` or [`crate::x`] instead of [`x`](self): {wrong:#?}");
}

fn below_root(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned()
}
