//! Recipients: `all` for text, a name for a call. The prompt holds the first marker.
//! Models: `Functionary 3.2`.
//! ```text
//! >>>all
//! Looking it up.
//! >>>tide_table
//! {"port": "Brest"}
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::Headed;

pub(super) const FORMAT: Format = Format {
    name: "functionary_v32",
    openers: &[">>>"],
    grammars: &[Grammar::Headed(Headed { call: &[">>>"], separators: &["\n"], ..Headed::MARKED })],
    bare: super::mistral_v11::STRIPPED,
    ..Format::JSON
};
