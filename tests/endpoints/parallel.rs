//! Do two calls count only where both results are taken and used?

use futures_util::future::join_all;
use serde_json::json;

use crate::mind::Says;
use crate::places::{PLACES, RESULTS, SPEAKERS};
use crate::server::{Script, Server};
use crate::{Verdict, probe};

const ARGS: [&str; 4] = ["--trials", "2", "--timeout", "20s"];

fn has_single_calls(verdict: &Verdict, name: &str) {
    for result in ["singleTool", "closedLoop", "errorRepair"] {
        assert_eq!(verdict.result(result).0, "pass", "{name}: {result}");
    }
}

fn closure_errors(verdict: &Verdict) -> u64 {
    verdict.profile["metrics"]["toolResultClosureErrors"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_results_that_are_refused_are_no_parallel_tool_use_in_any_dialect() {
    let cases = PLACES.into_iter().zip(RESULTS);
    join_all(cases.map(async |((path, healthy), marker)| {
        let server = Server::start(move |asked| {
            if asked.body.to_string().matches(marker).count() > 1 {
                let error = json!({"message": "one function response at a time", "code": 400});
                return Script::json(400, &json!({ "error": error }));
            }
            healthy(asked)
        })
        .await;
        let verdict = probe(&server.at(path), &ARGS).await;
        has_single_calls(&verdict, path);
        assert_eq!(verdict.profile["supportsParallelToolUse"], false, "{path}");
        let (status, reason) = verdict.result("parallelTool");
        assert_eq!(status, "fail", "{path}: {reason}");
        assert!(reason.contains("one function response at a time"), "{path}: {reason}");
        let parallel = &verdict.profile["results"]["parallelTool"];
        assert_eq!(parallel["resultsTaken"], "rejected", "{path}");
        // In both trials: after two calls, and in a history with two.
        assert!(closure_errors(&verdict) >= 4, "{path}: {}", closure_errors(&verdict));
        let server = Server::start(healthy).await;
        let verdict = probe(&server.at(path), &ARGS).await;
        assert_eq!(closure_errors(&verdict), 0, "{path}");
    }))
    .await;
}

/// Answers from the first result alone.
fn first_result_only(says: Says) -> Says {
    match says {
        Says::Words(words) => Says::Words(words.split(" and ").next().unwrap_or_default().into()),
        says @ Says::Calls(_) => says,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_results_of_which_one_is_read_are_no_parallel_tool_use_in_any_dialect() {
    let cases = PLACES.into_iter().zip(SPEAKERS);
    join_all(cases.map(async |((path, _), speak)| {
        let server = Server::start(move |asked| speak(asked, first_result_only)).await;
        let verdict = probe(&server.at(path), &["--trials", "1", "--timeout", "20s"]).await;
        has_single_calls(&verdict, path);
        let found = verdict.result("parallelTool");
        assert_eq!(found, ("fail", "2 calls, but only 1 of their results is used"), "{path}");
        assert_eq!(verdict.profile["supportsParallelToolUse"], false, "{path}");
        let taken = &verdict.profile["results"]["parallelTool"]["resultsTaken"];
        assert_eq!(taken, "accepted", "{path}");
    }))
    .await;
}
