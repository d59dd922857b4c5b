//! The fields of a request beyond its conversation: which there are, under one name in all dialects, and which aspect
//! each belongs to.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::aspect::RequestAspect;
use super::requests::SeenRequest;

impl SeenRequest {
    /// The fields beyond the conversation that belong to an aspect, by one name in all dialects.
    pub(super) fn fields(&self, aspect: RequestAspect) -> BTreeMap<String, Value> {
        let nested = ["generationConfig", "options"];
        let mut fields = BTreeMap::new();
        for (key, value) in &self.request.extra {
            match value {
                Value::Object(inner) if nested.contains(&key.as_str()) => {
                    fields.extend(inner.iter().map(|(key, value)| name_entry(key, value)));
                }
                _ => {
                    fields.extend([name_entry(key, value)]);
                }
            }
        }
        // Decoding takes these for granted where they have the values that we send.
        let stateless = ["store", "include"];
        let stateless = stateless.iter().filter_map(|key| Some((key, self.body.get(key)?)));
        fields.extend(stateless.map(|(key, value)| name_entry(key, value)));
        fields.retain(|name, value| !value.is_null() && aspect_of(name) == aspect);
        fields
    }
}

fn name_entry(key: &str, value: &Value) -> (String, Value) {
    let mut name = String::new();
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    if name == "stop" || name == "stop_sequences" {
        let list = if value.is_array() { value.clone() } else { json!([value]) };
        return ("stop".to_owned(), list);
    }
    (name, value.clone())
}

/// The fields of each aspect, by their names in snake case.
const FIELDS: &[(RequestAspect, &[&str])] = &[
    (RequestAspect::Stop, &["stop"]),
    (
        RequestAspect::Sampling,
        &[
            "temperature",
            "top_p",
            "top_k",
            "min_p",
            "seed",
            "presence_penalty",
            "frequency_penalty",
            "repeat_penalty",
            "logit_bias",
        ],
    ),
    (
        RequestAspect::Caching,
        &["cache_control", "prompt_cache_key", "prompt_cache_retention", "cached_content"],
    ),
    (
        RequestAspect::Metadata,
        &["metadata", "user", "safety_identifier", "service_tier", "store", "labels"],
    ),
    (
        RequestAspect::Thinking,
        &[
            "thinking",
            "think",
            "reasoning",
            "reasoning_effort",
            "enable_thinking",
            "chat_template_kwargs",
            "thinking_config",
            "include",
        ],
    ),
    (
        RequestAspect::OutputFormat,
        &[
            "response_format",
            "text",
            "format",
            "output_config",
            "response_schema",
            "response_json_schema",
            "response_mime_type",
        ],
    ),
    (RequestAspect::StreamOptions, &["stream_options"]),
];

fn aspect_of(name: &str) -> RequestAspect {
    let known = FIELDS.iter().find(|(_, names)| names.contains(&name));
    known.map_or(RequestAspect::OtherFields, |(aspect, _)| *aspect)
}
