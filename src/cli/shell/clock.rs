//! The clock: real, or fixed by `SOURCE_DATE_EPOCH`.

use chrono::{DateTime, SubsecRound as _, Utc};

use super::error::CliError;
use crate::sim::Clock;

/// The time that `SOURCE_DATE_EPOCH` fixes, else now, to the second.
pub(crate) fn now() -> Result<DateTime<Utc>, CliError> {
    Ok(read_fixed_time()?.unwrap_or_else(|| Utc::now().trunc_subsecs(0)))
}

/// The clock of the simulated models.
pub(crate) fn of_simulator() -> Result<Clock, CliError> {
    Ok(read_fixed_time()?.map_or(Clock::System, |at| Clock::Fixed(at.timestamp())))
}

/// The time that `SOURCE_DATE_EPOCH` fixes, if it is set.
fn read_fixed_time() -> Result<Option<DateTime<Utc>>, CliError> {
    let Some(fixed) = std::env::var_os("SOURCE_DATE_EPOCH") else { return Ok(None) };
    let time = fixed
        .to_str()
        .and_then(|text| text.parse().ok())
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    time.map(Some)
        .ok_or_else(|| CliError::usage("SOURCE_DATE_EPOCH must be a number of seconds since 1970"))
}
