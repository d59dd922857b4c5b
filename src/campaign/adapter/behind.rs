//! The model behind each name at a gateway: a simulated one, or one that was recorded.

use std::collections::BTreeMap;

/// A name at a gateway, and the model that it is said to lead to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Behind {
    /// The model's name at the gateway.
    pub(crate) name: String,
    /// The name of what should answer.
    pub(crate) model: String,
}

/// Why it is not known what stands behind a gateway.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BehindError {
    /// No simulated model has this name.
    #[error(
        "no simulated model is called '{name}'; `toolprobe list models` shows them, and \
         --map {gateway}=NAME says which one stands behind a name of the gateway's own"
    )]
    NoSuchModel {
        /// The name at the gateway.
        gateway: String,
        /// The name that was looked for.
        name: String,
    },
    /// The gateway does not say what it offers.
    #[error("the gateway lists no models; name them with --model")]
    NothingListed,
    /// Its models are not simulated ones.
    #[error(
        "none of the models that the gateway lists is a simulated one ({}); put the simulator \
         behind it, or say with --map which name stands for which model",
        .listed.join(", ")
    )]
    OthersListed {
        /// What it offers.
        listed: Vec<String>,
    },
}

/// The models that are asked for: those named, else those that the gateway lists and a simulated
/// model stands behind. `map` says which model is behind names of the gateway's own.
pub(crate) fn find_behind(
    is_served: &dyn Fn(&str) -> bool,
    named: &[String],
    listed: Option<&[String]>,
    map: &BTreeMap<String, String>,
) -> Result<Vec<Behind>, BehindError> {
    if !named.is_empty() {
        return named.iter().map(|name| find(is_served, name, map)).collect();
    }
    let mapped: Vec<Behind> =
        map.keys().map(|name| find(is_served, name, map)).collect::<Result<_, _>>()?;
    let others = listed.unwrap_or_default().iter().filter(|name| !map.contains_key(*name));
    let found: Vec<Behind> = mapped
        .into_iter()
        .chain(others.filter_map(|name| find(is_served, name, map).ok()))
        .collect();
    match (found.is_empty(), listed) {
        (false, _) => Ok(found),
        (true, None | Some([])) => Err(BehindError::NothingListed),
        (true, Some(listed)) => Err(BehindError::OthersListed { listed: listed.to_vec() }),
    }
}

/// The model of a gateway's name: by the map, by the name itself, or by the name without a provider
/// before it.
fn find(
    is_served: &dyn Fn(&str) -> bool,
    gateway: &str,
    map: &BTreeMap<String, String>,
) -> Result<Behind, BehindError> {
    let name = map.get(gateway).map_or(gateway, String::as_str);
    let last = name.rsplit('/').next().unwrap_or(name);
    let model = [name, last].into_iter().find(|name| is_served(name));
    let model = model.ok_or_else(|| BehindError::NoSuchModel {
        gateway: gateway.to_owned(),
        name: name.to_owned(),
    })?;
    Ok(Behind { name: gateway.to_owned(), model: model.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Fleet;

    fn found(
        named: &[&str],
        listed: Option<&[&str]>,
        map: &[(&str, &str)],
    ) -> Result<Vec<(String, String)>, BehindError> {
        let owned =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let map = map.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let fleet = Fleet::embedded().unwrap();
        let listed = listed.map(owned);
        let is_served = |name: &str| fleet.get(name).is_some();
        let found = find_behind(&is_served, &owned(named), listed.as_deref(), &map)?;
        Ok(found.into_iter().map(|it| (it.name, it.model)).collect())
    }

    fn pair(name: &str, model: &str) -> (String, String) {
        (name.to_owned(), model.to_owned())
    }

    #[test]
    fn what_the_gateway_lists_and_a_simulated_model_is_called_is_asked_for() {
        let listed = ["gpt-4o", "openai-native", "sim/one-call"];
        let expected =
            vec![pair("openai-native", "openai-native"), pair("sim/one-call", "one-call")];
        assert_eq!(found(&[], Some(&listed), &[]), Ok(expected));
    }

    #[test]
    fn a_name_of_the_gateways_own_is_mapped() {
        let map = [("gpt-4o", "openai-native")];
        let expected = Ok(vec![pair("gpt-4o", "openai-native")]);
        assert_eq!(found(&["gpt-4o"], None, &map), expected);
        assert_eq!(found(&[], Some(&["gpt-4o", "o9"]), &map), expected);
        assert_eq!(found(&[], None, &map), expected);
    }

    #[test]
    fn what_is_no_simulated_model_is_told_with_what_to_do() {
        let problem = found(&["gpt-4o"], None, &[]).unwrap_err().to_string();
        assert!(problem.contains("'gpt-4o'") && problem.contains("--map gpt-4o=NAME"), "{problem}");
        assert_eq!(found(&[], None, &[]), Err(BehindError::NothingListed));
        let problem = found(&[], Some(&["gpt-4o"]), &[]).unwrap_err().to_string();
        assert!(problem.contains("(gpt-4o)"), "{problem}");
    }
}
