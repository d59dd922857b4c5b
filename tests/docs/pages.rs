//! The pages of the documentation, and the code blocks in them.

use std::fs;
use std::path::PathBuf;

use crate::root;

/// A page, as Markdown.
pub(crate) struct Page {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// A fenced block, with the comment on the line before it.
pub(crate) struct Block<'a> {
    pub(crate) language: &'a str,
    /// The file that the comment names: `<!-- file: NAME -->`.
    pub(crate) file: Option<&'a str>,
    /// The capture that the comment names: `<!-- reports/sample/NAME -->`.
    pub(crate) capture: Option<&'a str>,
    /// Where in the page the body begins.
    pub(crate) start: usize,
    pub(crate) body: &'a str,
}

pub(crate) fn all() -> Vec<Page> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.push(root().join("README.md"));
    paths.sort();
    paths.into_iter().map(Page::read).collect()
}

/// The page `docs/NAME.md`.
pub(crate) fn named(name: &str) -> Page {
    Page::read(root().join("docs").join(name).with_extension("md"))
}

impl Page {
    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).unwrap();
        Self { path, text }
    }

    pub(crate) fn blocks(&self) -> Vec<Block<'_>> {
        let mut fences = self
            .text
            .match_indices("```")
            .filter(|(at, _)| *at == 0 || self.text[..*at].ends_with('\n'));
        let mut blocks = Vec::new();
        while let (Some((opened, _)), Some((closed, _))) = (fences.next(), fences.next()) {
            let (language, body) = self.text[opened + 3..closed].split_once('\n').unwrap();
            let comment = comment_before(&self.text[..opened]);
            let file = comment.and_then(|it| it.strip_prefix("file: "));
            let capture = comment.and_then(|it| it.strip_prefix("reports/sample/"));
            let start = closed - body.len();
            blocks.push(Block { language, file, capture, start, body });
        }
        blocks
    }

    /// The page without its code blocks.
    pub(crate) fn prose(&self) -> String {
        let blocks = self.blocks();
        blocks.iter().fold(self.text.clone(), |text, block| text.replacen(block.body, "", 1))
    }
}

fn comment_before(text: &str) -> Option<&str> {
    let line = text.lines().next_back()?;
    line.strip_prefix("<!-- ")?.strip_suffix(" -->")
}

#[test]
fn every_toml_example_is_read_by_toolprobe() {
    for page in all() {
        for block in page.blocks().iter().filter(|block| block.language == "toml") {
            let name =
                block.file.unwrap_or_else(|| panic!("{}: no file named", page.path.display()));
            if let Err(problem) = check_toml(name, block.body) {
                panic!("{}: {name}: {problem}", page.path.display());
            }
        }
    }
}

/// Whether the command that reads files of this name takes the text.
fn check_toml(name: &str, body: &str) -> Result<(), String> {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, body).unwrap();
    let transcript = root().join("fixtures/transcripts/openai-native.json");
    let arguments: Vec<&str> = match name.split('/').next().unwrap() {
        "toolprobe.toml" => vec!["run", "--dry-run"],
        "toolprobe-policy.toml" => vec!["replay", transcript.to_str().unwrap()],
        "models" => vec!["run", "--dry-run", "--models", "models"],
        "probes" => vec!["run", "--dry-run", "--probes", "probes", "openai-native"],
        "prices.toml" => {
            let light =
                ["run", "openai-native", "--suite", "light", "--trials", "1", "--confirm", "off"];
            [&light[..], &["--max-cost", "1", "--prices", "prices.toml"]].concat()
        }
        _ => return Err("no command is known that reads it".to_owned()),
    };
    let mut command = crate::reproducible(env!("CARGO_BIN_EXE_toolprobe"), scratch.path());
    let output = command.args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(errors) }
}

#[test]
fn every_json_example_is_json() {
    for page in all() {
        for block in page.blocks().iter().filter(|block| block.language == "json") {
            let read = serde_json::from_str::<serde_json::Value>(block.body);
            assert!(read.is_ok(), "{}: {read:?}", page.path.display());
        }
    }
}
