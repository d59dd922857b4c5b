//! What time is it, or shall it be?

use chrono::{DateTime, Utc};

use super::error::CliError;

/// The time that `SOURCE_DATE_EPOCH` fixes, else now.
pub(super) fn now() -> Result<DateTime<Utc>, CliError> {
    let Some(fixed) = std::env::var_os("SOURCE_DATE_EPOCH") else { return Ok(Utc::now()) };
    fixed
        .to_str()
        .and_then(|text| text.parse().ok())
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0))
        .ok_or_else(|| CliError::usage("SOURCE_DATE_EPOCH must be a number of seconds since 1970"))
}
