//! Staleness: whether a profile is still worth believing.

use std::time::Duration;

use chrono::{DateTime, Utc};

use super::{EndpointId, Profile, Subject};
use crate::dialect::DialectId;

/// Whether a profile is still worth believing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Staleness {
    /// It is, until then.
    Fresh {
        /// When it runs out.
        until: DateTime<Utc>,
    },
    /// It is not, for each of these reasons.
    Stale(Vec<StaleReason>),
    /// No profile exists.
    Missing,
}

/// Why a profile is no longer worth believing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StaleReason {
    /// It is about something else by now.
    #[error("{part} changed from {} to {}", or_unknown(.was.as_deref()), or_unknown(.is.as_deref()))]
    Subject {
        /// The part of the tuple, as the file spells it.
        part: &'static str,
        /// What the profile says.
        was: Option<String>,
        /// What is there now.
        is: Option<String>,
    },
    /// Other questions are asked now.
    #[error("measured by {was}, the suite is now {is}")]
    ProbeVersion {
        /// The suite that measured it.
        was: String,
        /// The suite of today.
        is: String,
    },
    /// It is too old.
    #[error("ran out on {}", .at.format("%Y-%m-%d %H:%M UTC"))]
    Expired {
        /// When.
        at: DateTime<Utc>,
    },
    /// Its time cannot be right.
    #[error("verified in the future, on {}", .verified_at.format("%Y-%m-%d %H:%M UTC"))]
    Future {
        /// The time it claims.
        verified_at: DateTime<Utc>,
    },
}

fn or_unknown(value: Option<&str>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| format!("'{value}'"))
}

/// Whether a profile still holds for a subject, asked by this suite at this time.
pub(crate) fn staleness(
    profile: Option<&Profile>,
    subject: &Subject,
    probe_version: &str,
    now: DateTime<Utc>,
    ttl: Duration,
) -> Staleness {
    let Some(profile) = profile else { return Staleness::Missing };
    let mut reasons = changed_parts(&profile.subject, subject, profile.dialect);
    if profile.probe_version != probe_version {
        reasons.push(StaleReason::ProbeVersion {
            was: profile.probe_version.clone(),
            is: probe_version.to_owned(),
        });
    }
    let until = end_of(profile.verified_at, ttl);
    if profile.verified_at > now {
        reasons.push(StaleReason::Future { verified_at: profile.verified_at });
    } else if until <= now {
        reasons.push(StaleReason::Expired { at: until });
    }
    if reasons.is_empty() { Staleness::Fresh { until } } else { Staleness::Stale(reasons) }
}

fn end_of(start: DateTime<Utc>, ttl: Duration) -> DateTime<Utc> {
    let ttl = chrono::Duration::from_std(ttl).ok();
    ttl.and_then(|ttl| start.checked_add_signed(ttl)).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

/// The parts of the tuple that differ. An endpoint that is only spelled otherwise is the same.
fn changed_parts(was: &Subject, is: &Subject, dialect: DialectId) -> Vec<StaleReason> {
    let moved = EndpointId::of(&was.endpoint, dialect) != EndpointId::of(&is.endpoint, dialect);
    let part = |part, was: Option<&String>, is: Option<&String>| {
        (was != is).then(|| StaleReason::Subject { part, was: was.cloned(), is: is.cloned() })
    };
    let parts = [
        part("provider", Some(&was.provider), Some(&is.provider)),
        part("model", Some(&was.model), Some(&is.model)),
        part("endpoint", Some(&was.endpoint), Some(&is.endpoint)).filter(|_| moved),
        part("chatTemplateHash", was.chat_template_hash.as_ref(), is.chat_template_hash.as_ref()),
        part("variant", was.variant.as_ref(), is.variant.as_ref()),
    ];
    parts.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::testing::{at, profile, subject};

    const DAY: Duration = Duration::from_secs(86_400);
    const SUITE: &str = "tool-probe-v1+000000000000";

    fn judged(subject: &Subject, suite: &str, now: &str) -> Vec<String> {
        match staleness(Some(&profile()), subject, suite, at(now), DAY) {
            Staleness::Fresh { until } => vec![format!("fresh until {until}")],
            Staleness::Stale(reasons) => reasons.iter().map(ToString::to_string).collect(),
            Staleness::Missing => vec!["missing".to_owned()],
        }
    }

    #[test]
    fn a_profile_is_fresh_until_its_time_runs_out() {
        let same = subject();
        let fresh = ["fresh until 2026-11-16 00:00:00 UTC"];
        assert_eq!(judged(&same, SUITE, "2026-11-15T00:00:00Z"), fresh);
        assert_eq!(judged(&same, SUITE, "2026-11-15T23:59:59Z"), fresh);
        let expired = ["ran out on 2026-11-16 00:00 UTC"];
        assert_eq!(judged(&same, SUITE, "2026-11-16T00:00:00Z"), expired);
    }

    #[test]
    fn every_reason_is_given() {
        let now = Subject { chat_template_hash: Some("sha256:1".to_owned()), ..subject() };
        assert_eq!(
            judged(&now, "tool-probe-v1+111111111111", "2026-12-01T00:00:00Z"),
            [
                "chatTemplateHash changed from none to 'sha256:1'",
                "measured by tool-probe-v1+000000000000, the suite is now tool-probe-v1+111111111111",
                "ran out on 2026-11-16 00:00 UTC",
            ]
        );
    }

    #[test]
    fn a_time_that_has_not_come_keeps_nothing_fresh() {
        let shown = ["verified in the future, on 2026-11-15 00:00 UTC"];
        assert_eq!(judged(&subject(), SUITE, "2026-11-14T00:00:00Z"), shown);
    }

    #[test]
    fn an_endless_ttl_does_not_overflow() {
        let now = at("2027-01-01T00:00:00Z");
        let judged = staleness(Some(&profile()), &subject(), SUITE, now, Duration::MAX);
        assert!(matches!(judged, Staleness::Fresh { .. }));
    }

    #[test]
    fn no_profile_is_missing() {
        let now = at("2027-01-01T00:00:00Z");
        assert_eq!(staleness(None, &subject(), SUITE, now, DAY), Staleness::Missing);
    }

    #[test]
    fn an_address_that_is_only_spelled_otherwise_keeps_a_profile_fresh() {
        let same = Subject { endpoint: "https://API.acme.test:443/".to_owned(), ..subject() };
        let fresh = ["fresh until 2026-11-16 00:00:00 UTC"];
        assert_eq!(judged(&same, SUITE, "2026-11-15T00:00:00Z"), fresh);
    }
}
