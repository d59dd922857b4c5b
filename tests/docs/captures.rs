//! The output kept in `reports/sample`: is it what is printed today, and do the pages show it?

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::session::{same, shorten};
use crate::{pages, reproducible, root, toolprobe, writing};

/// A dozen simulated models that show what can be told of a model.
const DOZEN: [&str; 12] = [
    "openai-native",
    "anthropic-native",
    "gemini-3-signatures",
    "deepseek-v4-thinking",
    "qwen3-coder-xml",
    "taught-tool-call",
    "one-call",
    "truncated-stream",
    "enum-ignorer",
    "repairs-half",
    "ignores-results",
    "talks-only",
];

#[test]
fn the_kept_table_and_profile_are_what_a_run_gives() {
    let scratch = tempfile::tempdir().unwrap();
    let table = toolprobe(scratch.path(), &[&["run", "--quiet"][..], &DOZEN].concat());
    keep_or_compare("run.txt", &table);
    let profiles = scratch.path().join("reports/20251116T000000Z/profiles");
    let mut files = fs::read_dir(profiles).unwrap().map(|entry| entry.unwrap().path());
    let profile = files.find(|path| path.to_str().unwrap().contains("qwen3-coder-xml")).unwrap();
    keep_or_compare("qwen3-coder-xml.json", &fs::read_to_string(profile).unwrap());
}

#[test]
fn the_kept_verdict_table_is_what_a_probe_prints() {
    let scratch = tempfile::tempdir().unwrap();
    let mut server = reproducible(env!("CARGO_BIN_EXE_toolprobe"), scratch.path())
        .args(["sim", "--addr", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let url = url.trim();
    let arguments = ["probe", "--quiet", url, "--model", "deepseek-v4-thinking"];
    let table = toolprobe(scratch.path(), &arguments).replace(url, "http://127.0.0.1:8089");
    server.kill().unwrap();
    server.wait().unwrap();
    keep_or_compare("probe.txt", &table);
}

#[test]
fn the_kept_gate_is_what_a_run_of_a_changed_model_prints() {
    let scratch = tempfile::tempdir().unwrap();
    let models = scratch.path().join("changed");
    fs::create_dir(&models).unwrap();
    let model = fs::read_to_string(root().join("fixtures/models/openai-native.toml")).unwrap();
    let changed = model.replace("[profile]", "quirks = [\"one-call\"]\n\n[profile]");
    fs::write(models.join("openai-native.toml"), changed).unwrap();
    let profiles = root().join("profiles");
    let arguments = ["run", "--models", "changed", "--profiles", profiles.to_str().unwrap()];
    let printed = toolprobe(scratch.path(), &[&arguments[..], &["openai-native"]].concat());
    let gate =
        printed.split_once("\ngate: ").unwrap().1.replace(profiles.to_str().unwrap(), "profiles");
    keep_or_compare("gate.txt", &shorten(&format!("gate: {gate}")));
}

fn keep_or_compare(name: &str, printed: &str) {
    let file = root().join("reports/sample").join(name);
    if writing() {
        fs::write(&file, printed).unwrap();
        show_anew(name, printed);
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        same(&kept, printed),
        "reports/sample/{name}: run ci/sample; printed today:\n{printed}"
    );
}

/// Writes a capture into the pages that show it.
fn show_anew(name: &str, printed: &str) {
    for page in pages::all() {
        let blocks = page.blocks();
        let Some(block) = blocks.iter().find(|it| it.capture == Some(name)) else { continue };
        let (before, rest) = page.text.split_at(block.start);
        let after = &rest[block.body.len()..];
        fs::write(&page.path, format!("{before}{}\n{after}", printed.trim_end())).unwrap();
    }
}

#[test]
fn pages_show_the_captures_as_they_are_kept() {
    let mut shown = 0;
    for page in pages::all() {
        for block in page.blocks() {
            let Some(name) = block.capture else { continue };
            let kept = fs::read_to_string(root().join("reports/sample").join(name)).unwrap();
            let is_current = block.body.trim_end() == kept.trim_end();
            assert!(is_current || writing(), "{name}: run ci/sample");
            shown += 1;
        }
    }
    assert!(shown > 0, "no page shows a capture");
}
