//! Which text formats are there?
//!
//! One file per family, data only. A new one is a file, its name in each of the two lists below, and
//! samples in `fixtures/text/`; the tests that walk all formats do the rest.

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

use super::format::{Format, Grammar};
use super::grammar::{
    Brackets, Channels, Elements, Fence, Head, Headed, JsonBlock, Notation, Pairs, React, Starts,
    Tags,
};
use super::payload::Trust;
use super::scan::{Flavour, delimited};

macro_rules! formats {
    ($($name:ident)*) => { &[$(&$name::FORMAT),*] };
}

/// All formats. Where several may read the same text, the first gives the name.
pub static FORMATS: &[&Format] = formats! {
    json_fence hermes ernie45 longcat claude_tool_use exathena nemotron_v2 jamba hunyuan_a13b
    granite mistral xlam granite_20b_fc phi4_mini internlm cohere apertus gigachat3
    command_r_plus llama3_json openai_legacy mistral_v11 functionary_v31 functionary_v32
    deepseek_v3 deepseek_v31 kimi_k2 solar_open inkling gpt_oss react qwen3_coder seed_oss
    anthropic_xml minimax_m2 dots muse_glimmer step3 deepseek_v32 deepseek_v4 minicpm5 kimi_k3
    minimax_m3 hy_v3 glm45 glm47 gemma4 functiongemma pythonic llama4_pythonic olmo3 lfm2
};

/// The format of a family.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}
