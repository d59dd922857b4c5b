//! Tokens, the word `function`, the name, the arguments in a fence.
//! Models: `DeepSeek V3-0324, R1-0528`.
//! ```text
//! <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>tide_table
//! ```json
//! {"port": "Brest"}
//! ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>
//! ```

const TYPED: Headed = Headed {
    head: Head::Worded("function<｜tool▁sep｜>"),
    separators: &["\n"],
    ..super::deepseek_v31::TOKENS
};

text_format!(
    "deepseek-v3",
    Format::json(super::deepseek_v31::FORMAT.openers, &[Grammar::Headed(TYPED)])
        .or_bare(&[Grammar::unmarked("function")])
);
