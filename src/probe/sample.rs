//! Samples: one probe asked once more, to tell a regression from noise.

use futures_util::future::join;

use super::bench::Bench;
use super::kind::Known;
use super::ladder::Ladder;
use super::run::{ask_all, settle};
use super::{Probe, Seed};
use crate::ir::Layer;
use crate::profile::{Finding, Results, lower_by_clients};

/// What is asked again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Again<'a> {
    /// Its id.
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
pub(crate) async fn sample(
    bench: &Bench,
    probes: &[&Probe],
    again: Again<'_>,
    control: &Finding,
) -> Results {
    let Again { probe, case, number, layer } = again;
    let bench = &Bench { trials: 1, seed: fresh(&bench.seed, number), ..bench.clone() };
    let needed: Vec<Probe> = with_twins(probes, probe)
        .into_iter()
        .map(|it| match case.filter(|_| it.id == probe) {
            Some(case) => it.narrow(case),
            None => it.clone(),
        })
        .collect();
    let needed: Vec<&Probe> = needed.iter().collect();
    let climb = async {
        match Ladder::among(&needed) {
            Some(ladder) => Some(ladder.ask_on_rung(bench).await),
            None => None,
        }
    };
    let (climb, asked) = join(climb, ask_all(bench, &needed, &())).await;
    let layer = climb.as_ref().and_then(|climb| climb.result.layer).or(layer);
    let known = Known { control: control.clone(), layer, ..Known::of(bench) };
    let mut results = settle(climb, asked, known);
    lower_by_clients(&mut results, bench.client.dialect());
    results
}

fn fresh(seed: &Seed, number: u32) -> Seed {
    seed.child("sampled again").child(&number.to_string())
}

/// The probe, and the plain ones that it compares itself with.
fn with_twins<'a>(probes: &[&'a Probe], id: &str) -> Vec<&'a Probe> {
    let Some(probe) = probes.iter().find(|probe| probe.id == id) else { return Vec::new() };
    let is_needed = |other: &&Probe| other.id == id || probe.twins().contains(&other.id.as_str());
    probes.iter().copied().filter(is_needed).collect()
}
