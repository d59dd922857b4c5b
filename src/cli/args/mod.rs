//! The argument groups that several commands share.

pub(crate) mod asking;
pub(crate) mod confirming;
pub(crate) mod depot;
pub(crate) mod endpoint;
pub(crate) mod output;
pub(crate) mod policy;
pub(crate) mod scope;
pub(crate) mod secrets;
pub(crate) mod stored;
pub(crate) mod telemetry_file;
pub(crate) mod tools_file;
pub(crate) mod transcripts;
pub(crate) mod with_plan;
