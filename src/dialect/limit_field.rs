//! The field of a chat request that carries the token limit: servers know it by two names.
//!
//! Newer models of OpenAI refuse `max_tokens` and name the other field (seen in
//! griptape-ai/ComfyUI-Griptape#312, also on Azure in anomalyco/opencode#37964); most other servers
//! know `max_tokens` alone, or both.

use serde::Deserialize;
use serde_json::Value;

use super::ApiError;
use crate::ir::Object;

/// A name of the field that carries the token limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitField {
    /// What nearly every server knows.
    MaxTokens,
    /// What counts the tokens of reasoning as well.
    MaxCompletionTokens,
}

impl LimitField {
    const ALL: [Self; 2] = [Self::MaxTokens, Self::MaxCompletionTokens];

    /// Its name in a request.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::MaxTokens => Self::MaxCompletionTokens,
            Self::MaxCompletionTokens => Self::MaxTokens,
        }
    }

    /// The field that a user sets in every request, where it is not the usual one.
    pub fn set_in(extra: &Object) -> Option<Self> {
        let field = Self::MaxCompletionTokens;
        extra.contains_key(field.as_str()).then_some(field)
    }

    /// The field that a refusal names in place of the one that was sent.
    pub fn asked_for(sent: &Value, refusal: &ApiError) -> Option<Self> {
        let is_named = |field: Self| {
            let in_message = refusal.message.contains(field.as_str());
            in_message || refusal.param.as_deref() == Some(field.as_str())
        };
        let used = Self::ALL.into_iter().find(|field| sent.get(field.as_str()).is_some())?;
        (is_named(used) && is_named(used.other())).then(|| used.other())
    }

    /// Moves the limit of a request to this field. One that stands there already is kept.
    pub fn carry(self, body: &mut Value) {
        let Some(body) = body.as_object_mut() else { return };
        if let Some(limit) = body.shift_remove(self.other().as_str()) {
            body.entry(self.as_str()).or_insert(limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(message: &str) -> ApiError {
        let body = json!({"error": {"message": message, "type": "invalid_request_error"}});
        ApiError::from_response(400, Vec::new(), &body.to_string())
    }

    #[test]
    fn a_refusal_that_names_both_fields_asks_for_the_other() {
        let words = "Unsupported parameter: 'max_tokens' is not supported with this model. \
                     Use 'max_completion_tokens' instead.";
        let asked = |body: Value, words: &str| LimitField::asked_for(&body, &refusal(words));
        assert_eq!(asked(json!({"max_tokens": 9}), words), Some(LimitField::MaxCompletionTokens));
        let back = asked(json!({"max_completion_tokens": 9}), words);
        assert_eq!(back, Some(LimitField::MaxTokens));
        assert_eq!(asked(json!({"max_tokens": 9}), "max_tokens is too large"), None);
        assert_eq!(asked(json!({}), words), None);
    }

    #[test]
    fn the_limit_moves_and_one_that_the_user_set_stays() {
        let mut body = json!({"max_tokens": 9, "n": 1});
        LimitField::MaxCompletionTokens.carry(&mut body);
        assert_eq!(body, json!({"n": 1, "max_completion_tokens": 9}));
        let mut body = json!({"max_tokens": 9, "max_completion_tokens": 5});
        LimitField::MaxCompletionTokens.carry(&mut body);
        assert_eq!(body, json!({"max_completion_tokens": 5}));
    }
}
