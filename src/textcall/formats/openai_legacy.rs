//! The provider's own message, written out as text. Models: `any model trained on API transcripts`.
//! `{"function_call": {"name": "tide_table", "arguments": "{\"port\": \"Brest\"}"}}`

text_format!("openai-legacy", Format::bare(&[Grammar::BARE_OBJECT]));
