//! A test per row of the tables, and the ways in which tiers may and may not move.

use proptest::prelude::*;

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
    Facts { profile, stale: Vec::new(), runs: 0, telemetry: None, turns: 0 }
}

fn standing(tier: Tier) -> Standing {
    let mut state = RolloutState::default();
    let (mode, because, next) = (Mode::of(tier, false), Vec::new(), Vec::new());
    state.record("m", "p", Decision { tier, mode, because, next }, at("2026-11-15T00:00:00Z"), 0);
    state.targets.remove("m").unwrap()
}

fn telemetry(event: TurnEvent, turns: usize) -> Metrics {
    Counts::of(&vec![event; turns]).metrics()
}

fn healthy() -> TurnEvent {
    TurnEvent { calls: 1, succeeded_calls: 1, ..TurnEvent::default() }
}

/// So many healthy turns of real use since the last move.
fn used(profile: &Profile, turns: usize) -> Facts<'_> {
    Facts { telemetry: Some(telemetry(healthy(), turns)), turns, ..facts(profile) }
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
    let facts = Facts { runs: 9, ..used(&profile, 999) };
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
        assert_eq!(evaluate(Some(&standing(from)), &used(&profile, 50)).tier, to);
        assert_eq!(evaluate(Some(&standing(from)), &used(&profile, 49)).tier, from);
        let of_no_time = Facts { turns: 0, ..used(&profile, 999) };
        assert_eq!(evaluate(Some(&standing(from)), &of_no_time).tier, from);
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
    state.record("m", "a", evaluate(None, &facts(&profile)), first, 0);
    state.record("m", "a", evaluate(state.targets.get("m"), &facts(&profile)), second, 0);
    assert_eq!(state.targets["m"].since, first, "it has not moved");
    let up = evaluate(state.targets.get("m"), &Facts { runs: 3, ..facts(&profile) });
    state.record("m", "a", up, second, 0);
    assert_eq!((state.targets["m"].tier, state.targets["m"].since), (Tier::ReadOnly, second));
    state.record("m", "b", evaluate(None, &facts(&profile)), second, 0);
    let tiers: Vec<Tier> = state.targets["m"].history.iter().map(|it| it.to).collect();
    assert_eq!(tiers, [Tier::Shadow, Tier::ReadOnly, Tier::Shadow]);
}

/// What can happen to a target between two evaluations.
#[derive(Debug, Clone, Copy)]
enum Happening {
    Run,
    ShadowRun,
    Turns(usize),
    BadTurn,
    WorseProfile,
    GoodProfile,
    GoesStale,
    IsFresh,
}

fn happenings() -> impl Strategy<Value = Vec<Vec<Happening>>> {
    let one = prop_oneof![
        4 => Just(Happening::Run),
        2 => Just(Happening::ShadowRun),
        2 => (1..40_usize).prop_map(Happening::Turns),
        1 => Just(Happening::BadTurn),
        1 => Just(Happening::WorseProfile),
        1 => Just(Happening::GoodProfile),
        1 => Just(Happening::GoesStale),
        2 => Just(Happening::IsFresh),
    ];
    prop::collection::vec(prop::collection::vec(one, 0..4), 1..24)
}

/// What is known since the last move.
#[derive(Default)]
struct Since {
    runs: usize,
    turns: usize,
    bad: usize,
    stale: bool,
    is_worse: bool,
}

impl Since {
    fn take(&mut self, happening: Happening) {
        match happening {
            Happening::Run => self.runs += 1,
            Happening::ShadowRun => {}
            Happening::Turns(turns) => self.turns += turns,
            Happening::BadTurn => self.bad += 1,
            Happening::WorseProfile => self.is_worse = true,
            Happening::GoodProfile => self.is_worse = false,
            Happening::GoesStale => self.stale = true,
            Happening::IsFresh => self.stale = false,
        }
    }

    fn metrics(&self) -> Option<Metrics> {
        let bad = TurnEvent { closure_errors: 1, ..healthy() };
        let events = [vec![healthy(); self.turns], vec![bad; self.bad]].concat();
        (!events.is_empty()).then(|| Counts::of(&events).metrics())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever happens in whatever order: up by one step and only on repeated evidence since the last move, down at once.
    #[test]
    fn no_order_of_single_runs_promotes_and_nothing_bad_waits(rounds in happenings()) {
        let fine = good();
        let mut results = good().results;
        results.closed_loop.as_mut().unwrap().outcome.status = Status::Fail;
        let worse = of(results);
        let (mut state, mut since) = (RolloutState::default(), Since::default());
        state.record("m", "p", evaluate(None, &facts(&fine)), at("2026-11-15T00:00:00Z"), 0);
        for round in rounds {
            for happening in round {
                since.take(happening);
            }
            let profile = if since.is_worse { &worse } else { &fine };
            let stale = since.stale.then(|| "old".to_owned()).into_iter().collect();
            let (runs, turns) = (since.runs, since.turns);
            let facts = Facts { profile, stale, runs, telemetry: since.metrics(), turns };
            let before = state.targets["m"].tier;
            let decision = evaluate(state.targets.get("m"), &facts);
            let after = decision.tier;
            prop_assert!(after <= rollout(profile).ceiling.max(Tier::Shadow));
            let is_bad = since.bad > 0 || since.stale || since.is_worse;
            if is_bad {
                prop_assert!(before == Tier::Shadow || after < before, "{before} stays in spite of it");
                prop_assert!(after <= before);
            }
            if after > before {
                prop_assert!(runs >= REPEATED_RUNS || turns >= HEALTHY_TURNS, "{runs} runs, {turns} turns");
                prop_assert_eq!(after, above(before));
            }
            state.record("m", "p", decision, at("2026-11-15T00:00:00Z"), 0);
            if after != before {
                let Since { stale, is_worse, .. } = since;
                since = Since { stale, is_worse, ..Since::default() };
            }
        }
    }
}
