//! Chat templates and their hashes.
//!
//! Pure readings of what servers and model files say; `inspect.rs` asks them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::ir::Digest;

/// The name of a template that has no other.
const DEFAULT: &str = "default";

/// A chat template: one text, or several by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(BTreeMap<String, String>);

impl Template {
    /// A template of one text; `None` for an empty text.
    pub(crate) fn single(text: &str) -> Option<Self> {
        Self::named([(DEFAULT, text)])
    }

    /// A template of several named texts; empty ones do not count.
    fn named<'a>(parts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let parts = parts.into_iter().map(|(name, text)| (name.to_owned(), normalise(text)));
        let parts: BTreeMap<_, _> = parts.filter(|(_, text)| !text.is_empty()).collect();
        (!parts.is_empty()).then_some(Self(parts))
    }

    /// Its hash: that of the text where there is one, so that a server and a file of the same
    /// template agree; else that of all of them with their names.
    pub(crate) fn hash(&self) -> Digest {
        match self.0.iter().next() {
            Some((name, text)) if self.0.len() == 1 && name == DEFAULT => Digest::of(text),
            _ => {
                let parts: Vec<_> = self.0.iter().collect();
                Digest::of(json!(parts).to_string())
            }
        }
    }

    /// What llama.cpp's `/props` tells.
    pub(crate) fn from_props(props: &Value) -> Option<Self> {
        let default = ("chat_template", DEFAULT);
        Self::from_fields(props, &[default, ("chat_template_tool_use", "tool_use")])
    }

    /// What Ollama's `/api/show` tells. A renderer or parser is code that overrides the template.
    pub(crate) fn from_show(show: &Value) -> Option<Self> {
        let fields = [("template", DEFAULT), ("renderer", "renderer"), ("parser", "parser")];
        Self::from_fields(show, &fields)
    }

    /// What a tokenizer configuration tells, as a file or as vLLM's `/tokenizer_info`: one text, or
    /// a list of `{name, template}`.
    pub(crate) fn from_tokenizer_config(config: &Value) -> Option<Self> {
        match config.get("chat_template")? {
            Value::String(text) => Self::single(text),
            Value::Array(list) => Self::named(list.iter().filter_map(|entry| {
                Some((entry.get("name")?.as_str()?, entry.get("template")?.as_str()?))
            })),
            _ => None,
        }
    }

    fn from_fields(value: &Value, fields: &[(&str, &str)]) -> Option<Self> {
        Self::named(
            fields.iter().filter_map(|(field, name)| Some((*name, value.get(field)?.as_str()?))),
        )
    }
}

/// Line ends as LF, none at the end, no byte order mark: what editors and tools change unasked.
fn normalise(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.trim_end_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{% for m in messages %}\n{{ m.content }}\n{% endfor %}";

    fn single() -> Digest {
        Template::single(TEXT).unwrap().hash()
    }

    #[test]
    fn a_hash_is_that_of_the_text() {
        assert_eq!(single(), Digest::of(TEXT));
    }

    #[test]
    fn line_ends_and_byte_order_marks_do_not_count() {
        let crlf = TEXT.replace('\n', "\r\n");
        for text in
            [format!("{TEXT}\n"), format!("{TEXT}\n\n"), crlf, format!("\u{feff}{TEXT}\r\n")]
        {
            assert_eq!(Template::single(&text).unwrap().hash(), single(), "{text:?}");
        }
        assert_ne!(Template::single(&format!(" {TEXT}")).unwrap().hash(), single());
    }

    #[test]
    fn the_same_template_has_one_hash_whoever_tells_it() {
        for told in [
            Template::from_props(&json!({"chat_template": TEXT, "build_info": "b1"})),
            Template::from_show(&json!({"template": TEXT, "details": {}})),
            Template::from_show(&json!({"template": TEXT, "renderer": "", "parser": ""})),
            Template::from_tokenizer_config(&json!({"chat_template": TEXT})),
            Template::from_tokenizer_config(
                &json!({"chat_template": [{"name": "default", "template": TEXT}]}),
            ),
        ] {
            assert_eq!(told.unwrap().hash(), single());
        }
    }

    #[test]
    fn a_template_for_tools_counts_too() {
        let both = json!({"chat_template": TEXT, "chat_template_tool_use": "T"});
        let list = json!({"chat_template": [
            {"name": "tool_use", "template": "T"}, {"name": "default", "template": TEXT},
        ]});
        let hash = Template::from_props(&both).unwrap().hash();
        assert_ne!(hash, single());
        assert_eq!(Template::from_tokenizer_config(&list).unwrap().hash(), hash);
    }

    #[test]
    fn ollamas_renderer_and_parser_count_too() {
        let show = |renderer: &str| json!({"template": TEXT, "renderer": renderer, "parser": "p"});
        let one = Template::from_show(&show("qwen3-coder")).unwrap().hash();
        assert_ne!(one, Template::from_show(&show("other")).unwrap().hash());
        assert_ne!(one, single());
        assert!(Template::from_show(&json!({"renderer": "r"})).is_some());
    }

    #[test]
    fn what_tells_no_template_gives_none() {
        for value in
            [json!({}), json!({"chat_template": ""}), json!({"chat_template": null}), json!([])]
        {
            assert_eq!(Template::from_props(&value), None);
            assert_eq!(Template::from_show(&value), None);
            assert_eq!(Template::from_tokenizer_config(&value), None);
        }
        let odd = json!({"chat_template": [{"name": 1}, "x"]});
        assert_eq!(Template::from_tokenizer_config(&odd), None);
    }
}
