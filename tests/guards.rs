//! Does the tree still keep the rules that no compiler checks?

#![expect(clippy::unwrap_used, reason = "a guard that cannot read the tree has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Which top-level modules a module may use: itself, and what stands here.
const ARROWS: &[(&str, &[&str])] = &[
    ("ir", &[]),
    ("suggest", &[]),
    ("wire", &[]),
    ("dialect", &["ir", "wire", "suggest"]),
    ("textcall", &["ir", "tools"]),
    ("prompted", &["ir"]),
    ("tools", &["ir"]),
    ("telemetry", &[]),
    ("transport", &["ir", "wire"]),
    (
        "conversation",
        &["ir", "wire", "dialect", "prompted", "telemetry", "textcall", "tools", "transport"],
    ),
    ("profile", &["ir", "dialect", "prompted", "telemetry"]),
    ("probe", &["ir", "dialect", "prompted", "telemetry", "tools", "conversation", "profile"]),
    ("store", &["ir", "dialect", "profile", "telemetry"]),
    ("regress", &["ir", "dialect", "textcall", "profile", "store", "telemetry", "suggest"]),
    ("sim", &["ir", "wire", "dialect", "prompted", "textcall", "profile"]),
    ("report", &["ir", "dialect", "profile", "store", "telemetry", "regress"]),
    (
        "target",
        &[
            "ir",
            "probe",
            "wire",
            "dialect",
            "transport",
            "conversation",
            "profile",
            "sim",
            "suggest",
        ],
    ),
    (
        "campaign",
        &[
            "ir",
            "dialect",
            "prompted",
            "transport",
            "conversation",
            "probe",
            "profile",
            "store",
            "target",
            "telemetry",
            "regress",
            "sim",
        ],
    ),
    (
        "replay",
        &[
            "ir",
            "wire",
            "sim",
            "regress",
            "dialect",
            "prompted",
            "transport",
            "conversation",
            "probe",
            "profile",
            "store",
            "target",
            "telemetry",
            "campaign",
        ],
    ),
];

#[test]
fn modules_depend_only_along_the_arrows() {
    let mut wrong = Vec::new();
    for (module, allowed) in ARROWS {
        for file in rust_files(&root().join("src").join(module)) {
            for (number, line) in production_lines(&read(&file)) {
                for used in used_modules(&line) {
                    if used != *module && !allowed.contains(&used.as_str()) {
                        wrong.push(format!("{}:{number} uses {used}", file.display()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "arrows broken:\n{}", wrong.join("\n"));
}

#[test]
fn every_module_has_its_arrows() {
    let known: BTreeSet<&str> = ARROWS.iter().map(|(module, _)| *module).collect();
    for entry in fs::read_dir(root().join("src")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let module = name.trim_end_matches(".rs");
        let exempt = ["cli", "lib", "main"].contains(&module);
        assert!(exempt || known.contains(module), "no arrows for src/{name}: add a row to ARROWS");
    }
}

#[test]
fn every_source_file_opens_with_the_question_it_answers() {
    for file in rust_files(&root().join("src")) {
        let text = read(&file);
        assert!(text.starts_with("//! "), "{} has no leading //! line", file.display());
    }
}

#[test]
fn sockets_are_opened_by_transport_and_sim_only() {
    let marks = ["reqwest", "TcpListener", "TcpStream", "axum::"];
    for file in rust_files(&root().join("src")) {
        let path = file.strip_prefix(root().join("src")).unwrap();
        // `testing.rs` files are compiled for tests only.
        if path.starts_with("transport") || path.starts_with("sim") || path.ends_with("testing.rs")
        {
            continue;
        }
        for (number, line) in production_lines(&read(&file)) {
            let code = line.split("//").next().unwrap_or_default();
            let found = marks.iter().find(|mark| code.contains(**mark));
            assert!(found.is_none(), "{}:{number} opens sockets: {line}", file.display());
        }
    }
}

#[test]
fn reqwest_appears_in_one_file() {
    let users: Vec<PathBuf> = rust_files(&root().join("src"))
        .into_iter()
        .filter(|file| read(file).lines().any(|line| line.contains("reqwest::")))
        .collect();
    assert_eq!(users, [root().join("src/transport/http.rs")]);
}

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

/// The modules a line imports or names by `crate::`.
fn used_modules(line: &str) -> Vec<String> {
    line.split("crate::")
        .skip(1)
        .map(|rest| rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect())
        .filter(|name: &String| ARROWS.iter().any(|(module, _)| module == name))
        .collect()
}

/// The numbered lines before the file's test module, comments left out.
fn production_lines(text: &str) -> Vec<(usize, String)> {
    text.lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"))
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(index, line)| (index + 1, line.to_owned()))
        .collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    files(folder).into_iter().filter(|file| file.extension().is_some_and(|e| e == "rs")).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Some(folder.with_extension("rs"))
            .filter(|file| file.is_file())
            .into_iter()
            .collect();
    };
    let mut found: Vec<PathBuf> = entries
        .flat_map(|entry| {
            let path = entry.unwrap().path();
            if path.is_dir() { files(&path) } else { vec![path] }
        })
        .collect();
    found.sort();
    found
}
