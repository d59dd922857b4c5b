//! The file of `--tools`: tools of the user's own.

use std::path::{Path, PathBuf};

use crate::ir::ToolSpec;
use crate::tools::{BadTools, import_tools};

/// Why a file could not be read as a list of tools.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolsFileError {
    #[error("cannot read {path}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path} is not JSON")]
    Json { path: PathBuf, source: serde_json::Error },
    #[error("{path}")]
    Tools { path: PathBuf, source: BadTools },
}

/// The tools in a file in the shape of `OpenAI`, Anthropic, Gemini or MCP.
pub(crate) fn tools_file(path: &Path) -> Result<Vec<ToolSpec>, ToolsFileError> {
    let path_buf = || path.to_path_buf();
    let bytes =
        std::fs::read(path).map_err(|source| ToolsFileError::Read { path: path_buf(), source })?;
    let value = serde_json::from_slice(&bytes)
        .map_err(|source| ToolsFileError::Json { path: path_buf(), source })?;
    import_tools(&value).map_err(|source| ToolsFileError::Tools { path: path_buf(), source })
}
