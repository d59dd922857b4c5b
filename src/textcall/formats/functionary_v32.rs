//! Recipients: `all` for text, a name for a call. The prompt holds the first marker.
//! Models: `Functionary 3.2`.
//! ```text
//! >>>all
//! Looking it up.
//! >>>tide_table
//! {"port": "Brest"}
//! ```

const RECIPIENT: Headed = Headed { call: &[">>>"], separators: &["\n"], ..Headed::MARKED };

text_format!(
    "functionary-v32",
    Format::json(&[">>>"], &[Grammar::Headed(RECIPIENT)]).or_bare(&[Grammar::unmarked("")])
);
