//! Sharding: which targets one of several machines asks.
//!
//! Every machine computes the same parts from the same configuration, whatever the order of its targets. Each target
//! has an order of the parts by a digest of its name, and goes to the first that has room: so the parts have the same
//! to do, and a target that is added moves few of the others.

use std::cmp::Reverse;

use super::{RunSettings, foreseen};
use crate::ir::Digest;
use crate::store::Shard;
use crate::target::Target;

/// The targets of a shard, in the order they were given.
pub(crate) fn take_shard(
    targets: Vec<Target>,
    shard: Shard,
    settings: &RunSettings,
) -> Vec<Target> {
    let costs: Vec<u64> =
        targets.iter().map(|target| foreseen(target, settings).likely.requests).collect();
    let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
    let parts = assign(&names, &costs, shard.of());
    let chosen = targets.into_iter().zip(parts).filter(|(_, part)| *part == shard.place());
    chosen.map(|(target, _)| target).collect()
}

/// What tells other targets apart from these.
pub(crate) fn digest_of(targets: &[Target]) -> Digest {
    let mut names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
    names.sort_unstable();
    Digest::of(names.join("\n"))
}

/// The part of each target.
fn assign(names: &[&str], costs: &[u64], parts: usize) -> Vec<usize> {
    let all = names.iter().zip(costs).enumerate();
    let mut order: Vec<(usize, &str, u64)> =
        all.map(|(place, (name, cost))| (place, *name, *cost)).collect();
    // The costliest first, because the others fill what is left.
    order.sort_by_cached_key(|(_, name, cost)| (Reverse(*cost), Digest::of(name)));
    let count = u64::try_from(parts).unwrap_or(u64::MAX).max(1);
    let room = costs.iter().sum::<u64>().div_ceil(count);
    let (mut loads, mut assigned) = (vec![0_u64; parts], vec![0; names.len()]);
    for (place, name, cost) in order {
        let liked = preference(name, parts);
        let fits = |part: &&usize| loads.get(**part).is_some_and(|load| load + cost <= room);
        let least = liked.iter().min_by_key(|part| loads.get(**part));
        let chosen = liked.iter().find(fits).or(least).copied().unwrap_or(0);
        if let (Some(load), Some(mine)) = (loads.get_mut(chosen), assigned.get_mut(place)) {
            *load += cost;
            *mine = chosen;
        }
    }
    assigned
}

/// The parts in the order in which a target likes them, which is another for every name.
fn preference(name: &str, parts: usize) -> Vec<usize> {
    let mut liked: Vec<usize> = (0..parts).collect();
    liked.sort_by_cached_key(|part| Digest::of(format!("{part}/{name}")));
    liked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_depend_on_the_order_of_targets() {
        let (names, costs) = (["a", "b", "c", "d", "e"], [5, 1, 4, 2, 3]);
        let parts = assign(&names, &costs, 2);
        let reversed: Vec<&str> = names.iter().rev().copied().collect();
        let mut turned = assign(&reversed, &[3, 2, 4, 1, 5], 2);
        turned.reverse();
        assert_eq!(parts, turned);
    }

    #[test]
    fn parts_have_about_the_same_to_do() {
        let names: Vec<String> = (0..300).map(|nth| format!("target-{nth}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let costs: Vec<u64> = (0..300).map(|nth| 40 + nth % 7 * 30).collect();
        let parts = assign(&names, &costs, 4);
        let load = |part| -> u64 {
            parts.iter().zip(&costs).filter(|(it, _)| **it == part).map(|(_, cost)| cost).sum()
        };
        let loads = [0, 1, 2, 3].map(load);
        let (least, most) = (loads.iter().min().unwrap(), loads.iter().max().unwrap());
        assert!(most - least <= 220, "{loads:?}");
    }

    #[test]
    fn a_target_that_is_added_moves_few_of_the_others() {
        let mut names: Vec<String> = (0..300).map(|nth| format!("target-{nth}")).collect();
        let all = |names: &[String]| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            assign(&names, &vec![126; names.len()], 4)
        };
        let before = all(&names);
        names.push("added".to_owned());
        let moved = before.iter().zip(all(&names)).filter(|(before, after)| *before != after);
        assert!(moved.count() <= 15);
    }

    #[test]
    fn more_parts_than_targets_leave_some_empty() {
        let parts = assign(&["a", "b"], &[1, 1], 4);
        assert_ne!(parts[0], parts[1]);
    }
}
