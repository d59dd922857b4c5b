//! Inference servers: flags of their command lines.

use super::facts::Facts;
use super::text::quote_word;
use super::{Comment, Rendered, parsers};
use crate::profile::CorrectionKind;

fn command(program: String, flags: Vec<String>, expresses: &'static [CorrectionKind]) -> Rendered {
    let words: Vec<String> = std::iter::once(program).chain(flags).collect();
    Rendered {
        body: words.join(" \\\n  "),
        comment: Comment::Mark("#"),
        expresses,
        notes: Vec::new(),
    }
}

/// What a server's own parser corrects, where it has one for the format that was found.
fn corrections_of_parser(name: Option<&str>) -> &'static [CorrectionKind] {
    if name.is_some() { &[CorrectionKind::Parsing] } else { &[] }
}

pub(super) fn vllm(facts: &Facts<'_>) -> Rendered {
    let parser = facts.text_format.and_then(parsers::vllm);
    let mut flags = Vec::new();
    if let Some(parser) = parser {
        flags.push("--enable-auto-tool-choice".to_owned());
        flags.push(format!("--tool-call-parser {parser}"));
    }
    command(
        format!("vllm serve {}", quote_word(facts.model())),
        flags,
        corrections_of_parser(parser),
    )
}

pub(super) fn sglang(facts: &Facts<'_>) -> Rendered {
    let parser = facts.text_format.and_then(parsers::sglang);
    let flags = parser.map(|it| format!("--tool-call-parser {it}")).into_iter().collect();
    let program =
        format!("python -m sglang.launch_server --model-path {}", quote_word(facts.model()));
    command(program, flags, corrections_of_parser(parser))
}

/// llama.cpp reads calls by the template, which needs `--jinja`.
pub(super) fn llama_cpp(facts: &Facts<'_>) -> Rendered {
    let flags = facts.text_format.map(|_| "--jinja".to_owned()).into_iter().collect();
    command("llama-server".to_owned(), flags, corrections_of_parser(facts.text_format))
}
