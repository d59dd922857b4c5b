//! JSON between action tokens. Models: `InternLM 2.5, Intern-S1`.
//! ```text
//! <|action_start|><|plugin|>
//! {"name": "tide_table", "parameters": {"port": "Brest"}}<|action_end|>
//! ```

const OBJECT: Listed =
    Listed { gap: &["<|plugin|>"], close: &["<|action_end|>"], ..Listed::MARKED };

text_format!(
    "internlm",
    Format::json(&["<|action_start|>", "<|plugin|>"], &[Grammar::Listed(OBJECT)])
);
