//! The registry of text formats, one file each, data only.
//!
//! A new format is a file, the file's name in the list below, and samples in `fixtures/text/`; the
//! tests that walk all formats do the rest.

use super::format::Format;

/// The words that formats are written in.
mod prelude {
    pub(super) use crate::textcall::format::{Format, Grammar};
    pub(super) use crate::textcall::grammar::{
        Fence, Head, Headed, Listed, Starts, TagStyle, Tags,
    };
}

/// Declares the format of a file under its id, which is the file's name in kebab-case.
macro_rules! text_format {
    ($id:literal, $format:expr $(,)?) => {
        use super::prelude::*;

        pub(super) const FORMAT: Format = Format { id: $id, ..$format };
    };
}

/// Declares the files and lists their formats.
macro_rules! formats {
    ($($file:ident)*) => {
        $(mod $file;)*

        /// All formats. Where several may read the same text, the first gives the name.
        pub static FORMATS: &[&Format] = &[$(&$file::FORMAT),*];

        #[cfg(test)]
        const FILES: &[&str] = &[$(stringify!($file)),*];
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

/// The format with this id.
pub fn find_format(id: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_name_of_its_file_in_kebab_case() {
        let ids = FORMATS.iter().map(|format| format.id.to_owned());
        assert!(ids.eq(FILES.iter().map(|file| file.replace('_', "-"))));
    }
}
