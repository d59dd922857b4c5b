//! A test per row of the tables, and the ways in which tiers may and may not move.

use super::*;
use crate::adapt::rollout::RolloutState;
use crate::adapt::rollout::limits::{DEGRADED, LIMITS};
use crate::adapt::rollout::state::ToolUse;
use crate::ir::{CallFormat, Layer};
use crate::profile::testing::{at, outcome, profile, single_tool};
use crate::profile::{
    CaseResult, CaseVerdict, Cases, Interval, Loop, Repair, Results, Status, capabilities,
};
use crate::telemetry::{Counts, TurnEvent};

fn passing() -> crate::profile::ProbeOutcome {
    let interval = Some(Interval(0.44, 1.0));
    crate::profile::ProbeOutcome { passes: 3, trials: 3, interval, ..outcome(Status::Pass) }
}

/// A profile that may rise to the top.
fn good() -> Profile {
    let mut single = single_tool(Layer::Structured);
    single.outcome = passing();
    single.format = Some(CallFormat::OpenAi);
    let case = CaseResult {
        verdict: CaseVerdict::AcceptedValid,
        passes: 3,
        trials: 3,
        reason: String::new(),
        evidence: Vec::new(),
    };
    let results = Results {
        single_tool: Some(single),
        schema: Some(Cases::of(passing(), [("enum".to_owned(), case)])),
        closed_loop: Some(Loop { outcome: passing(), prompt_token_delta: None }),
        error_repair: Some(Repair { outcome: passing(), loops: 0 }),
        ..Results::default()
    };
    of(results)
}

fn of(results: Results) -> Profile {
    Profile { capabilities: capabilities(&results), results, ..profile() }
}

fn facts(profile: &Profile) -> Facts<'_> {
    Facts { profile, stale: Vec::new(), runs: 0, telemetry: None }
}

fn standing(tier: Tier) -> Standing {
    let mut state = RolloutState::default();
    let (mode, because, next) = (Mode::of(tier, false), Vec::new(), Vec::new());
    state.record("m", "p", Decision { tier, mode, because, next }, at("2026-11-15T00:00:00Z"));
    state.targets.remove("m").unwrap()
}

fn telemetry(event: TurnEvent, turns: usize) -> Metrics {
    Counts::of(&vec![event; turns]).metrics()
}

fn healthy() -> TurnEvent {
    TurnEvent { calls: 1, succeeded_calls: 1, ..TurnEvent::default() }
}

#[test]
fn every_limit_holds_for_some_profile_and_keeps_it_at_its_tier() {
    let base = good();
    assert_eq!(rollout(&base).ceiling, Tier::Full);
    let change = |change: fn(&mut Results)| {
        let mut results = good().results;
        change(&mut results);
        of(results)
    };
    let bad_calls = TurnEvent { calls: 1, invalid_calls: 1, ..TurnEvent::default() };
    let rows = [
        (
            Tier::Blocked,
            change(|it| {
                let single = it.single_tool.as_mut().unwrap();
                (single.format, single.delivery, single.layer) = (None, None, None);
                single.outcome.status = Status::Fail;
            }),
        ),
        (Tier::Shadow, change(|it| it.closed_loop = None)),
        (Tier::Shadow, change(|it| it.closed_loop.as_mut().unwrap().outcome.status = Status::Fail)),
        (
            Tier::ReadOnly,
            change(|it| {
                it.single_tool.as_mut().unwrap().outcome.interval = Some(Interval(0.2, 1.0));
            }),
        ),
        (Tier::ReadOnly, change(|it| it.schema = None)),
        (
            Tier::ReadOnly,
            change(|it| it.error_repair.as_mut().unwrap().outcome.status = Status::Fail),
        ),
        (Tier::ReadOnly, Profile { metrics: Some(telemetry(bad_calls, 4)), ..good() }),
    ];
    assert_eq!(rows.len(), LIMITS.len());
    for ((tier, profile), limit) in rows.iter().zip(LIMITS) {
        assert_eq!(limit.at_most, *tier, "{limit:?}");
        let found = rollout(profile);
        assert_eq!(found.ceiling, *tier, "{limit:?}");
        assert_eq!(found.tier, (*tier).min(Tier::Shadow), "{limit:?}");
        assert!(!found.because.is_empty(), "{limit:?}");
    }
}

#[test]
fn a_new_profile_starts_in_shadow_however_good_it_is() {
    let profile = good();
    let facts = Facts { runs: 9, telemetry: Some(telemetry(healthy(), 999)), ..facts(&profile) };
    let decision = evaluate(None, &facts);
    assert_eq!((decision.tier, decision.mode.tools), (Tier::Shadow, ToolUse::None));
}

#[test]
fn one_run_never_promotes_however_often_it_is_evaluated() {
    let profile = good();
    let mut standing = standing(Tier::Shadow);
    for _ in 0..20 {
        let decision = evaluate(Some(&standing), &Facts { runs: 1, ..facts(&profile) });
        assert_eq!(decision.tier, Tier::Shadow);
        standing.because = decision.because;
    }
}

#[test]
fn repeated_runs_or_healthy_telemetry_promote_by_one_step() {
    let profile = good();
    for (from, to) in [(Tier::Shadow, Tier::ReadOnly), (Tier::ReadOnly, Tier::Full)] {
        let by_runs = Facts { runs: REPEATED_RUNS, ..facts(&profile) };
        assert_eq!(evaluate(Some(&standing(from)), &by_runs).tier, to);
        let by_use = Facts { telemetry: Some(telemetry(healthy(), 50)), ..facts(&profile) };
        assert_eq!(evaluate(Some(&standing(from)), &by_use).tier, to);
        let too_little = Facts { telemetry: Some(telemetry(healthy(), 49)), ..facts(&profile) };
        assert_eq!(evaluate(Some(&standing(from)), &too_little).tier, from);
    }
}

#[test]
fn each_degraded_metric_demotes_in_one_evaluation_to_the_careful_mode() {
    let profile = good();
    let events = [
        TurnEvent { broken_calls: 1, ..TurnEvent::default() },
        TurnEvent { calls: 1, invalid_calls: 1, ..TurnEvent::default() },
        TurnEvent { closure_errors: 1, ..healthy() },
        TurnEvent { replayed_reasoning: true, reasoning_replay_error: true, ..healthy() },
        TurnEvent { after_tool_error: true, ..TurnEvent::default() },
    ];
    assert_eq!(events.len(), DEGRADED.len());
    for (event, (name, _)) in events.into_iter().zip(DEGRADED) {
        let metrics = telemetry(event, 100);
        let names: Vec<_> = degraded_metrics(&metrics).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, [*name]);
        let decision = evaluate(
            Some(&standing(Tier::Full)),
            &Facts { runs: 9, telemetry: Some(metrics), ..facts(&profile) },
        );
        assert_eq!(decision.tier, Tier::ReadOnly, "{}", name.as_str());
        assert_eq!(decision.mode, Mode::of(Tier::ReadOnly, true));
        assert!(!decision.mode.parallel && !decision.mode.streamed_tool_calls);
        assert!(decision.mode.strict_schema);
        assert!(decision.because.join("").contains(name.as_str()), "{:?}", decision.because);
    }
}

#[test]
fn runs_do_not_promote_what_degrades_in_use() {
    let profile = good();
    let broken = TurnEvent { broken_calls: 1, ..TurnEvent::default() };
    let metrics = Some(telemetry(broken, 100));
    let facts = Facts { runs: 9, telemetry: metrics, ..facts(&profile) };
    assert_eq!(evaluate(Some(&standing(Tier::Shadow)), &facts).tier, Tier::Shadow);
}

#[test]
fn a_stale_profile_falls_to_shadow() {
    let profile = good();
    let stale = vec!["ran out on Monday".to_owned()];
    let facts = Facts { stale: stale.clone(), runs: 9, ..facts(&profile) };
    let decision = evaluate(Some(&standing(Tier::Full)), &facts);
    assert_eq!((decision.tier, decision.because), (Tier::Shadow, stale));
}

#[test]
fn a_worse_profile_falls_to_its_ceiling_at_once() {
    let mut results = good().results;
    results.closed_loop.as_mut().unwrap().outcome.status = Status::Fail;
    let worse = of(results);
    let decision = evaluate(Some(&standing(Tier::Full)), &Facts { runs: 9, ..facts(&worse) });
    assert_eq!(decision.tier, Tier::Shadow);
}

#[test]
fn moves_are_kept_and_a_new_profile_starts_anew() {
    let mut state = RolloutState::default();
    let profile = good();
    let (first, second) = (at("2026-11-15T00:00:00Z"), at("2026-11-16T00:00:00Z"));
    state.record("m", "a", evaluate(None, &facts(&profile)), first);
    state.record("m", "a", evaluate(state.targets.get("m"), &facts(&profile)), second);
    assert_eq!(state.targets["m"].since, first, "it has not moved");
    let up = evaluate(state.targets.get("m"), &Facts { runs: 3, ..facts(&profile) });
    state.record("m", "a", up, second);
    assert_eq!((state.targets["m"].tier, state.targets["m"].since), (Tier::ReadOnly, second));
    state.record("m", "b", evaluate(None, &facts(&profile)), second);
    let tiers: Vec<Tier> = state.targets["m"].history.iter().map(|it| it.to).collect();
    assert_eq!(tiers, [Tier::Shadow, Tier::ReadOnly, Tier::Shadow]);
}
