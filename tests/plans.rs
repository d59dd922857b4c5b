//! Does each simulated model get exactly the plan that its file declares, and only as long as it needs it?

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use chrono::DateTime;
use futures_util::{StreamExt, stream};
use strum::VariantArray as _;
use toolprobe::adapt::plan::{Plan, RULES, corrections};
use toolprobe::campaign::{RunSettings, probe_target};
use toolprobe::dialect::DialectId;
use toolprobe::probe::{Suite, SuiteName};
use toolprobe::profile::{CorrectionKind, Profile, capabilities};
use toolprobe::report::{Detail, Report, ReportFormat, TerminalStyle};
use toolprobe::sim::{Fleet, Options, Sim};
use toolprobe::target::{Defaults, connect, simulated_fleet};
use toolprobe::transport::Budget;

/// The profile of every simulated model by the full suite.
static PROFILES: LazyLock<Vec<Profile>> = LazyLock::new(|| {
    std::thread::spawn(|| tokio::runtime::Runtime::new().unwrap().block_on(probe_all()))
        .join()
        .unwrap()
});

async fn probe_all() -> Vec<Profile> {
    let fleet = Fleet::embedded().unwrap();
    let running = Sim::start(fleet.clone(), "127.0.0.1:0", Options::default()).await.unwrap();
    let targets = simulated_fleet(&fleet, &running.base_url(), &Defaults::default()).unwrap();
    let settings = RunSettings {
        suite: Suite::embedded().unwrap(),
        name: SuiteName::Full,
        trials: 2,
        seed: 1,
        verified_at: DateTime::UNIX_EPOCH,
    };
    let budget = Arc::new(Budget::unlimited());
    let probe = |target| {
        let (settings, budget) = (settings.clone(), Arc::clone(&budget));
        tokio::spawn(async move {
            let connection = connect(target, &|_| None, &budget).unwrap();
            probe_target(&connection, &settings, &()).await.unwrap().profile
        })
    };
    let probed = stream::iter(targets).map(probe).buffered(8);
    probed.map(Result::unwrap).collect().await
}

fn native(dialect: DialectId) -> &'static Profile {
    let name = match dialect {
        DialectId::AnthropicMessages => "anthropic-native",
        DialectId::OpenAiChat => "openai-native",
        DialectId::OpenAiResponses => "responses-native",
        DialectId::Gemini => "gemini-native",
        DialectId::Ollama => "ollama-native",
    };
    PROFILES.iter().find(|it| it.subject.model == name).unwrap()
}

#[test]
fn every_simulated_model_gets_the_plan_that_its_file_declares() {
    let fleet = Fleet::embedded().unwrap();
    let mut wrong = Vec::new();
    for profile in PROFILES.iter() {
        let model = &profile.subject.model;
        let plan = profile.corrections.iter().map(|it| it.setting.to_string());
        let (found, declared) =
            (plan.collect::<Vec<_>>(), &fleet.get(model).unwrap().expected_plan);
        if found != *declared {
            wrong.push(format!("{model}\n  declared {declared:?}\n  found    {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} plans differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_well_behaved_model_of_each_dialect_needs_no_correction() {
    for dialect in DialectId::ALL {
        assert_eq!(corrections(native(dialect)), [], "{dialect}");
    }
}

#[test]
fn every_kind_of_correction_has_one_rule_and_is_needed_by_some_model() {
    let rules: Vec<CorrectionKind> = RULES.iter().map(|rule| rule.kind).collect();
    assert_eq!(rules, CorrectionKind::VARIANTS);
    let needed: BTreeSet<CorrectionKind> =
        PROFILES.iter().flat_map(|it| Plan::of(it).kinds().collect::<Vec<_>>()).collect();
    assert_eq!(needed, CorrectionKind::VARIANTS.iter().copied().collect());
}

#[test]
fn each_correction_names_its_results_and_disappears_when_exactly_they_are_healthy() {
    let mut gone = BTreeSet::new();
    for profile in PROFILES.iter() {
        for correction in &profile.corrections {
            let (model, kind) = (&profile.subject.model, correction.setting.kind());
            assert!(
                !correction.because.is_empty() && !correction.evidence.is_empty(),
                "{model}: {kind}"
            );
            let healed = Plan::of(&heal(profile, &correction.because));
            let left = healed.corrections.iter().find(|it| it.setting.kind() == kind);
            // What was a consequence of the healed results may stand by itself now.
            let is_new = |path: &String| !correction.because.contains(path);
            assert!(left.is_none_or(|it| it.because.iter().all(is_new)), "{model}: {left:#?}");
            gone.extend(left.is_none().then_some(kind));
        }
    }
    let rules: BTreeSet<CorrectionKind> = RULES.iter().map(|rule| rule.kind).collect();
    assert_eq!(gone, rules, "every rule is silent about some profile whose results are healed");
}

#[test]
fn without_results_there_is_no_correction() {
    for profile in PROFILES.iter() {
        let results = toolprobe::profile::Results::default();
        let unknown = Profile { capabilities: capabilities(&results), results, ..profile.clone() };
        assert_eq!(corrections(&unknown), []);
    }
}

#[test]
fn verdicts_plan_and_tier_of_every_snapshot_fit_on_a_screen_of_24_lines() {
    let style = TerminalStyle { detail: Detail::Brief, ..TerminalStyle::PLAIN };
    for entry in std::fs::read_dir("profiles").unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let profile: Profile = serde_json::from_str(&text).unwrap();
        let shown = ReportFormat::Table.render(&Report::of_profile(&profile), style).unwrap();
        // Two lines are for what the probing took, and for the prompt.
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines.len() <= 22, "{} lines:\n{shown}", lines.len());
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{shown}");
        for name in ["plan", "tier", "settings"] {
            assert!(lines.iter().any(|line| line.starts_with(&format!("  {name} "))), "{shown}");
        }
    }
}

/// The profile with exactly these results as the well-behaved model of its dialect has them.
fn heal(profile: &Profile, paths: &[String]) -> Profile {
    let mut value = serde_json::to_value(profile).unwrap();
    let healthy = serde_json::to_value(native(profile.dialect)).unwrap();
    for path in paths {
        let steps = steps(path);
        let (last, above) = steps.split_last().unwrap();
        let parent = above.iter().fold(&mut value, |at, step| &mut at[*step]);
        match steps.iter().try_fold(&healthy, |at, step| at.get(*step)) {
            Some(good) => parent[*last] = good.clone(),
            None => drop(parent.as_object_mut().unwrap().remove(*last)),
        }
    }
    let healed: Profile = serde_json::from_value(value).unwrap();
    Profile { capabilities: capabilities(&healed.results), ..healed }
}

/// The steps of a path; what is below `cases` or `shapes` is one name, which may hold dots.
fn steps(path: &str) -> Vec<&str> {
    let depth = if path.starts_with("results.extended.") { 5 } else { 4 };
    path.splitn(depth, '.').collect()
}
