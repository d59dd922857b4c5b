//! Exports: the settings that other programs read, from a profile and its plan.
//!
//! What a program has no setting for stands in the output as a comment; what was not measured is left
//! to the program's default.
//!
//! - `facts`: what was measured, in the words that programs have settings for
//! - `engines`: inference servers, by their command lines; `parsers`: their names of text formats
//! - `clients`: agents, by their configuration files; `codex` and `zed`: two that need more words
//! - `gateways`: gateways, likewise
//! - `neutral`: for everything else
//! - `text`: how settings are written down

mod clients;
mod codex;
mod engines;
mod facts;
mod gateways;
mod neutral;
mod parsers;
mod text;
mod zed;

use facts::Facts;

use super::plan::Plan;
use crate::profile::{CorrectionKind, Profile};

/// A program that reads exported settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Export {
    /// vLLM: flags of `vllm serve`
    Vllm,
    /// `SGLang`: flags of the server
    Sglang,
    /// llama.cpp: flags of llama-server
    LlamaCpp,
    /// `LiteLLM`: config.yaml
    Litellm,
    /// `OpenCode`: opencode.json
    Opencode,
    /// Codex CLI: config.toml
    Codex,
    /// Codex CLI: the catalogue of models that `model_catalog_json` names
    CodexCatalog,
    /// Pi: models.json
    Pi,
    /// Qwen Code: settings.json
    QwenCode,
    /// Zed: settings.json
    Zed,
    /// Continue: config.yaml
    Continue,
    /// Cline: model info
    Cline,
    /// Roo Code: model info
    Roo,
    /// Goose: a file of `custom_providers`
    Goose,
    /// Crush: crush.json
    Crush,
    /// Aider: .aider.model.settings.yml
    Aider,
    /// claude-code-router 2: config.json
    ClaudeCodeRouter,
    /// Any program: settings as JSON
    Json,
    /// Any program: settings as environment variables
    Env,
}

/// What a renderer gives: the text without its comments, and how a comment is written in it.
struct Rendered {
    body: String,
    comment: Comment,
    /// The corrections that the settings express.
    expresses: &'static [CorrectionKind],
    /// Further comments: what does not fit, and what had to be filled in.
    notes: Vec<String>,
}

impl Rendered {
    fn with_notes(mut self, notes: Vec<String>) -> Self {
        self.notes.extend(notes);
        self
    }
}

/// How a comment is written.
enum Comment {
    /// After this mark, on lines of their own before the text.
    Mark(&'static str),
    /// As a list of strings under `$comment`, because the file is strict JSON.
    Key,
}

impl Export {
    /// The settings of this program for a model.
    pub fn render(self, profile: &Profile) -> String {
        let plan = Plan::of(profile);
        let facts = Facts::of(profile, &plan);
        let rendered = match self {
            Self::Vllm => engines::vllm(&facts),
            Self::Sglang => engines::sglang(&facts),
            Self::LlamaCpp => engines::llama_cpp(&facts),
            Self::Litellm => gateways::litellm(&facts),
            Self::Opencode => clients::opencode(&facts),
            Self::Codex => codex::config(&facts),
            Self::CodexCatalog => codex::catalog(&facts),
            Self::Pi => clients::pi(&facts),
            Self::QwenCode => clients::qwen_code(&facts),
            Self::Zed => zed::zed(&facts),
            Self::Continue => clients::continue_dev(&facts),
            Self::Cline => clients::cline(&facts),
            Self::Roo => clients::roo(&facts),
            Self::Goose => clients::goose(&facts),
            Self::Crush => clients::crush(&facts),
            Self::Aider => clients::aider(&facts),
            Self::ClaudeCodeRouter => gateways::claude_code_router(&facts),
            Self::Json => neutral::json(&facts),
            Self::Env => neutral::env(&facts),
        };
        let inexpressible = plan.corrections.iter();
        let inexpressible =
            inexpressible.filter(|it| !rendered.expresses.contains(&it.setting.kind()));
        let inexpressible = inexpressible.map(|it| {
            format!("no setting for {} (found: {})", it.setting, text::one_line(&it.why))
        });
        let comments: Vec<String> = rendered.notes.iter().cloned().chain(inexpressible).collect();
        text::with_comments(rendered, &comments)
    }
}

#[cfg(test)]
mod tests;
