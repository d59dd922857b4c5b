//! Which probes are there, and what do their files say?
//!
//! A probe is a file in `probes/`: what it asks and in which suites. How an answer is judged is
//! code, one file per [`Ask`]; what is asked is data, so that users can add to it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};
use serde::Deserialize;
use serde_json::Value;

use super::user_tools::user_tools;
use super::{Seed, SuiteName};
use crate::ir::{Digest, ToolSpec};
use crate::prompted::Protocol;
use crate::tools::{Nonces, probes};

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/probes");

/// One file of `probes/`.
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbeFile {
    /// The question, in a sentence.
    pub about: String,
    /// The suites it belongs to.
    pub suites: Vec<SuiteName>,
    /// What the verdict sets in a profile, for people.
    #[serde(default)]
    pub sets: Vec<String>,
    /// Tools the probe needs beside the built-in ones, by name.
    #[serde(default)]
    pub tools: BTreeMap<String, ToolEntry>,
    /// What is asked.
    pub ask: Ask,
}

impl ProbeFile {
    /// Finds what the types cannot: calls of tools that nobody declares.
    fn check(&self) -> Result<(), String> {
        let built_in = probes::all(&Nonces::seeded(""));
        let known: Vec<String> = built_in.iter().map(|tool| tool.spec().name).collect();
        let unknown = self
            .ask
            .calls()
            .into_iter()
            .map(|call| &call.tool)
            .find(|tool| !known.contains(tool) && !self.tools.contains_key(*tool));
        unknown.map_or(Ok(()), |tool| {
            Err(format!(
                "tool '{tool}' is neither declared under [tools] nor built in; built in: {}",
                known.join(", ")
            ))
        })
    }
}

/// A tool that a probe file declares.
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolEntry {
    /// What the tool does, as the model reads it.
    pub description: String,
    /// JSON Schema of its arguments, as JSON text.
    pub schema: JsonText,
}

/// What is asked, and so how it is carried out and judged.
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Ask {
    /// The ladder: native tools, calls in text, taught protocols.
    BasicFormat(BasicFormat),
    /// One call per case, judged by its arguments.
    Call(Vec<CallCase>),
    /// A call, its result, and an answer that only the result makes possible.
    ClosedLoop(ClosedLoop),
    /// Several calls in one reply, and the switch that forbids it.
    Parallel(Calls),
    /// A call that fails, to be corrected.
    ErrorRepair(OneCall),
    /// The follow-up with its reasoning replayed faithfully and not.
    ReasoningReplay(OneCall),
    /// The streamed twins of other probes.
    Streaming(Twins),
    /// Trimmed and malformed histories.
    History(Calls),
    /// Tool choice, with thinking on and off.
    ToolChoice(OneCall),
    /// A question that needs no tool.
    NoCall(Question),
}

impl Ask {
    /// Every call that is asked for.
    fn calls(&self) -> Vec<&CallAsk> {
        match self {
            Self::BasicFormat(ask) => vec![&ask.call],
            Self::Call(cases) => cases.iter().map(|case| &case.call).collect(),
            Self::ClosedLoop(ask) => vec![&ask.call],
            Self::Parallel(ask) | Self::History(ask) => ask.calls.iter().collect(),
            Self::ErrorRepair(ask) | Self::ReasoningReplay(ask) | Self::ToolChoice(ask) => {
                vec![&ask.call]
            }
            Self::Streaming(_) | Self::NoCall(_) => Vec::new(),
        }
    }
}

/// A call to ask for.
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallAsk {
    /// A built-in tool or one of the file's own.
    pub tool: String,
    /// The arguments, as JSON text with placeholders.
    pub arguments: JsonText,
}

/// See [`Ask::BasicFormat`].
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BasicFormat {
    /// The call to ask for.
    pub call: CallAsk,
    /// The text protocols to teach where native tools do not work, best first.
    pub protocols: Vec<Protocol>,
}

/// See [`Ask::Call`].
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallCase {
    /// The case's name in results.
    pub id: String,
    /// The call to ask for.
    pub call: CallAsk,
    /// What counts as right.
    #[serde(default)]
    pub judge: CallJudge,
    /// How many other tools stand beside the one asked for.
    #[serde(default)]
    pub among: u32,
}

/// What counts as a right call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CallJudge {
    /// The arguments satisfy the tool's schema.
    #[default]
    Valid,
    /// The arguments are exactly those asked for.
    Exact,
}

/// See [`Ask::ClosedLoop`].
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClosedLoop {
    /// The call to ask for.
    pub call: CallAsk,
    /// What to do with the result.
    pub then: String,
    /// Characters of filler in the result, before and after what matters.
    #[serde(default)]
    pub filler: u32,
}

/// One call to ask for.
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OneCall {
    /// The call to ask for.
    pub call: CallAsk,
    /// What to do with the result.
    #[serde(default)]
    pub then: String,
}

/// Several calls to ask for at once.
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    /// The calls to ask for.
    pub calls: Vec<CallAsk>,
    /// What to do with the results.
    #[serde(default)]
    pub then: String,
}

/// See [`Ask::Streaming`].
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Twins {
    /// The probes to repeat in a stream.
    pub twins: Vec<String>,
}

/// See [`Ask::NoCall`].
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// What to ask; the tools are on offer.
    pub question: String,
}

/// JSON written as text inside a TOML file, where a schema reads better as JSON.
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct JsonText(pub Value);

impl TryFrom<String> for JsonText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        serde_json::from_str(&text).map(Self).map_err(|error| format!("not JSON: {error}"))
    }
}

/// A probe with the id its file name gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// The file's name without its ending: the one spelling of it everywhere.
    pub id: String,
    /// What the file says.
    pub file: ProbeFile,
}

impl Probe {
    /// The tools that the file declares.
    pub fn own_tools(&self) -> impl Iterator<Item = ToolSpec> + '_ {
        self.file.tools.iter().map(|(name, entry)| ToolSpec {
            name: name.clone(),
            description: entry.description.clone(),
            input_schema: entry.schema.0.clone(),
            strict: None,
        })
    }
}

/// The probes of a folder, and the hash that names their version.
#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    probes: Vec<Probe>,
    version: String,
    tools: Vec<ToolSpec>,
}

/// Why a folder is not a suite.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// A file could not be read.
    #[error("cannot read {path}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is not a probe.
    #[error("{path}: {problem}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, field and what is wrong.
        problem: String,
    },
    /// There is nothing to ask.
    #[error("no probe files (*.toml) in {path}; leave out --probes to use the built-in suite")]
    Empty {
        /// The folder.
        path: PathBuf,
    },
}

impl Suite {
    /// The suite built into the binary.
    pub fn embedded() -> Result<Self, SuiteError> {
        let files = EMBEDDED
            .files()
            .filter_map(|file| Some((file.path().to_path_buf(), file.contents_utf8()?.to_owned())));
        Self::from_files(Path::new("probes"), files.collect())
    }

    /// The suite in a folder of the user's.
    pub fn load(folder: &Path) -> Result<Self, SuiteError> {
        let read = |path: &Path, source| SuiteError::Read { path: path.to_path_buf(), source };
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(|source| read(folder, source))? {
            let path = entry.map_err(|source| read(folder, source))?.path();
            if path.extension().is_some_and(|ending| ending == "toml") {
                let text = fs::read_to_string(&path).map_err(|source| read(&path, source))?;
                files.push((path, text));
            }
        }
        Self::from_files(folder, files)
    }

    fn from_files(folder: &Path, mut files: Vec<(PathBuf, String)>) -> Result<Self, SuiteError> {
        files.sort();
        let mut content = String::new();
        let mut probes = Vec::new();
        for (path, text) in files {
            let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            content = format!("{content}{id}\0{text}\0");
            let malformed = |problem: String| SuiteError::Malformed { path: path.clone(), problem };
            let file: ProbeFile = toml::from_str(&text)
                .map_err(|error| malformed(error.to_string().trim_end().to_owned()))?;
            file.check().map_err(malformed)?;
            probes.push(Probe { id, file });
        }
        if probes.is_empty() {
            return Err(SuiteError::Empty { path: folder.to_path_buf() });
        }
        Ok(Self { probes, version: version(&content), tools: Vec::new() })
    }

    /// The suite with a probe of the user's own tools. What is asked is another suite then, and has
    /// a version of its own. Without tools it stays as it is.
    #[must_use]
    pub fn with_tools(mut self, tools: &[ToolSpec], seed: u64) -> Self {
        if tools.is_empty() {
            return self;
        }
        let mut content = self.version;
        for ToolSpec { name, description, input_schema, .. } in tools {
            content = format!("{content}\0{name}\0{description}\0{input_schema}");
        }
        self.version = version(&content);
        self.probes.push(user_tools(tools, &Seed::new(seed)));
        self.tools = tools.to_vec();
        self
    }

    /// The user's own tools that it asks for: what is needed to ask the same again.
    pub fn own_tools(&self) -> &[ToolSpec] {
        &self.tools
    }

    /// `tool-probe-v1+` and the start of the hash of all files.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The probes of one suite, by id.
    pub fn select(&self, name: SuiteName) -> impl Iterator<Item = &Probe> {
        self.probes.iter().filter(move |probe| probe.file.suites.contains(&name))
    }

    /// One probe by its id.
    pub fn probe(&self, id: &str) -> Option<&Probe> {
        self.probes.iter().find(|probe| probe.id == id)
    }
}

/// The name of a suite with this content.
fn version(content: &str) -> String {
    let digits: String = Digest::of(content).hex().chars().take(12).collect();
    format!("tool-probe-v1+{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(text: &str) -> Result<Suite, SuiteError> {
        Suite::from_files(Path::new("mine"), vec![("mine/my-probe.toml".into(), text.to_owned())])
    }

    #[test]
    fn the_eight_steps_are_the_standard_suite_and_two_of_them_the_light_one() {
        let suite = Suite::embedded().unwrap();
        let ids = |name| suite.select(name).map(|probe| probe.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(SuiteName::Light), ["basic-format", "closed-loop"]);
        let eight = [
            "basic-format",
            "closed-loop",
            "error-repair",
            "history",
            "parallel",
            "reasoning-replay",
            "schema",
            "streaming",
        ];
        assert_eq!(ids(SuiteName::Standard), eight);
        assert!(ids(SuiteName::Full).len() > eight.len());
    }

    #[test]
    fn the_version_names_the_content_of_the_suite() {
        let text = "about = 'a'\nsuites = ['full']\n[ask.no-call]\nquestion = 'q'\n";
        let (one, other) = (suite(text).unwrap(), suite(&text.replace("'q'", "'r'")).unwrap());
        assert_ne!(one.version(), other.version());
        let digits = one.version().strip_prefix("tool-probe-v1+").unwrap();
        assert!(digits.len() == 12 && digits.bytes().all(|b| b.is_ascii_hexdigit()), "{digits}");
    }

    #[test]
    fn a_malformed_file_is_named_with_line_and_field() {
        let error = suite("about = 'a'\nsuites = ['fulll']\n").unwrap_err().to_string();
        assert!(error.contains("mine/my-probe.toml"), "{error}");
        assert!(error.contains("line 2") && error.contains("fulll"), "{error}");
    }

    #[test]
    fn a_call_of_a_tool_that_nobody_declares_is_refused() {
        let text = "about = 'a'\nsuites = ['full']\n[ask.error-repair]\n\
                    call = { tool = 'probe_ehco', arguments = '{}' }\n";
        let error = suite(text).unwrap_err().to_string();
        assert!(error.contains("'probe_ehco'") && error.contains("probe_echo"), "{error}");
    }
}
