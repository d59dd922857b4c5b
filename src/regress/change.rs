//! One change of one target: what it is called, how much it matters, and its evidence.

use std::fmt;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AdapterEffect, Code};
use crate::ir::Digest;
use crate::profile::{Confirmation, FieldPath};

/// What a change means to the users of the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[derive(Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeClass {
    /// Something that worked does not any more, or an adapter must do more than before.
    Regression,
    /// Something works that did not.
    Improvement,
    /// Something is different, and neither better nor worse.
    Drift,
    /// Something is there that was not.
    New,
    /// Something is not there that was.
    Missing,
}

/// How much a change matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// A careful adapter copes.
    Minor,
    /// A feature is gone or its settings are wrong.
    Major,
    /// Tool calling breaks.
    Critical,
}

impl fmt::Display for ChangeClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Regression => "regression",
            Self::Improvement => "improvement",
            Self::Drift => "drift",
            Self::New => "new",
            Self::Missing => "missing",
        })
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Minor => "minor",
            Self::Major => "major",
            Self::Critical => "critical",
        })
    }
}

/// The same thing before and after.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Sides<T> {
    /// Before.
    pub old: T,
    /// After.
    pub new: T,
}

/// A field that differs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FieldChange {
    /// Where it stands in the profile.
    #[schemars(with = "String")]
    pub field: FieldPath,
    /// What stood there; null for nothing.
    pub old: Value,
    /// What stands there; null for nothing.
    pub new: Value,
}

/// One change of one target.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The target's name.
    pub target: String,
    /// The name of its profile's file.
    pub file: String,
    /// What the change is called.
    pub code: Code,
    /// What it means.
    pub class: ChangeClass,
    /// How much it matters.
    pub severity: Severity,
    /// Where in the profile it shows, with what stood and stands there.
    #[serde(flatten)]
    pub at: FieldChange,
    /// The probe that found it, where one did.
    pub probe: Option<String>,
    /// In words, what the probe said.
    pub reason: Sides<Option<String>>,
    /// The exchanges that it rests on.
    pub evidence: Sides<Vec<Digest>>,
    /// Differences that follow from it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<FieldChange>,
    /// In words, what the target stands for that it did not before: the likely cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likely_cause: Option<String>,
    /// Whether the probe that found it asked something else before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub probe_changed: bool,
    /// What sampling it again showed, where that was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
    /// The effect of an adapter, where one is compared: old is without it, new with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<AdapterEffect>,
}

impl Change {
    /// Whether it is about what the target stands for, and not about what it answers.
    pub fn is_of_subject(&self) -> bool {
        self.code.as_str() == "subject-changed"
    }
}
