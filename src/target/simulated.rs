//! The simulated models as targets.

use std::num::NonZeroUsize;
use std::path::Path;

use super::resolve::{Target, TargetError, resolve};
use super::{Defaults, DialectChoice, ExtraBody, Limits, TargetEntry};
use crate::profile::Subject;
use crate::sim::{Fleet, ModelFile, thinking_switch};

/// What stands for the address of a simulated model, so that profiles do not depend on a port.
pub(crate) const ADDRESS: &str = "sim:";

/// Requests at the same time to all simulated models, which share one server of our own.
const AT_ONCE: NonZeroUsize = NonZeroUsize::MIN.saturating_add(63);

/// A simulated model as a target whose profile does not name the port.
pub fn simulated(
    model: &ModelFile,
    base_url: &str,
    defaults: &Defaults,
) -> Result<Target, TargetError> {
    let switch = thinking_switch(model);
    let entry = TargetEntry {
        name: Some(model.name.clone()),
        base_url: Some(base_url.to_owned()),
        dialect: Some(DialectChoice::Fixed(model.dialect)),
        model: Some(model.name.clone()),
        thinking_on: switch.as_ref().map(|switch| ExtraBody(switch.on.clone())),
        thinking_off: switch.map(|switch| ExtraBody(switch.off)),
        limits: defaults.limits.or(Limits { concurrency: Some(AT_ONCE), ..Limits::default() }),
        ..TargetEntry::default()
    };
    let targets = resolve(&entry, defaults, Path::new(""), &|_| None)?;
    let mut target = targets
        .into_iter()
        .next()
        .ok_or_else(|| TargetError::new("model", "the entry gives no target"))?;
    target.endpoint.alias = Some(ADDRESS.to_owned());
    target.subject = Some(Subject {
        provider: "sim".to_owned(),
        model: model.name.clone(),
        endpoint: ADDRESS.to_owned(),
        chat_template_hash: None,
        variant: None,
    });
    Ok(target)
}

/// Every model of a fleet that is served at this address.
pub fn simulated_fleet(
    fleet: &Fleet,
    base_url: &str,
    defaults: &Defaults,
) -> Result<Vec<Target>, TargetError> {
    fleet.iter().map(|model| simulated(model, base_url, defaults)).collect()
}
