//! Errors in a configuration file: the place, the problem and the remedy.

use std::path::{Path, PathBuf};

use crate::suggest::did_you_mean;

/// What is wrong in a file that a user wrote, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{column}: {}{problem}", path.display(), in_field(.field.as_deref()))]
pub struct ConfigError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The field at fault.
    pub field: Option<String>,
    /// What is wrong with it, and what to do.
    pub problem: String,
}

fn in_field(field: Option<&str>) -> String {
    field.map(|field| format!("field `{field}`: ")).unwrap_or_default()
}

impl ConfigError {
    /// An error at a byte offset of the text.
    pub(super) fn at(
        path: &Path,
        text: &str,
        offset: usize,
        field: Option<String>,
        problem: String,
    ) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.get(start..).unwrap_or_default().chars().count() + 1,
            field,
            problem,
        }
    }

    /// What the TOML reader has to say, with the field that its line sets.
    pub fn from_toml(path: &Path, text: &str, error: &toml::de::Error) -> Self {
        let offset = error.span().map_or(0, |span| span.start);
        let message = error.message().replace('\n', " ");
        let problem = format!("{message}{}", field_hint(&message));
        Self::at(path, text, offset, field_of_line(text, offset), problem)
    }
}

fn field_of_line(text: &str, offset: usize) -> Option<String> {
    let start = text.get(..offset)?.rfind('\n').map_or(0, |newline| newline + 1);
    let (key, _) = text.get(start..)?.lines().next()?.split_once('=')?;
    Some(key.trim().to_owned()).filter(|key| !key.starts_with(['#', '[']))
}

/// The known field nearest to an unknown one, from the words of serde's error.
fn field_hint(message: &str) -> String {
    if !message.starts_with("unknown field") {
        return String::new();
    }
    let mut names = message.split('`').skip(1).step_by(2);
    names.next().map(|wrong| did_you_mean(wrong, names)).unwrap_or_default()
}
