//! Bare keys and values, strings in a token of their own.
//! Models: `FunctionGemma`.
//! ```text
//! <start_function_call>call:tide_table{port:<escape>Brest<escape>,days:2}<end_function_call>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::Notation;
use crate::textcall::payload::Trust;
use crate::textcall::scan::{self, Flavour};

static FLAVOUR: Flavour = scan::delimited("<escape>");

const MARKED: Notation = Notation {
    flavour: &FLAVOUR,
    delimiter: "<escape>",
    close: &["<end_function_call>"],
    trust: Trust::Marked,
};

pub(super) const FORMAT: Format = Format {
    name: "functiongemma",
    openers: &["<start_function_call>"],
    grammars: &[Grammar::Notation(MARKED)],
    bare: &[Grammar::Notation(Notation { trust: Trust::Offered, ..MARKED })],
    ..Format::JSON
};
