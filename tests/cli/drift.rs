//! `toolprobe drift`

use std::fmt::Write as _;
use std::fs;

use crate::place::Place;

/// A history of one probe: the passes of three trials, night by night.
fn history(place: &Place, passes: &[u32]) {
    let mut text =
        "historyVersion,run,time,target,profile,probeVersion,probe,status,passes,trials\n"
            .to_owned();
    for (night, passes) in passes.iter().enumerate() {
        let (month, day) = (1 + night / 28, 1 + night % 28);
        let status = ["fail", "partial", "partial", "pass"][usize::try_from(*passes).unwrap()];
        let _ = writeln!(
            text,
            "1,2026{month:02}{day:02}T040000Z,2026-{month:02}-{day:02}T04:00:00Z,acme/model,\
             acme-model-0,tool-probe-v1+0,parallel,{status},{passes},3"
        );
    }
    fs::create_dir_all(place.path("reports")).unwrap();
    fs::write(place.path("reports/history.csv"), text).unwrap();
}

#[test]
fn a_slow_decline_is_told_with_the_night_it_began() {
    let place = Place::with(&[]);
    history(&place, &[[3; 20].as_slice(), &[2; 20]].concat());
    let said = place.exits(0, &["drift"]);
    assert_eq!(
        said,
        "drift: acme/model, parallel: 60 of 60 trials passed before 2026-01-21, 40 of 60 since\n"
    );
    let json = place.exits(0, &["drift", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["drifts"][0]["sinceRun"], "20260121T040000Z");
    assert_eq!(json["flaky"], serde_json::json!([]));
}

#[test]
fn a_steady_history_says_nothing_and_one_that_flips_is_flaky() {
    let place = Place::with(&[]);
    history(&place, &[3; 60]);
    assert_eq!(place.exits(0, &["drift"]), "nothing drifts, and nothing is flaky\n");
    history(&place, &[3, 2, 3, 2, 3, 2, 3, 3]);
    assert!(place.exits(0, &["drift"]).starts_with("flaky: acme/model, parallel\n"));
}

#[test]
fn a_history_that_is_too_short_to_judge_says_so() {
    let place = Place::with(&[]);
    let none = "there is no history yet; `toolprobe run` adds to it\n";
    assert_eq!(place.exits(0, &["drift"]), none);
    let json: serde_json::Value =
        serde_json::from_str(&place.exits(0, &["drift", "--format", "json"])).unwrap();
    assert_eq!(json["undecided"], none.trim_end());
    history(&place, &[3; 14]);
    assert_eq!(
        place.exits(0, &["drift"]),
        "too few runs to judge: 14 with a verdict by the same suite, and a decline shows from 15 \
         on\n"
    );
}
