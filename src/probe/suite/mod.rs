//! Suites and probe files: which probes are there, and what do they ask?
//!
//! A probe is a file in `probes/`: what it asks and in which suites. How an answer is judged is
//! code, one file per kind; what is asked is data, so that users can add to it.
//!
//! - `user_tools`, `example`: the probe of the user's own tools, and arguments for it

mod example;
mod user_tools;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, fs};

use include_dir::{Dir, File, include_dir};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

use super::kind::{Kind, ProbeKind, Question};
use super::kinds::KINDS;
use super::{Seed, SuiteName, Wanted, ask_for, fill, meaning};
use crate::ir::ToolSpec;
use crate::profile::{Manner, Mode};
use crate::tools::{Nonces, probes};

use user_tools::user_tools;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/probes");

/// The built-in probe that climbs the ladder. A suite without such a probe gets this one, because no
/// other probe can be asked, or compared with anything, before it is known how calls arrive.
const LADDER: &str = "basic-format.toml";

/// Room for a call or an answer, with some thinking before it.
fn default_max_tokens() -> u64 {
    4096
}

/// One file of `probes/`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbeFile {
    /// The question, in a sentence.
    pub about: String,
    /// The suites it belongs to.
    pub suites: Vec<SuiteName>,
    /// What the verdict sets in a profile, for people.
    #[serde(default)]
    pub sets: Vec<String>,
    /// The most tokens that a reply may have.
    #[serde(default = "default_max_tokens")]
    pub max_tokens: u64,
    /// Tools the probe needs beside the built-in ones, by name.
    #[serde(default)]
    pub(crate) tools: BTreeMap<String, ToolEntry>,
    /// What is asked.
    pub(crate) ask: Ask,
}

impl ProbeFile {
    /// Reads a probe file and the question in it; the error names line and field.
    pub(crate) fn read(text: &str) -> Result<(Self, Arc<dyn Question>), String> {
        let problem = |error: toml::de::Error| error.to_string().trim_end().to_owned();
        let file: Self = toml::from_str(text).map_err(problem)?;
        let question = (file.ask.0.read)(text).map_err(problem)?;
        file.check(&*question)?;
        Ok((file, question))
    }

    /// Finds what the types cannot: calls of tools that nobody declares.
    fn check(&self, question: &dyn Question) -> Result<(), String> {
        let built_in = probes::all(&Nonces::seeded(""));
        let known: Vec<String> = built_in.iter().map(|tool| tool.spec().name).collect();
        let unknown = question
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

/// The kind that stands after `[ask.`. The question itself is read by the kind.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "BTreeMap<String, toml::Value>")]
pub(crate) struct Ask(&'static Kind);

impl Ask {
    pub(crate) const fn of<K: ProbeKind>() -> Self {
        Self(const { &Kind::of::<K>() })
    }
}

impl TryFrom<BTreeMap<String, toml::Value>> for Ask {
    type Error = String;

    fn try_from(table: BTreeMap<String, toml::Value>) -> Result<Self, String> {
        let names = KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
        let mut given = table.keys();
        let (Some(name), None) = (given.next(), given.next()) else {
            return Err(format!("[ask] takes exactly one kind of probe, one of: {names}"));
        };
        let kind = KINDS.iter().find(|kind| kind.name == name);
        kind.map(Self)
            .ok_or_else(|| format!("unknown kind of probe '{name}' under [ask]; one of: {names}"))
    }
}

impl fmt::Debug for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl JsonSchema for Ask {
    fn schema_name() -> Cow<'static, str> {
        "Ask".into()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        let of_kind = |kind: &Kind| {
            json!({
                "type": "object",
                "properties": {kind.name: (kind.schema)(schemas)},
                "required": [kind.name],
                "additionalProperties": false,
            })
        };
        let kinds: Vec<Value> = KINDS.iter().map(of_kind).collect();
        json_schema!({"description": "What is asked, and so how it is judged.", "oneOf": kinds})
    }
}

/// A tool that a probe file declares.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolEntry {
    /// What the tool does, as the model reads it.
    pub(crate) description: String,
    /// JSON Schema of its arguments, as JSON text.
    pub(crate) schema: JsonText,
}

/// A call to ask for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallAsk {
    /// A built-in tool or one of the file's own.
    pub(crate) tool: String,
    /// The arguments, as JSON text with placeholders.
    pub(crate) arguments: JsonText,
}

impl CallAsk {
    /// The call with a trial's values.
    pub(crate) fn fill(&self, seed: &Seed) -> Wanted {
        let arguments = fill(&self.arguments.0, &seed.child(&self.tool));
        Wanted { tool: self.tool.clone(), arguments }
    }
}

/// One call to ask for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneCall {
    /// The call to ask for.
    pub(crate) call: CallAsk,
    /// What to do with the result.
    #[serde(default)]
    pub(crate) then: String,
}

impl OneCall {
    /// The words that ask for the call and what follows it.
    pub(crate) fn words(&self, wanted: &Wanted) -> String {
        format!("{}\n\n{}", ask_for(std::slice::from_ref(wanted)), self.then)
    }
}

/// Several calls to ask for at once.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Calls {
    /// The calls to ask for.
    pub(crate) calls: Vec<CallAsk>,
    /// What to do with the results.
    #[serde(default)]
    pub(crate) then: String,
}

impl Calls {
    /// The calls with a trial's values.
    pub(crate) fn fill(&self, seed: &Seed) -> Vec<Wanted> {
        self.calls.iter().map(|call| call.fill(seed)).collect()
    }
}

/// JSON written as text inside a TOML file, where a schema reads better as JSON.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub(crate) struct JsonText(pub(crate) Value);

impl TryFrom<String> for JsonText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        serde_json::from_str(&text).map(Self).map_err(|error| format!("not JSON: {error}"))
    }
}

/// A probe with the id its file name gives it.
#[derive(Debug, Clone)]
pub struct Probe {
    /// The file's name without its ending: the one spelling of it everywhere.
    pub id: String,
    /// What the file says.
    pub file: ProbeFile,
    /// What it asks.
    pub(crate) question: Arc<dyn Question>,
    /// Its kind and a hash of what it asks.
    pub hash: String,
}

impl Probe {
    /// Reads a probe file; the error names line and field.
    pub(crate) fn read(id: &str, text: &str) -> Result<Self, String> {
        let (file, question) = ProbeFile::read(text)?;
        let hash = meaning::of_file(file.ask.0.name, text).map_err(|error| error.to_string())?;
        Ok(Self { id: id.to_owned(), file, question, hash })
    }

    /// Whether it climbs the ladder, which finds out how tools are delivered.
    pub fn climbs(&self) -> bool {
        self.question.ladder().is_some()
    }

    /// The probe with only one of its cases, where it has a list of them.
    pub(crate) fn narrow(&self, case: &str) -> Self {
        Self { question: self.question.narrow(case), ..self.clone() }
    }

    /// The ids of the probes that it repeats in a stream.
    pub fn twins(&self) -> Vec<&str> {
        self.question.twins()
    }

    /// Whether it is asked in this mode: without streams, nothing is repeated in one.
    pub fn is_asked(&self, mode: Mode) -> bool {
        mode != Mode::Plain || self.twins().is_empty()
    }

    /// The tools that the file declares.
    pub fn own_tools(&self) -> impl Iterator<Item = ToolSpec> + '_ {
        self.file.tools.iter().map(|(name, entry)| {
            ToolSpec::new(name.clone(), entry.description.clone(), entry.schema.0.clone())
        })
    }
}

/// The probes of a folder, and the hash that names their version.
#[derive(Debug, Clone)]
pub struct Suite {
    probes: Vec<Probe>,
    version: String,
    tools: Vec<ToolSpec>,
    manner: Manner,
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
    /// None of the probes belongs to the suite.
    #[error(
        "no probe belongs to the suite '{}'; add it to the `suites` of one of: {probes}",
        .name.as_str()
    )]
    NothingAsked {
        /// The suite.
        name: SuiteName,
        /// The ids of the probes that there are.
        probes: String,
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
        let mut probes = Vec::new();
        for (path, text) in files {
            let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let malformed = |problem: String| SuiteError::Malformed { path: path.clone(), problem };
            probes.push(Probe::read(&id, &text).map_err(malformed)?);
        }
        if probes.is_empty() {
            return Err(SuiteError::Empty { path: folder.to_path_buf() });
        }
        if !probes.iter().any(Probe::climbs)
            && let Some(text) = EMBEDDED.get_file(LADDER).and_then(File::contents_utf8)
        {
            let malformed = |problem| SuiteError::Malformed { path: LADDER.into(), problem };
            let mut ladder = Probe::read("basic-format", text).map_err(malformed)?;
            ladder.file.suites.clear();
            probes.push(ladder);
        }
        let (version, tools, manner) = (version(&probes), Vec::new(), Manner::default());
        Ok(Self { probes, version, tools, manner })
    }

    /// The suite with a probe of the user's own tools. What is asked is another suite then, and has
    /// a version of its own. Without tools it stays as it is.
    #[must_use]
    pub fn with_tools(mut self, tools: &[ToolSpec], seed: u64) -> Self {
        if tools.is_empty() {
            return self;
        }
        self.probes.push(user_tools(tools, &Seed::new(seed)));
        self.version = version(&self.probes);
        self.tools = tools.to_vec();
        self
    }

    /// The suite, to be asked in this manner.
    #[must_use]
    pub fn in_manner(self, manner: Manner) -> Self {
        Self { manner, ..self }
    }

    /// How it is asked.
    pub fn manner(&self) -> Manner {
        self.manner
    }

    /// The user's own tools that it asks for: what is needed to ask the same again.
    pub fn own_tools(&self) -> &[ToolSpec] {
        &self.tools
    }

    /// `tool-probe-v1+` and the start of a hash of what all probes ask.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The probes of one suite, by id, and the one that climbs the ladder.
    pub fn select(&self, name: SuiteName) -> impl Iterator<Item = &Probe> {
        self.probes.iter().filter(move |probe| probe.climbs() || probe.file.suites.contains(&name))
    }

    /// Refuses a suite that no probe belongs to.
    pub fn check(&self, name: SuiteName) -> Result<(), SuiteError> {
        if self.probes.iter().any(|probe| probe.file.suites.contains(&name)) {
            return Ok(());
        }
        let named = self.probes.iter().filter(|probe| !probe.file.suites.is_empty());
        let probes = named.map(|probe| probe.id.as_str()).collect::<Vec<_>>().join(", ");
        Err(SuiteError::NothingAsked { name, probes })
    }

    /// One probe by its id.
    pub fn probe(&self, id: &str) -> Option<&Probe> {
        self.probes.iter().find(|probe| probe.id == id)
    }
}

/// The name of a suite of these probes.
fn version(probes: &[Probe]) -> String {
    let mut asked: Vec<String> = probes.iter().map(|it| format!("{} {}", it.id, it.hash)).collect();
    asked.sort();
    format!("tool-probe-v1+{}", meaning::digits(&asked.join("\n")))
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
    fn the_version_names_what_the_suite_asks() {
        let text = "about = 'a'\nsuites = ['full']\n[ask.no-call]\nquestion = 'q'\n";
        let (one, other) = (suite(text).unwrap(), suite(&text.replace("'q'", "'r'")).unwrap());
        assert_ne!(one.version(), other.version());
        let commented = suite(&format!("# said again\n{text}")).unwrap();
        assert_eq!(one.version(), commented.version());
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
