//! A recorded model as a target, at the address of a server that replays it.

use std::path::Path;

use super::transcript::Transcript;
use crate::target::{
    Defaults, DialectChoice, ExtraBody, Target, TargetEntry, TargetError, resolve,
};

/// The model of a transcript as a target that is asked as it was when it was recorded.
pub(crate) fn recorded_target(
    transcript: &Transcript,
    base_url: &str,
) -> Result<Target, TargetError> {
    let thinking = transcript.thinking.clone();
    let entry = TargetEntry {
        name: Some(transcript.name()),
        base_url: Some(base_url.to_owned()),
        dialect: Some(DialectChoice::Fixed(transcript.dialect)),
        model: Some(transcript.subject.model.clone()),
        thinking_on: thinking.as_ref().map(|switch| ExtraBody(switch.on.clone())),
        thinking_off: thinking.map(|switch| ExtraBody(switch.off)),
        extra_body: Some(ExtraBody(transcript.extra_body.clone())),
        ..TargetEntry::default()
    };
    let targets = resolve(&entry, &Defaults::default(), Path::new(""), &|_| None)?;
    let mut target = targets.into_iter().next().ok_or_else(|| TargetError {
        field: "model".to_owned(),
        problem: "gives no target".to_owned(),
    })?;
    target.endpoint.alias = Some(transcript.subject.endpoint.clone());
    target.subject = Some(transcript.subject.clone());
    Ok(target)
}
