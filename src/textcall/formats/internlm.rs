//! JSON between action tokens. Models: `InternLM 2.5, Intern-S1`.
//! ```text
//! <|action_start|><|plugin|>
//! {"name": "tide_table", "parameters": {"port": "Brest"}}<|action_end|>
//! ```

const OBJECT: JsonBlock =
    JsonBlock { gap: &["<|plugin|>"], close: &["<|action_end|>"], ..JsonBlock::MARKED };

family!(Format::json(&["<|action_start|>", "<|plugin|>"], &[Grammar::Json(OBJECT)]));
