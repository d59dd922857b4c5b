//! The policy: which changes may pass.

use std::fmt;

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AdapterEffect, Change, ChangeClass, Code, Glob, Severity};

/// The rules that hold where a policy's own do not say otherwise.
const DEFAULT: &str = include_str!("default-policy.toml");

/// The newest version of the format that is known.
pub(crate) const POLICY_VERSION: u32 = 1;

/// What becomes of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// It is listed.
    Allow,
    /// It is listed as a warning.
    Warn,
    /// Nothing can be concluded: exit code 3, unless something is denied.
    Inconclusive,
    /// It fails the gate: exit code 1.
    Deny,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Inconclusive => "inconclusive",
            Self::Deny => "deny",
        })
    }
}

/// A policy file. The first rule that fits a change decides; exceptions come before all rules.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The version of the format; the newest one where nothing is said.
    #[serde(default)]
    pub policy_version: Option<u32>,
    /// Rules, the first that fits decides. The built-in ones follow them.
    #[serde(default, rename = "rule")]
    pub rules: Vec<PolicyRule>,
    /// Changes that are known and accepted for a time.
    #[serde(default, rename = "exception")]
    pub exceptions: Vec<Exception>,
}

/// A level for all changes, and all that replays find, that fit. What is not said fits everything.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyRule {
    /// The change's code.
    pub code: Option<Code>,
    /// What it means to the users of the endpoint.
    pub class: Option<ChangeClass>,
    /// How much it matters.
    pub severity: Option<Severity>,
    /// What an adapter does by it; fits nothing where no adapter is the subject.
    pub effect: Option<AdapterEffect>,
    /// Its target, by name, with `*` and `?`.
    pub target: Option<Glob>,
    /// What becomes of it.
    pub level: Level,
}

/// A change that is known and accepted until a day.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// The change's code.
    pub code: Code,
    /// Its target, by name, with `*` and `?`.
    pub target: Glob,
    /// What becomes of it meanwhile.
    #[serde(default = "warn")]
    pub level: Level,
    /// Why it is accepted.
    #[serde(deserialize_with = "non_empty_reason")]
    pub reason: String,
    /// The last day on which it is.
    pub expires: Day,
}

fn warn() -> Level {
    Level::Warn
}

/// An exception needs a reason.
fn non_empty_reason<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let reason = String::deserialize(deserializer)?;
    if reason.trim().is_empty() {
        return Err(serde::de::Error::custom("say why this change is borne with"));
    }
    Ok(reason)
}

impl Policy {
    /// What holds where no file says otherwise.
    pub fn built_in() -> Result<Self, toml::de::Error> {
        toml::from_str(DEFAULT)
    }

    /// In words, the rules and exceptions whose pattern fits none of these targets.
    pub fn unmatched_rules(&self, names: &[&str]) -> Vec<String> {
        let is_idle = |glob: &Glob| !names.iter().any(|name| glob.matches(name));
        let idle_rule = |rule: &PolicyRule| rule.target.as_ref().is_some_and(is_idle);
        let rules = self.rules.iter().filter(|rule| idle_rule(rule));
        let exceptions = self.exceptions.iter().filter(|it| is_idle(&it.target));
        let rules = rules.map(|rule| format!("the policy's rule ({rule}) is about no target"));
        let exceptions = exceptions.map(|Exception { code, target, .. }| {
            format!("the policy's exception for {code} of {target} is about no target")
        });
        rules.chain(exceptions).collect()
    }
}

/// What a policy looks at: a change between profiles, or what a replay found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PolicyInput<'a> {
    /// What it is called.
    pub code: Code,
    /// What it means to the users of the endpoint.
    pub class: ChangeClass,
    /// How much it matters.
    pub severity: Severity,
    /// The name of its target.
    pub target: &'a str,
    /// What an adapter does by it, where one is the subject.
    pub effect: Option<AdapterEffect>,
}

impl<'a> From<&'a Change> for PolicyInput<'a> {
    fn from(change: &'a Change) -> Self {
        let Change { code, class, severity, ref target, effect, .. } = *change;
        Self { code, class, severity, target, effect }
    }
}

impl PolicyRule {
    /// Whether it is about this.
    pub(super) fn fits(&self, about: PolicyInput<'_>) -> bool {
        self.code.is_none_or(|code| code == about.code)
            && self.class.is_none_or(|class| class == about.class)
            && self.severity.is_none_or(|severity| severity == about.severity)
            && self.effect.is_none_or(|effect| Some(effect) == about.effect)
            && self.target.as_ref().is_none_or(|target| target.matches(about.target))
    }
}

impl fmt::Display for PolicyRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.code.map(|code| format!("code = {code}")),
            self.class.map(|class| format!("class = {class}")),
            self.severity.map(|severity| format!("severity = {severity}")),
            self.effect.map(|effect| format!("effect = {effect}")),
            self.target.as_ref().map(|target| format!("target = {target}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { f.write_str("everything") } else { f.write_str(&parts.join(", ")) }
    }
}

impl Exception {
    /// Whether it is about this.
    pub(super) fn fits(&self, about: PolicyInput<'_>) -> bool {
        self.code == about.code && self.target.matches(about.target)
    }
}

/// A day, written as a TOML date or as text: `2026-12-01`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "toml::Value", into = "String")]
pub struct Day(pub NaiveDate);

impl TryFrom<toml::Value> for Day {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        let text = match value {
            toml::Value::String(text) => text,
            toml::Value::Datetime(date) => date.to_string(),
            other => other.to_string(),
        };
        text.parse().map(Self).map_err(|_| format!("'{text}' is not a day such as 2026-12-01"))
    }
}

impl From<Day> for String {
    fn from(day: Day) -> Self {
        day.to_string()
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.format("%Y-%m-%d"))
    }
}

impl JsonSchema for Day {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Day".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date" })
    }
}
