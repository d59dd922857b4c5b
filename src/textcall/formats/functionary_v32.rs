//! Recipients: `all` for text, a name for a call. The prompt holds the first marker.
//! Models: `Functionary 3.2`.
//! ```text
//! >>>all
//! Looking it up.
//! >>>tide_table
//! {"port": "Brest"}
//! ```

use super::{Format, Grammar, Headed, mistral_v11};

pub(super) const FORMAT: Format = Format::json(
    "functionary_v32",
    &[">>>"],
    &[Grammar::Headed(Headed { call: &[">>>"], separators: &["\n"], ..Headed::MARKED })],
)
.or_bare(mistral_v11::STRIPPED);
