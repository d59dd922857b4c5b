//! Further routes: the same model offered by its server in another dialect.
//!
//! Ollama serves its models on `/v1/chat/completions` too, `DeepSeek` its own on `/anthropic/v1/messages`.
//! The model stays the same; the dialect, the checks and the place of its reasoning are the route's.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::quirks::{ModelQuirk, WireQuirk};
use super::{Fleet, ModelFile, RulesId, Thinking};
use crate::dialect::DialectId;
use crate::ir::ReasoningField;

/// One more way to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OtherRoute {
    /// The page that shows the route.
    pub source: String,
    /// The first segment of the path, before the dialect's own.
    #[serde(default)]
    pub under: Option<String>,
    /// The protocol on this route.
    pub dialect: DialectId,
    /// Which request checks apply.
    pub rules: RulesId,
    /// Where reasoning stands on this route; the dialect's usual field where nothing is said.
    #[serde(default)]
    pub reasoning: Option<ReasoningField>,
    /// How the route makes the model misbehave, in addition.
    #[serde(default)]
    pub quirks: Vec<ModelQuirk>,
    /// How the server misspells bodies and streams of this route.
    #[serde(default)]
    pub wire_quirks: Vec<WireQuirk>,
}

impl ModelFile {
    /// The model as it is offered under this part of the path in this dialect, if it is.
    pub fn offered(&self, under: Option<&str>, dialect: DialectId) -> Option<Cow<'_, Self>> {
        if under.is_none() && self.dialect == dialect {
            return Some(Cow::Borrowed(self));
        }
        let fits =
            |route: &&OtherRoute| route.under.as_deref() == under && route.dialect == dialect;
        self.also.iter().find(fits).map(|route| Cow::Owned(self.on(route)))
    }

    fn on(&self, route: &OtherRoute) -> Self {
        let mut model = self.clone();
        model.dialect = route.dialect;
        model.rules = Some(route.rules);
        model.thinking = Thinking { field: route.reasoning, ..self.thinking };
        model.quirks.extend(route.quirks.iter().cloned());
        model.wire_quirks.clone_from(&route.wire_quirks);
        model
    }
}

/// The path without the segment that some model is offered under, and that segment.
pub(super) fn split_prefix<'a>(fleet: &Fleet, path: &'a str) -> (Option<&'a str>, &'a str) {
    let (first, rest) = path.trim_start_matches('/').split_once('/').unwrap_or_default();
    let known = |model: &ModelFile| {
        model.also.iter().any(|route| route.under.as_deref().is_some_and(|under| under == first))
    };
    if fleet.iter().any(known) { (Some(first), rest) } else { (None, path) }
}
