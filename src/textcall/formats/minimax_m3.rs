//! Elements named after the parameters, a token before every tag. Models: `MiniMax M3`.
//! `]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="tide_table">]<]minimax[>[<port>Brest]<]minimax[>[</port>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>`

const ELEMENTS: Tags = Tags {
    gap: &["]<]minimax[>["],
    section_close: &["</tool_call>", "]<]minimax[>[</tool_call>"],
    ..Tags::ELEMENTS
};

text_format!(
    "minimax-m3",
    Format::xml(
        &["]<]minimax[>[<tool_call>", "]<]minimax[>[<invoke", "<tool_call>"],
        &[Grammar::Tags(ELEMENTS)],
    )
);
