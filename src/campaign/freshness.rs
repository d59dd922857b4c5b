//! Freshness: whether there is a profile of a target that still holds.
//!
//! Answered without asking the endpoint: a chat template that only the server knows is taken to be
//! the one it told last.

use chrono::{DateTime, Utc};

use crate::profile::{EndpointId, Profile, Staleness, Subject, staleness};
use crate::target::{Access, Target, TemplateFileError, read_template};

/// The profile that is about a target, if any, and whether it still holds.
pub(crate) fn freshness<'a>(
    target: &Target,
    profiles: &'a [Profile],
    probe_version: &str,
    now: DateTime<Utc>,
) -> Result<(Option<&'a Profile>, Staleness), TemplateFileError> {
    let Some(access) = target.endpoint.accesses.first() else {
        return Ok((None, Staleness::Missing));
    };
    let first_guess = target.subject_at(access, None);
    let known = last_known(target, &first_guess, profiles);
    let now_about = match known {
        None => first_guess,
        Some(profile) => about(target, access, profile)?,
    };
    let ttl = target.endpoint.ttl;
    Ok((known, staleness(known, &now_about, probe_version, now, ttl)))
}

/// The profile of the target's name; else, from before names were kept or from another name, the newest
/// of the same model, at one of the target's addresses if there is one.
fn last_known<'a>(
    target: &Target,
    guess: &Subject,
    profiles: &'a [Profile],
) -> Option<&'a Profile> {
    let is_here = |profile: &Profile| {
        let here = |access: &Access| {
            let endpoint = target.subject_at(access, None).endpoint;
            let id = |address: &str| EndpointId::of(address, access.dialect);
            id(&endpoint) == id(&profile.subject.endpoint)
        };
        target.endpoint.accesses.iter().any(here)
    };
    let same_model = profiles.iter().filter(|profile| {
        let known = &profile.subject;
        (&known.provider, &known.model, &known.variant)
            == (&guess.provider, &guess.model, &guess.variant)
    });
    let by_name = profiles.iter().find(|profile| profile.name() == target.name);
    by_name.or_else(|| same_model.max_by_key(|profile| (is_here(profile), profile.verified_at)))
}

/// What a profile of the target would be about today.
pub(super) fn about(
    target: &Target,
    first: &Access,
    known: &Profile,
) -> Result<Subject, TemplateFileError> {
    if let Some(subject) = &target.subject {
        return Ok(subject.clone());
    }
    let mut accesses = target.endpoint.accesses.iter();
    let access = accesses.find(|access| access.dialect == known.dialect).unwrap_or(first);
    let mut subject = target.subject_at(access, None);
    subject.chat_template_hash = match &target.endpoint.chat_template {
        Some(path) => Some(read_template(path)?.hash().to_string()),
        None => known.subject.chat_template_hash.clone(),
    };
    Ok(subject)
}
