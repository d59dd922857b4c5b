//! The audit report, as programs read it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::catalogue::Concern;
use super::fate::FateKind;
use crate::dialect::DialectId;

/// The version of the format.
pub(crate) const AUDIT_VERSION: u32 = 1;

/// What an audit of an adapter found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuditReport {
    /// The version of this format.
    pub audit_version: u32,
    /// The adapter's address.
    pub adapter: String,
    /// Each model that was asked for.
    pub models: Vec<ModelAudit>,
}

/// What became of the fields on their way to one model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ModelAudit {
    /// The model's name at the adapter.
    pub model: String,
    /// The dialect that the adapter was spoken to in.
    #[schemars(with = "String")]
    pub dialect: DialectId,
    /// The dialect that it spoke to the upstream in; null where nothing arrived.
    #[schemars(with = "Option<String>")]
    pub upstream: Option<DialectId>,
    /// How many fields were sent.
    pub fields: usize,
    /// How many of them arrived as they were sent.
    pub kept: usize,
    /// All others, and what was added.
    pub rows: Vec<FieldRow>,
}

/// What became of one field.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FieldRow {
    /// The field.
    pub field: String,
    /// What it is about; null for a field that was added.
    pub concerns: Option<Concern>,
    /// What became of it.
    pub fate: FateKind,
    /// What stands in its place, or what a refusal says.
    pub because: String,
    /// Whether the upstream's dialect has something that means the same; null where that is not known.
    pub has_equivalent: Option<bool>,
    /// What is lost if it goes.
    pub lost: String,
    /// Where the field is known from.
    pub source: String,
    /// What the policy makes of it.
    pub level: String,
    /// The body that left the client.
    pub sent: Value,
    /// The body that arrived upstream; null where none did.
    pub arrived: Value,
}
