//! An adapter and the simulated models behind it: each model is probed directly and through it.
//!
//! - `behind`: which simulated model stands behind which name at the gateway
//! - `reach`: whether a request through the gateway reaches the simulator
//! - `seen`: what the exchanges let a client see

mod behind;
mod reach;
mod seen;

use std::collections::BTreeMap;

use futures_util::future::try_join_all;

pub(crate) use behind::{Behind, find_behind};
use reach::{NotReached, find_access};
use seen::seen;

use super::{ProbedTarget, Suspect};
use crate::profile::{Confirmation, Subject};
use crate::regress::{AdapterSide, Diff, as_translated, compare_through_adapter};
use crate::target::Connection;

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
    /// Both sides of all pairs.
    pub(crate) fn connections(pairs: &[Self]) -> Vec<Connection> {
        pairs.iter().flat_map(|pair| [pair.direct.clone(), pair.through.clone()]).collect()
    }

    /// What both sides showed, where there is a profile of both.
    fn sides<'a>(&self, found: &'a Found) -> Option<(&'a AdapterSide, &'a AdapterSide)> {
        Some((found.get(&self.direct.target.name)?, found.get(&self.through.target.name)?))
    }
}

/// Makes sure that the gateway leads to the simulator, and settles on the access that does.
pub(crate) async fn reach_all(pairs: &mut [Pair]) -> Result<(), NotReached> {
    let accesses =
        try_join_all(pairs.iter().map(|pair| find_access(&pair.through, &pair.direct))).await?;
    for (pair, access) in pairs.iter_mut().zip(accesses) {
        let target = &mut pair.through.target;
        let subject = target.subject_at(&access, None);
        target.subject = Some(Subject { provider: ADAPTER.to_owned(), ..subject });
        target.endpoint.accesses = vec![access];
    }
    Ok(())
}

/// What of a probed target is compared.
pub(crate) fn adapter_side(probed: ProbedTarget) -> AdapterSide {
    let seen = seen(probed.profile.dialect, &probed.exchanges);
    AdapterSide { profile: probed.profile, seen }
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
    confirmations: &[Confirmation],
) -> (Diff, Vec<String>) {
    let (mut diff, mut models) = (Diff::default(), Vec::new());
    for pair in pairs {
        let Some((direct, adapter)) = pair.sides(found) else { continue };
        let one = compare_through_adapter(direct, adapter);
        diff.compared += one.compared;
        diff.changes.extend(one.changes);
        models.push(pair.through.target.model.clone());
    }
    (diff.with_confirmations(confirmations), models)
}
