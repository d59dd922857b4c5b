//! The chat template of a model.
//!
//! - `chat_template`: its text and its hash; `file`: one that the user names

mod chat_template;
mod file;

pub(crate) use chat_template::Template;
pub(crate) use file::{TemplateFileError, read_template};
