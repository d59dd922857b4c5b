//! An adapter and the simulated models behind it: each model is probed directly and through it.
//!
//! - `field_audit`: each field of a request sent through the gateway
//! - `behind`: which simulated model stands behind which name at the gateway
//! - `reach`: whether a request through the gateway reaches the simulator
//! - `seen`: what the exchanges let a client see
//! - `upstream`: which simulator the gateway leads to, and what arrived there
//! - `both_ends`, `passages`: what was sent held against what arrived
//! - `checks`, `rich`, `rich_bodies`: what is sent beside the suite, to see every aspect of a request travel

mod behind;
mod both_ends;
mod checks;
mod field_audit;
mod passages;
mod reach;
mod rich;
mod rich_bodies;
mod seen;
mod upstream;

use std::collections::BTreeMap;

use futures_util::future::join_all;

pub(crate) use behind::{Behind, find_behind};
pub(crate) use both_ends::BothEnds;
pub(crate) use field_audit::{FieldPassages, audit_fields};
pub(crate) use reach::NotReached;
use reach::find_access;
use seen::seen;
pub(crate) use upstream::UpstreamError;

use super::{ProbedTarget, Suspect};
use crate::profile::{Confirmation, Subject};
use crate::regress::passage::PassageView;
use crate::regress::{
    AdapterSide, Diff, Unrecorded, as_translated, compare_through_adapter, with_unrecorded,
};
use crate::sim::dialect_switch;
use crate::store::{Evidence, StoreError};
use crate::target::{Access, Connection};
use crate::transport::RecordedExchange;

/// Stands for the provider in the subjects of models through an adapter.
pub(crate) const ADAPTER: &str = "adapter";

/// One model, directly and through the adapter.
pub(crate) struct Pair {
    pub(crate) direct: Connection,
    pub(crate) through: Connection,
}

/// What each side of a pair showed, by the name of the target.
type Found = BTreeMap<String, AdapterSide>;

impl Pair {
    /// Speaks to the gateway over this access. Thinking is switched as it is directly, or where the
    /// dialect is another one, as that dialect does it.
    fn settle(&mut self, mut access: Access) {
        let own = self.direct.target.endpoint.accesses.first();
        if access.thinking.is_none() {
            access.thinking = own.and_then(|own| match &own.thinking {
                Some(switch) if own.dialect == access.dialect => Some(switch.clone()),
                Some(_) => dialect_switch(access.dialect),
                None => None,
            });
        }
        let target = &mut self.through.target;
        if own.is_some_and(|own| own.dialect == access.dialect) {
            target.extra_body.clone_from(&self.direct.target.extra_body);
        }
        let subject = target.subject_at(&access, None);
        target.subject = Some(Subject { provider: ADAPTER.to_owned(), ..subject });
        target.endpoint.accesses = vec![access];
    }

    /// Both connections of all pairs.
    pub(crate) fn connections_mut(pairs: &mut [Self]) -> impl Iterator<Item = &mut Connection> {
        pairs.iter_mut().flat_map(|pair| [&mut pair.direct, &mut pair.through])
    }

    /// Both sides of all pairs.
    pub(crate) fn connections(pairs: &[Self]) -> Vec<Connection> {
        pairs.iter().flat_map(|pair| [pair.direct.clone(), pair.through.clone()]).collect()
    }

    /// What both sides showed, where there is a profile of both.
    fn sides<'a>(&self, found: &'a Found) -> Option<(&'a AdapterSide, &'a AdapterSide)> {
        Some((found.get(&self.direct.target.name)?, found.get(&self.through.target.name)?))
    }
}

/// Makes sure that the gateway leads to the simulator, and settles on the access that does. Gives the
/// pairs that can be compared, and why the others cannot; an error where none can.
pub(crate) async fn reach_all(
    pairs: Vec<Pair>,
) -> Result<(Vec<Pair>, Vec<NotReached>), NotReached> {
    let accesses =
        join_all(pairs.iter().map(|pair| find_access(&pair.through, &pair.direct))).await;
    let (mut reached, mut missed) = (Vec::new(), Vec::new());
    for (mut pair, access) in pairs.into_iter().zip(accesses) {
        match access {
            Ok(access) => {
                pair.settle(access);
                reached.push(pair);
            }
            Err(problem) => missed.push(problem),
        }
    }
    match (reached.is_empty(), missed.pop()) {
        (true, Some(problem)) => Err(problem),
        (_, last) => {
            missed.extend(last);
            Ok((reached, missed))
        }
    }
}

/// What of a probed target is compared; its exchanges are in the run's evidence.
pub(crate) fn adapter_side(
    probed: ProbedTarget,
    evidence: &Evidence,
) -> Result<AdapterSide, StoreError> {
    let exchanges = exchanges_of(&probed, evidence)?;
    let seen = seen(probed.profile.dialect, &exchanges);
    Ok(AdapterSide { profile: probed.profile, seen, passages: PassageView::default() })
}

/// The exchanges of a probed target that the run's evidence keeps.
pub(crate) fn exchanges_of(
    probed: &ProbedTarget,
    evidence: &Evidence,
) -> Result<Vec<RecordedExchange>, StoreError> {
    let exchanges: Result<Vec<_>, _> = probed.kept.iter().map(|it| evidence.get(it)).collect();
    Ok(exchanges?.into_iter().map(Into::into).collect())
}

/// The models that the adapter seems to break.
pub(crate) fn adapter_suspects<'a>(pairs: &'a [Pair], found: &'a Found) -> Vec<Suspect<'a>> {
    let suspect = |pair: &'a Pair| {
        let (direct, adapter) = pair.sides(found)?;
        let before = as_translated(&direct.profile, &adapter.profile);
        let changes = compare_through_adapter(direct, adapter).changes;
        Suspect::of(&pair.through, before, &adapter.profile, &changes)
    };
    pairs.iter().filter_map(suspect).collect()
}

/// What differs between the two sides, and the models that were compared, by their names at the
/// gateway.
pub(crate) fn compare_pairs(
    pairs: &[Pair],
    found: &Found,
    unrecorded: &BTreeMap<String, Unrecorded>,
    confirmations: &[Confirmation],
) -> (Diff, Vec<String>) {
    let (mut diff, mut models) = (Diff::default(), Vec::new());
    for pair in pairs {
        let Some((direct, adapter)) = pair.sides(found) else { continue };
        let one = compare_through_adapter(direct, adapter);
        let name = &pair.through.target.name;
        let one = match unrecorded.get(name) {
            Some(unrecorded) => with_unrecorded(one, name, unrecorded),
            None => one,
        };
        diff.compared += one.compared;
        diff.changes.extend(one.changes);
        models.push(pair.through.target.model.clone());
    }
    (diff.with_confirmations(confirmations), models)
}
