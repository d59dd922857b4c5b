//! Is there a profile of a target that is still worth believing?
//!
//! Answered from what is known without asking the endpoint: a template that only the server could
//! tell is taken to be the one it told last.

use chrono::{DateTime, Utc};

use crate::profile::{Profile, Staleness, Subject, predecessor, staleness};
use crate::target::{Access, Target, TemplateFileError, read_template};

/// The profile that is about a target, if any, and whether it still holds. `subject` is what the
/// profile is said to be about, where not the target's own address.
pub fn freshness<'a>(
    target: &Target,
    subject: Option<&Subject>,
    profiles: &'a [Profile],
    probe_version: &str,
    now: DateTime<Utc>,
) -> Result<(Option<&'a Profile>, Staleness), TemplateFileError> {
    let Some(way) = target.endpoint.ways.first() else { return Ok((None, Staleness::Missing)) };
    let first_guess = subject.cloned().unwrap_or_else(|| target.subject(way, None));
    let known = last_known(target, &first_guess, profiles);
    let now_about = match (subject, known) {
        (Some(subject), _) => subject.clone(),
        (None, None) => first_guess,
        (None, Some(profile)) => about(target, way, profile)?,
    };
    let ttl = target.endpoint.ttl;
    Ok((known, staleness(known, &now_about, probe_version, now, ttl)))
}

/// The newest profile at one of the target's addresses, else the newest of the same model anywhere.
fn last_known<'a>(
    target: &Target,
    guess: &Subject,
    profiles: &'a [Profile],
) -> Option<&'a Profile> {
    let here: Vec<String> =
        target.endpoint.ways.iter().map(|way| target.subject(way, None).endpoint).collect();
    let at_home = profiles.iter().filter(|profile| here.contains(&profile.subject.endpoint));
    predecessor(at_home, guess).or_else(|| predecessor(profiles, guess))
}

/// What a profile of the target would be about today.
pub(super) fn about(
    target: &Target,
    first: &Access,
    known: &Profile,
) -> Result<Subject, TemplateFileError> {
    let way = target.endpoint.ways.iter().find(|way| way.dialect == known.dialect).unwrap_or(first);
    let mut subject = target.subject(way, None);
    subject.chat_template_hash = match &target.endpoint.chat_template {
        Some(path) => Some(read_template(path)?.hash().to_string()),
        None => known.subject.chat_template_hash.clone(),
    };
    Ok(subject)
}
