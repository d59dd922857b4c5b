//! Which text formats are there?
//!
//! One file per family, data only. A new one is a file, its name in the list below, and samples in
//! `fixtures/text/`; the tests that walk all formats do the rest.

use super::format::Format;

/// The words that formats are written in.
mod prelude {
    pub(super) use crate::textcall::format::{Format, Grammar};
    pub(super) use crate::textcall::grammar::{Fence, Head, Headed, Listed, Starts, Style, Tags};
}

/// A file's format.
macro_rules! family {
    ($format:expr) => {
        use super::prelude::*;

        pub(super) const FORMAT: Format = $format;
    };
}

/// Declares the files and lists what they hold; a file's name is its family's.
macro_rules! formats {
    ($($name:ident)*) => {
        $(mod $name;)*

        /// All formats. Where several may read the same text, the first gives the name.
        pub static FORMATS: &[&Format] =
            &[$(&Format { name: stringify!($name), ..$name::FORMAT }),*];
    };
}

formats! {
    json_fence hermes ernie45 longcat claude_tool_use exathena nemotron_v2 jamba hunyuan_a13b
    granite mistral xlam granite_20b_fc phi4_mini internlm cohere apertus gigachat3
    command_r_plus llama3_json openai_legacy mistral_v11 functionary_v31 functionary_v32
    deepseek_v3 deepseek_v31 kimi_k2 solar_open inkling gpt_oss react qwen3_coder seed_oss
    anthropic_xml minimax_m2 dots muse_glimmer step3 deepseek_v32 deepseek_v4 minicpm5 kimi_k3
    minimax_m3 hy_v3 glm45 glm47 gemma4 functiongemma pythonic llama4_pythonic olmo3 lfm2
}

/// The format of a family.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}
