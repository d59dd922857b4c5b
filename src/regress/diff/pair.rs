//! Pairs: which profile of one side is about the same target as which of the other.
//!
//! A target is known by its name. One whose name is new on one side and gone on the other is paired by
//! what it stands for: a snapshot from before names were kept, or a target that was renamed.

use std::collections::HashMap;
use std::hash::Hash;

use crate::profile::{EndpointId, Profile, Subject};

/// Two sets of profiles, target by target.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Pairs<'a> {
    /// The older and the newer profile of each target that both sides have.
    pub both: Vec<(&'a Profile, &'a Profile)>,
    /// Those that only the older side has.
    pub gone: Vec<&'a Profile>,
    /// Those that only the newer side has.
    pub new: Vec<&'a Profile>,
}

impl<'a> Pairs<'a> {
    /// Pairs two sets of profiles: by name, then by model and endpoint, then by model alone.
    pub(crate) fn of(
        old: impl IntoIterator<Item = &'a Profile>,
        new: impl IntoIterator<Item = &'a Profile>,
    ) -> Self {
        let (gone, new) = (old.into_iter().collect(), new.into_iter().collect());
        let mut pairs = Self { gone, new, ..Self::default() };
        pairs.take(Profile::name, |_, _| true);
        pairs.take(model, is_same_place);
        pairs.take(model, |_, _| true);
        pairs
    }

    /// Moves those that have the same key and fit; of several older ones the newest is taken. Groups by key make
    /// this linear in the number of targets.
    fn take<K: Eq + Hash>(
        &mut self,
        key: impl Fn(&'a Profile) -> K,
        fit: impl Fn(&Profile, &Profile) -> bool,
    ) {
        if self.gone.is_empty() || self.new.is_empty() {
            return;
        }
        let mut groups: HashMap<K, Vec<(usize, &'a Profile)>> = HashMap::new();
        for (place, old) in std::mem::take(&mut self.gone).into_iter().enumerate() {
            groups.entry(key(old)).or_default().push((place, old));
        }
        for new in std::mem::take(&mut self.new) {
            let newest = groups.get_mut(&key(new)).and_then(|group| {
                let fitting = group.iter().enumerate().filter(|(_, (_, old))| fit(old, new));
                let newest = fitting.max_by_key(|(_, (_, old))| old.verified_at);
                let index = newest.map(|(index, _)| index)?;
                Some(group.remove(index).1)
            });
            match newest {
                Some(old) => self.both.push((old, new)),
                None => self.new.push(new),
            }
        }
        let mut left: Vec<(usize, &Profile)> = groups.into_values().flatten().collect();
        left.sort_by_key(|(place, _)| *place);
        self.gone = left.into_iter().map(|(_, old)| old).collect();
    }
}

fn model(profile: &Profile) -> (&str, &str, Option<&str>) {
    let Subject { provider, model, variant, .. } = &profile.subject;
    (provider, model, variant.as_deref())
}

fn is_same_place(old: &Profile, new: &Profile) -> bool {
    let place = |profile: &Profile| EndpointId::of(&profile.subject.endpoint, new.dialect);
    place(old) == place(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::testing::profile;

    fn named(name: Option<&str>, endpoint: &str) -> Profile {
        let mut profile = profile();
        profile.name = name.map(ToOwned::to_owned);
        profile.subject.endpoint = endpoint.to_owned();
        profile
    }

    /// The endpoints of both sides of each pair.
    fn paired(old: &[Profile], new: &[Profile]) -> Vec<(String, String)> {
        let endpoint = |profile: &Profile| profile.subject.endpoint.clone();
        let pairs = Pairs::of(old, new);
        pairs.both.iter().map(|(old, new)| (endpoint(old), endpoint(new))).collect()
    }

    fn pair(old: &str, new: &str) -> (String, String) {
        (old.to_owned(), new.to_owned())
    }

    #[test]
    fn two_servers_with_one_model_are_paired_by_their_names() {
        let old = [named(Some("a"), "http://one"), named(Some("b"), "http://two")];
        let new = [named(Some("b"), "http://one"), named(Some("a"), "http://two")];
        let expected = [pair("http://two", "http://one"), pair("http://one", "http://two")];
        assert_eq!(paired(&old, &new), expected);
    }

    #[test]
    fn a_snapshot_without_a_name_and_a_renamed_target_are_known_by_where_they_are() {
        let old = [named(None, "http://one/v1"), named(Some("x"), "http://two")];
        let new = [named(Some("b"), "http://two/"), named(Some("a"), "http://one")];
        let expected = [pair("http://two", "http://two/"), pair("http://one/v1", "http://one")];
        assert_eq!(paired(&old, &new), expected);
    }

    #[test]
    fn what_only_one_side_has_is_new_or_gone() {
        let (old, mut new) = ([named(Some("a"), "http://one")], [named(Some("b"), "http://one")]);
        new[0].subject.model = "other".to_owned();
        let pairs = Pairs::of(&old, &new);
        assert_eq!((pairs.both.len(), pairs.gone.len(), pairs.new.len()), (0, 1, 1));
    }
}
