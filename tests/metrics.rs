//! Are the metrics of simulated models what their quirks make of them, and the same every time?

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use chrono::DateTime;
use toolprobe::campaign::{RunSettings, probe_target};
use toolprobe::probe::{Suite, SuiteName};
use toolprobe::sim::{Fleet, Options, Sim};
use toolprobe::target::{Defaults, connect, simulated};
use toolprobe::telemetry::Metrics;
use toolprobe::transport::Budget;

async fn metrics(model: &str) -> Metrics {
    let fleet = Fleet::embedded().unwrap();
    let running = Sim::start(fleet.clone(), "127.0.0.1:0", Options::default()).await.unwrap();
    let file = fleet.get(model).unwrap();
    let target = simulated(file, &running.base_url(), &Defaults::default()).unwrap();
    let settings = RunSettings {
        suite: Suite::embedded().unwrap(),
        name: SuiteName::Standard,
        trials: 3,
        seed: 1,
        verified_at: DateTime::UNIX_EPOCH,
    };
    let connection = connect(target, &|_| None, &Arc::new(Budget::unlimited())).unwrap();
    let probed = probe_target(&connection, &settings, &()).await.unwrap();
    running.shutdown().await.unwrap();
    probed.profile.metrics.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_well_behaved_model_has_nothing_against_it() {
    let found = metrics("openai-native").await;
    assert_eq!(found.tool_call_parse_success_rate, Some(1.0));
    assert_eq!(found.schema_validation_failure_rate, Some(0.0));
    assert_eq!(found.parallel_downgrade_rate, Some(0.0));
    assert_eq!(found.repair_success_rate, Some(1.0));
    assert_eq!(found.tool_result_closure_errors, 0);
    assert_eq!(found.reasoning_replay_errors, 0);
    assert_eq!(found.unsafe_executions_blocked, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn quirks_show_in_the_metric_that_is_about_them() {
    assert_eq!(metrics("one-call").await.parallel_downgrade_rate, Some(1.0));
    assert_eq!(metrics("never-repairs").await.repair_success_rate, Some(0.0));
    assert!(metrics("enum-ignorer").await.schema_validation_failure_rate > Some(0.0));
    assert!(metrics("arguments-tail-cut").await.tool_call_parse_success_rate < Some(1.0));
    assert!(metrics("id-duplicate").await.tool_result_closure_errors > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_seed_gives_the_same_metrics() {
    for model in ["repairs-half", "taught-tool-call", "deepseek-r1"] {
        assert_eq!(metrics(model).await, metrics(model).await, "{model}");
    }
}
