//! Which tool calls are in a text, whoever wrote it?
//!
//! Half of all "this model cannot call tools" is a call that nobody parsed. This module finds the
//! calls of every family by their content alone; see [`parse`] and, for streams, [`Parser`].
//!
//! - `formats/`: one small file per family, data only
//! - `grammar/`: how a call is read once its marker has been seen
//! - `markers`, `reasoning`, `parser/`: finding markers where they count
//! - `view`, `scan`: looking at a text that is still coming in
//! - `literal`, `payload`, `coerce`: what the arguments mean, by the declared schemas
//! - `parsed`: the result

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

pub use format::Format;
pub use formats::{FORMATS, find_format};
pub use parsed::{Event, Parsed, Part, Problem, ProblemCode, Repair, TextCall};
pub use parser::{Options, Parser, parse};

pub use crate::tools::Catalog;
