//! The chat template in a file that the user names.

use std::io;
use std::path::{Path, PathBuf};

use super::Template;

/// Why a file gives no chat template.
#[derive(Debug, thiserror::Error)]
pub enum TemplateFileError {
    /// It cannot be read, or is not UTF-8.
    #[error("cannot read the chat template {}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A `.json` file that is no JSON.
    #[error("{}:{line}:{column}: not a tokenizer configuration: {problem}", path.display())]
    NotJson {
        /// Which file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Counted from 1 as well.
        column: usize,
        /// What is wrong.
        problem: String,
    },
    /// The file holds no template.
    #[error(
        "{} holds no chat template; newer models keep it in chat_template.jinja beside it",
        .0.display()
    )]
    Empty(PathBuf),
}

/// Reads `tokenizer_config.json`, or any other file as the template's text.
pub(crate) fn read_template(path: &Path) -> Result<Template, TemplateFileError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| TemplateFileError::Unreadable { path: path.to_owned(), source })?;
    let is_json = path.extension().is_some_and(|ending| ending == "json");
    let template = if is_json {
        let config = serde_json::from_str(&text).map_err(|error: serde_json::Error| {
            TemplateFileError::NotJson {
                path: path.to_owned(),
                line: error.line(),
                column: error.column(),
                problem: error.to_string(),
            }
        })?;
        Template::from_tokenizer_config(&config)
    } else {
        Template::single(&text)
    };
    template.ok_or_else(|| TemplateFileError::Empty(path.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(name: &str, text: &[u8]) -> Result<Template, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        read_template(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn a_jinja_file_and_a_tokenizer_configuration_give_the_same_template() {
        let jinja = read("chat_template.jinja", b"{{ a }}\r\n").unwrap();
        let json = read("tokenizer_config.json", br#"{"chat_template": "{{ a }}"}"#).unwrap();
        assert_eq!(jinja.hash(), json.hash());
    }

    #[test]
    fn a_file_without_a_template_is_an_error_that_says_where_to_look() {
        let shown = read("tokenizer_config.json", b"{}").unwrap_err();
        assert!(shown.ends_with("chat_template.jinja beside it"), "{shown}");
        let shown = read("tokenizer_config.json", b"{\n  oops").unwrap_err();
        assert!(shown.contains("tokenizer_config.json:2:3: not a tokenizer"), "{shown}");
        assert!(read("t.jinja", b"\xff").unwrap_err().starts_with("cannot read the chat template"));
        assert!(read("t.jinja", b"\n").is_err());
        assert!(read_template(Path::new("/nowhere/at/all")).is_err());
    }
}
