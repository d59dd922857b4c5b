//! Errors of commands: the message, its causes and the exit code.

use std::error::Error;
use std::io;

use crate::campaign::ProbeTargetError;
use crate::cli::Exit;
use crate::store::StoreError;

/// Why a command could not do its work. A finding is not an error.
#[derive(Debug)]
pub(crate) struct CliError {
    exit: Exit,
    source: Box<dyn Error + Send + Sync>,
}

impl CliError {
    /// The command line, the configuration or an input file is wrong.
    pub(crate) fn usage(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { exit: Exit::Usage, source: source.into() }
    }

    /// No verdict could be reached.
    pub(crate) fn inconclusive(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { exit: Exit::Inconclusive, source: source.into() }
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// The message and its causes, each once.
    pub(crate) fn chain(&self) -> String {
        let mut text = self.source.to_string();
        let mut cause = self.source.source();
        while let Some(error) = cause {
            let next = error.to_string();
            if !text.contains(&next) {
                text.push_str(": ");
                text.push_str(&next);
            }
            cause = error.source();
        }
        text
    }
}

/// A wrong URL is the user's to mend; an endpoint that does not answer is nobody's verdict.
impl From<ProbeTargetError> for CliError {
    fn from(source: ProbeTargetError) -> Self {
        match source {
            ProbeTargetError::Endpoint(_)
            | ProbeTargetError::Template(_)
            | ProbeTargetError::NoAccess => Self::usage(source),
            ProbeTargetError::Discover(_) => Self::inconclusive(source),
        }
    }
}

/// Nothing can be kept, so nothing can be judged.
impl From<StoreError> for CliError {
    fn from(source: StoreError) -> Self {
        Self::inconclusive(source)
    }
}

/// Writing output failed: nothing the user typed, but nothing to judge either.
impl From<io::Error> for CliError {
    fn from(source: io::Error) -> Self {
        Self::inconclusive(source)
    }
}
