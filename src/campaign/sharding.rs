//! Sharding: which targets one of several machines asks.
//!
//! Every machine computes the same parts from the same configuration, whatever the order of its targets: the
//! costliest target first, each to the part that has the least to do so far.

use super::{RunSettings, foreseen};
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

/// The part of each target.
fn assign(names: &[&str], costs: &[u64], parts: usize) -> Vec<usize> {
    let mut order: Vec<(usize, &str, u64)> = names
        .iter()
        .zip(costs)
        .enumerate()
        .map(|(place, (name, cost))| (place, *name, *cost))
        .collect();
    order.sort_by(|(_, a, costs_a), (_, b, costs_b)| costs_b.cmp(costs_a).then(a.cmp(b)));
    let (mut loads, mut assigned) = (vec![0_u64; parts], vec![0; names.len()]);
    for (place, _, cost) in order {
        let least = loads.iter_mut().enumerate().min_by_key(|(_, load)| **load);
        if let (Some((part, load)), Some(mine)) = (least, assigned.get_mut(place)) {
            *load += cost;
            *mine = part;
        }
    }
    assigned
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
    fn more_parts_than_targets_leave_some_empty() {
        assert_eq!(assign(&["a", "b"], &[1, 1], 4), [0, 1]);
    }
}
