//! Committed data: each fixture says where it comes from, and no file holds a key.

use std::fs;

use crate::source::{files, read, root};

#[test]
fn every_fixture_says_where_its_bytes_come_from() {
    let words = ["recorded", "documented", "simulated", "invented"];
    let fixtures = root().join("fixtures");
    for file in files(&fixtures) {
        let name = file.strip_prefix(&fixtures).unwrap().to_string_lossy().into_owned();
        let text = read(&file);
        // A row with a word of its own each, one word for the file, or one in the folder's README.
        let claims: Vec<&str> = match file.extension().and_then(|it| it.to_str()) {
            Some("md") => continue,
            Some("jsonl") if name.starts_with("text/") => text.lines().collect(),
            Some("json" | "toml") if carries_its_own_word(&name) => vec![&text],
            _ => vec![],
        };
        for claim in &claims {
            let told = words.iter().any(|word| {
                claim.contains(&format!("\"provenance\": \"{word}\""))
                    || claim.contains(&format!("provenance = \"{word}\""))
            });
            assert!(told, "{name}: no provenance");
        }
        if claims.is_empty() {
            let (folder, beside) = (file.parent().unwrap(), file.with_extension("expect.json"));
            let told = beside.exists()
                || words.iter().any(|word| read(&folder.join("README.md")).contains(word));
            assert!(told, "{name}: neither its README nor an expectation tells");
        }
    }
}

fn carries_its_own_word(fixture: &str) -> bool {
    fixture.ends_with(".expect.json")
        || ["diff/", "models/", "transcripts/"].iter().any(|folder| fixture.starts_with(folder))
}

#[test]
fn no_credential_shape_is_committed_with_the_data() {
    for folder in ["fixtures", "profiles", "reports/sample", "probes", "ci"] {
        for file in files(&root().join(folder)) {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')) {
                assert!(!looks_like_a_key(word), "{}: {word}", file.display());
            }
        }
    }
}

#[test]
fn the_credential_guard_knows_the_common_shapes() {
    for key in [
        "sk-proj-abcdefghijklmnopqrstuvwx",
        "sk-ant-api03-abcdefghijklmnopqrst",
        "gsk_abcdefghijklmnopqrstuvwxyz",
        "AIzaSyAbcdefghijklmnopqrstuvwxyz0123456",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAABCDEFGHIJKLMNOP",
    ] {
        assert!(looks_like_a_key(key), "{key}");
    }
    assert!(!looks_like_a_key("sk-test"));
    assert!(!looks_like_a_key("skill-based-routing-of-things"));
}

/// The prefixes that providers give their keys, with what must at least follow.
fn looks_like_a_key(word: &str) -> bool {
    [("sk-", 20), ("gsk_", 20), ("xai-", 20), ("AIza", 30), ("ghp_", 30), ("hf_", 30), ("AKIA", 16)]
        .iter()
        .any(|(prefix, rest)| word.strip_prefix(prefix).is_some_and(|tail| tail.len() >= *rest))
}
