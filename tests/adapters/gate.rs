//! `toolprobe gate --adapter` as a function.

use std::process::Command;

use serde_json::Value;

/// What is asked of an adapter.
pub(crate) struct Asked<'a> {
    pub(crate) dialect: &'a str,
    pub(crate) models: &'a [String],
    pub(crate) suite: &'a str,
    /// Streams at once.
    pub(crate) streams: usize,
    /// Whether verdicts stay open.
    pub(crate) incomplete: bool,
}

/// What the gate found.
pub(crate) struct Found(Value);

impl Found {
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Value> {
        self.0["rulings"].as_array().unwrap().iter()
    }

    pub(crate) fn codes(&self) -> Vec<String> {
        self.rows().map(|row| row["code"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn text(&self) -> String {
        let line = |row: &Value| {
            let also: Vec<&str> = row["also"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|it| it["field"].as_str())
                .collect();
            format!(
                "    {} {} {} {} -> {} ({}) also {also:?}",
                row["effect"], row["code"], row["field"], row["old"], row["new"], row["models"]
            )
        };
        self.rows().map(line).collect::<Vec<_>>().join("\n")
    }
}

pub(crate) fn gate(url: &str, asked: &Asked<'_>) -> Found {
    let dir = tempfile::tempdir().unwrap();
    let models = asked.models.join(",");
    let streams = asked.streams.to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_toolprobe"))
        .args(["gate", "--adapter", url, "--dialect", asked.dialect, "--model", &models])
        .args(["--suite", asked.suite, "--trials", "1", "--confirm", "off", "--format", "json"])
        .args(["--streams", &streams])
        .env_clear()
        .current_dir(dir.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let as_told = match output.status.code() {
        Some(3) => asked.incomplete,
        Some(0 | 1) => !asked.incomplete,
        _ => false,
    };
    assert!(as_told, "{said}{errors}");
    assert!(!errors.contains("not compared") && !said.contains("not compared"), "{said}{errors}");
    Found(serde_json::from_str(&said).unwrap())
}
