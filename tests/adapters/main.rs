//! Adapters that do one thing wrong: is each named by exactly its row, and a faithful one by none?
//!
//! `mutations.json` is the table: which dialect and model, which bodies, what is done to them, and the row
//! that must name it. `cargo test` tries a few of them; `ci/proxy-check` tries all and prints the table.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a test that cannot go on has failed"
)]

mod alone;
mod edit;
mod events;
mod gate;
mod mutation;
mod proxy;
mod streams;

use gate::{Asked, Found, gate};
use mutation::{Mutation, mutations};
use proxy::{Proxy, Sim};

/// What the gate made of a mutation.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Named {
    Right,
    Wrong(Vec<String>),
    Missed,
}

fn judge(mutation: &Mutation, found: &Found) -> Named {
    let codes = found.codes();
    match (codes.as_slice(), &mutation.row) {
        ([], None) => Named::Right,
        ([], Some(_)) => Named::Missed,
        ([one], Some(row)) if one == row => Named::Right,
        _ => Named::Wrong(codes),
    }
}

/// Each has a simulator of its own: what arrives for one must not be taken for another's.
fn try_mutation(mutation: &Mutation) -> (Named, Found) {
    let sim = Sim::start();
    let proxy = Proxy::before(&sim.url, Some(mutation.clone()));
    let asked = Asked {
        dialect: &mutation.dialect,
        models: std::slice::from_ref(&mutation.model),
        suite: &mutation.suite,
        streams: 8,
        incomplete: mutation.incomplete,
    };
    let found = gate(&proxy.url, &asked);
    (judge(mutation, &found), found)
}

/// Tries these mutations, a few at the same time, and gives a line for each that is not named right.
fn try_all(mutations: &[Mutation]) -> Vec<String> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let lines = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(mutation) =
                    mutations.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    let (named, found) = try_mutation(mutation);
                    let name = &mutation.name;
                    let row = mutation.row.as_deref().unwrap_or("no row");
                    let line = match named {
                        Named::Right => format!("right  {name}: {row}"),
                        Named::Wrong(codes) => {
                            format!(
                                "wrong  {name}: {} instead of {row}\n{}",
                                codes.join(", "),
                                found.text()
                            )
                        }
                        Named::Missed => format!("missed {name}: {row}"),
                    };
                    println!("{line}");
                    lines.lock().unwrap().push(line);
                }
            });
        }
    });
    lines.into_inner().unwrap()
}

fn count(lines: &[String], word: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(word)).count()
}

#[test]
fn a_few_mutations_are_each_named_by_their_row() {
    let all = mutations();
    assert!(all.len() >= 60, "{} mutations", all.len());
    let few: Vec<Mutation> = all.into_iter().filter(|it| it.quick).collect();
    let lines = try_all(&few);
    assert_eq!(count(&lines, "right"), few.len(), "{}", lines.join("\n"));
}

#[test]
fn a_pass_through_has_no_row() {
    let sim = Sim::start();
    let proxy = Proxy::before(&sim.url, None);
    for (dialect, model) in [("openai-chat", "deepseek-v4-thinking"), ("gemini", "gemini-native")] {
        let models = [model.to_owned()];
        let asked =
            Asked { dialect, models: &models, suite: "light", streams: 64, incomplete: false };
        let found = gate(&proxy.url, &asked);
        assert_eq!(found.codes(), [""; 0], "{dialect}: {}", found.text());
    }
}

/// All mutations, and pass-through proxies in every suite: `ci/proxy-check`.
#[test]
#[ignore = "takes minutes; ci/proxy-check runs it"]
fn the_whole_table() {
    let only = std::env::var("MUTATIONS").unwrap_or_default();
    let chosen =
        |it: &Mutation| only.is_empty() || only.split(',').any(|word| it.name.contains(word));
    let all: Vec<Mutation> = mutations().into_iter().filter(chosen).collect();
    let lines = try_all(&all);
    let (right, wrong, missed) =
        (count(&lines, "right"), count(&lines, "wrong"), count(&lines, "missed"));
    println!(
        "{} mutations tried, {right} named right, {wrong} named wrong, {missed} missed",
        all.len()
    );
    assert_eq!((wrong, missed), (0, 0), "{}", lines.join("\n"));
}

#[test]
#[ignore = "takes minutes; ci/proxy-check runs it"]
fn a_pass_through_has_no_row_in_any_suite() {
    let sim = Sim::start();
    let proxy = Proxy::before(&sim.url, None);
    for suite in ["light", "standard", "full"] {
        for (dialect, models) in mutation::by_dialect() {
            let asked =
                Asked { dialect: &dialect, models: &models, suite, streams: 64, incomplete: false };
            let found = gate(&proxy.url, &asked);
            println!(
                "pass-through {suite} {dialect}: {} models, {} rows",
                models.len(),
                found.codes().len()
            );
            assert_eq!(found.codes(), [""; 0], "{suite} {dialect}: {}", found.text());
        }
    }
}
