//! How is one probe asked once more, to tell a regression from noise?

use futures_util::future::{join, join_all};

use super::bench::{Bench, Known};
use super::run::{ask_one, placed};
use super::streaming::Plain;
use super::suite::Ask;
use super::{Probe, Seed, basic_format};
use crate::ir::Layer;
use crate::profile::{Finding, Results};

/// What is asked again.
#[derive(Debug, Clone, Copy)]
pub struct Again<'a> {
    /// The probe.
    pub probe: &'a str,
    /// The one case of it, where it is one.
    pub case: Option<&'a str>,
    /// The number of the sample: each has values of its own.
    pub number: u32,
    /// Where single calls stand on this rung, where that is known.
    pub layer: Option<Layer>,
}

/// One trial of one probe, on the rung that the bench names, with fresh values. A streamed twin is
/// asked together with its plain one, which is its control; the control of the others is given.
pub async fn sample(
    bench: &Bench,
    probes: &[&Probe],
    again: Again<'_>,
    control: &Finding,
) -> Results {
    let Again { probe, case, number, layer } = again;
    let bench = &Bench { trials: 1, seed: fresh(&bench.seed, number), ..bench.clone() };
    let needed: Vec<Probe> = needed(probes, probe)
        .into_iter()
        .map(|it| narrowed(it, case.filter(|_| it.id == probe)))
        .collect();
    let needed: Vec<&Probe> = needed.iter().collect();
    let first = needed.iter().find_map(|probe| match &probe.file.ask {
        Ask::BasicFormat(ask) => Some((*probe, ask)),
        _ => None,
    });
    let basic = async {
        let (probe, ask) = first?;
        Some(basic_format::again(bench, probe, ask).await)
    };
    let others = join_all(needed.iter().map(|probe| ask_one(bench, &needed, probe)));
    let (basic, asked) = join(basic, others).await;
    let plain = basic
        .iter()
        .map(|it| (it.result.outcome.probe.clone(), Plain::of(it.findings.clone(), Vec::new())));
    let layer = basic.as_ref().and_then(|it| it.result.layer).or(layer);
    let known = Known { control: control.clone(), layer };
    let mut results = placed(&needed, asked, &known, plain.collect());
    results.single_tool = basic.map(|it| it.result);
    results
}

fn fresh(seed: &Seed, number: u32) -> Seed {
    seed.child("sampled again").child(&number.to_string())
}

/// The probe, and the plain ones that it compares itself with.
fn needed<'a>(probes: &[&'a Probe], id: &str) -> Vec<&'a Probe> {
    let Some(probe) = probes.iter().find(|probe| probe.id == id) else { return Vec::new() };
    let is_twin = |other: &Probe| match &probe.file.ask {
        Ask::Streaming(twins) => twins.twins.contains(&other.id),
        _ => false,
    };
    probes.iter().copied().filter(|other| other.id == id || is_twin(other)).collect()
}

/// The probe with only one of its cases, where it has a list of them.
fn narrowed(probe: &Probe, case: Option<&str>) -> Probe {
    let mut probe = probe.clone();
    if let (Some(case), Ask::Call(cases)) = (case, &mut probe.file.ask) {
        cases.retain(|it| it.id == case);
    }
    probe
}
