//! Bare keys and values, strings in a token of their own.
//! Models: `Gemma 4`.
//! ```text
//! <|tool_call>call:tide_table{port:<|"|>Brest<|"|>,days:2}<tool_call|>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::Notation;
use crate::textcall::payload::Trust;
use crate::textcall::scan::{self, Flavour};

static FLAVOUR: Flavour = scan::delimited("<|\"|>");

const MARKED: Notation = Notation {
    flavour: &FLAVOUR,
    delimiter: "<|\"|>",
    close: &["<tool_call|>"],
    trust: Trust::Marked,
};

pub(super) const FORMAT: Format = Format {
    name: "gemma4",
    openers: &["<|tool_call>"],
    grammars: &[Grammar::Notation(MARKED)],
    bare: &[Grammar::Notation(Notation { trust: Trust::Offered, ..MARKED })],
    ..Format::JSON
};
