//! Parsing of tool calls that a model wrote as text.
//!
//! Half of all "this model cannot call tools" is a call that nobody parsed. This module finds the
//! calls of every text format by their content alone; see [`parse`] and, for streams, [`Parser`].
//! Both take time linear in the length of the text, whatever the text is.
//!
//! - `formats/`: one small file per text format, data only
//! - `grammar/`: how a call is read after its marker
//! - `markers`, `reasoning`, `parser/`: finding markers where they count
//! - `view`, `scan`: looking at a text that is still arriving
//! - `literal`, `payload`, `coerce`: what the arguments mean, by the declared schemas
//! - `parsed`: the result
//! - `steps`: a count of the work, for tests

mod coerce;
mod format;
mod formats;
mod grammar;
mod literal;
mod markers;
mod parsed;
mod parser;
mod payload;
mod reasoning;
mod scan;
mod steps;
mod view;

pub(crate) use coerce::{AllowedTypes, coerce};
pub use format::Format;
pub use formats::{FORMATS, find_format};
pub use parsed::{Event, Parsed, Problem, ProblemCode, Repair, TextCall, TextPart};
pub use parser::{Options, Parser, parse};

pub use crate::tools::Catalog;
