//! Parser names: what inference engines call the text formats.
//!
//! Read from the released packages on 2026-11-18: vLLM 0.33.0 (`vllm/tool_parsers/__init__.py`) and `SGLang`
//! 0.5.23 (`sglang/srt/function_call/function_call_parser.py`). `ci/export-check --engines` reads them again.

/// Our format, vLLM's name and `SGLang`'s name; empty where the engine has none.
const NAMES: &[(&str, &str, &str)] = &[
    ("apertus", "apertus", "apertus2509"),
    ("cohere", "cohere_command3", ""),
    ("deepseek-v3", "deepseek_v3", "deepseekv3"),
    ("deepseek-v31", "deepseek_v31", "deepseekv31"),
    ("deepseek-v32", "deepseek_v32", "deepseekv32"),
    ("deepseek-v4", "deepseek_v4", "deepseekv4"),
    ("dots", "dots", "dots"),
    ("ernie45", "ernie45", ""),
    ("functiongemma", "functiongemma", ""),
    ("gemma4", "gemma4", "gemma4"),
    ("gigachat3", "gigachat3", "gigachat3"),
    ("glm45", "glm45", "glm45"),
    ("glm47", "glm47", "glm47"),
    ("gpt-oss", "openai", "gpt-oss"),
    ("granite", "granite", ""),
    ("granite-20b-fc", "granite-20b-fc", ""),
    ("hermes", "hermes", "hermes"),
    ("hunyuan-a13b", "hunyuan_a13b", "hunyuan"),
    ("hy-v3", "hy_v3", ""),
    ("inkling", "inkling", "inkling"),
    ("internlm", "internlm", "interns1"),
    ("jamba", "jamba", ""),
    ("kimi-k2", "kimi_k2", "kimi_k2"),
    ("kimi-k3", "kimi_k3", "kimi_k3"),
    ("lfm2", "lfm2", "lfm2"),
    ("llama3-json", "llama3_json", "llama3"),
    ("llama4-pythonic", "llama4_pythonic", "pythonic"),
    ("longcat", "longcat", ""),
    ("minicpm5", "minicpm5", "minicpm5"),
    ("minimax-m2", "minimax_m2", "minimax-m2"),
    ("minimax-m3", "minimax_m3", "minimax-m3"),
    ("mistral", "mistral", "mistral"),
    ("mistral-v11", "mistral", "mistral"),
    ("muse-glimmer", "muse_glimmer", "muse"),
    ("olmo3", "olmo3", ""),
    ("phi4-mini", "phi4_mini_json", ""),
    ("pythonic", "pythonic", "pythonic"),
    ("qwen3-coder", "qwen3_coder", "qwen3_coder"),
    ("seed-oss", "seed_oss", ""),
    ("step3", "step3", "step3"),
    ("xlam", "xlam", ""),
];

/// vLLM's name of a text format.
pub(super) fn vllm(format: &str) -> Option<&'static str> {
    let row = NAMES.iter().find(|(id, ..)| *id == format);
    row.map(|(_, name, _)| *name).filter(|name| !name.is_empty())
}

/// `SGLang`'s name of a text format.
pub(super) fn sglang(format: &str) -> Option<&'static str> {
    let row = NAMES.iter().find(|(id, ..)| *id == format);
    row.map(|(_, _, name)| *name).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::textcall::find_format;

    #[test]
    fn every_name_belongs_to_a_format_that_is_known() {
        for (format, vllm, sglang) in NAMES {
            assert!(find_format(format).is_some(), "{format}");
            assert!(!(vllm.is_empty() && sglang.is_empty()), "{format}");
        }
    }
}
