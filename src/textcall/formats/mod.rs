//! Which text formats are there?
//!
//! One file per family, data only. A new one is a file, a line in each of the two lists below, and
//! samples in `fixtures/text/`; the tests that walk all formats do the rest. Where several may read
//! the same text, the first in the list gives the name.

mod anthropic_xml;
mod apertus;
mod claude_tool_use;
mod cohere;
mod command_r_plus;
mod deepseek_v3;
mod deepseek_v31;
mod deepseek_v32;
mod deepseek_v4;
mod dots;
mod ernie45;
mod exathena;
mod functionary_v31;
mod functionary_v32;
mod functiongemma;
mod gemma4;
mod gigachat3;
mod glm45;
mod glm47;
mod gpt_oss;
mod granite;
mod granite_20b_fc;
mod hermes;
mod hunyuan_a13b;
mod hy_v3;
mod inkling;
mod internlm;
mod jamba;
mod json_fence;
mod kimi_k2;
mod kimi_k3;
mod lfm2;
mod llama3_json;
mod llama4_pythonic;
mod longcat;
mod minicpm5;
mod minimax_m2;
mod minimax_m3;
mod mistral;
mod mistral_v11;
mod muse_glimmer;
mod nemotron_v2;
mod olmo3;
mod openai_legacy;
mod phi4_mini;
mod pythonic;
mod qwen3_coder;
mod react;
mod seed_oss;
mod solar_open;
mod step3;
mod xlam;

use super::format::Format;

/// All formats, in the order in which they are tried.
pub static FORMATS: &[&Format] = &[
    &json_fence::FORMAT,
    &hermes::FORMAT,
    &ernie45::FORMAT,
    &longcat::FORMAT,
    &claude_tool_use::FORMAT,
    &exathena::FORMAT,
    &nemotron_v2::FORMAT,
    &jamba::FORMAT,
    &hunyuan_a13b::FORMAT,
    &granite::FORMAT,
    &mistral::FORMAT,
    &xlam::FORMAT,
    &granite_20b_fc::FORMAT,
    &phi4_mini::FORMAT,
    &internlm::FORMAT,
    &cohere::FORMAT,
    &apertus::FORMAT,
    &gigachat3::FORMAT,
    &command_r_plus::FORMAT,
    &llama3_json::FORMAT,
    &openai_legacy::FORMAT,
    &mistral_v11::FORMAT,
    &functionary_v31::FORMAT,
    &functionary_v32::FORMAT,
    &deepseek_v3::FORMAT,
    &deepseek_v31::FORMAT,
    &kimi_k2::FORMAT,
    &solar_open::FORMAT,
    &inkling::FORMAT,
    &gpt_oss::FORMAT,
    &react::FORMAT,
    &qwen3_coder::FORMAT,
    &seed_oss::FORMAT,
    &anthropic_xml::FORMAT,
    &minimax_m2::FORMAT,
    &dots::FORMAT,
    &muse_glimmer::FORMAT,
    &step3::FORMAT,
    &deepseek_v32::FORMAT,
    &deepseek_v4::FORMAT,
    &minicpm5::FORMAT,
    &kimi_k3::FORMAT,
    &minimax_m3::FORMAT,
    &hy_v3::FORMAT,
    &glm45::FORMAT,
    &glm47::FORMAT,
    &gemma4::FORMAT,
    &functiongemma::FORMAT,
    &pythonic::FORMAT,
    &llama4_pythonic::FORMAT,
    &olmo3::FORMAT,
    &lfm2::FORMAT,
];

/// The format of a family.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}
