//! Dependency arrows: which room uses which, as the map in `CONTRIBUTING.md` has it.

use std::collections::BTreeSet;

use crate::source::{Source, production, root};

/// Which rooms a room may use: itself, and those named here. `cli` may use all of them.
const ARROWS: &[(&str, &[&str])] = &[
    ("ir", &[]),
    ("audit", &["ir", "dialect"]),
    ("cores", &[]),
    ("secret", &[]),
    ("suggest", &[]),
    ("wire", &[]),
    ("dialect", &["ir", "wire", "suggest"]),
    ("textcall", &["ir", "tools"]),
    ("prompted", &["ir"]),
    ("tools", &["ir"]),
    ("telemetry", &[]),
    ("transport", &["ir", "secret", "wire"]),
    (
        "conversation",
        &[
            "adapt",
            "ir",
            "wire",
            "dialect",
            "prompted",
            "telemetry",
            "textcall",
            "tools",
            "transport",
        ],
    ),
    ("profile", &["ir", "dialect", "prompted", "telemetry"]),
    ("adapt", &["ir", "dialect", "prompted", "profile", "telemetry", "textcall", "tools"]),
    ("probe", &["ir", "prompted", "telemetry", "tools", "conversation", "profile"]),
    ("store", &["cores", "ir", "dialect", "transport", "profile", "secret", "telemetry"]),
    ("regress", &["cores", "ir", "dialect", "textcall", "profile", "store", "suggest"]),
    ("sim", &["ir", "wire", "dialect", "prompted", "tools", "profile"]),
    (
        "report",
        &[
            "audit",
            "ir",
            "wire",
            "dialect",
            "profile",
            "store",
            "telemetry",
            "transport",
            "regress",
            "secret",
        ],
    ),
    (
        "target",
        &[
            "adapt",
            "ir",
            "probe",
            "dialect",
            "secret",
            "transport",
            "conversation",
            "profile",
            "sim",
            "suggest",
        ],
    ),
    (
        "campaign",
        &[
            "adapt",
            "audit",
            "ir",
            "wire",
            "dialect",
            "prompted",
            "transport",
            "conversation",
            "probe",
            "profile",
            "store",
            "target",
            "telemetry",
            "tools",
            "regress",
            "sim",
            "suggest",
        ],
    ),
    (
        "replay",
        &[
            "adapt",
            "ir",
            "wire",
            "sim",
            "regress",
            "dialect",
            "prompted",
            "transport",
            "conversation",
            "probe",
            "profile",
            "store",
            "target",
            "telemetry",
            "campaign",
        ],
    ),
];

#[test]
fn rooms_depend_only_along_the_arrows() {
    let allowed = |room: &str, used: &str| {
        room == used || ARROWS.iter().any(|(from, to)| *from == room && to.contains(&used))
    };
    let mut wrong = Vec::new();
    for source in production().iter().filter(|source| has_arrows(source.room())) {
        for (line, used) in used_rooms(source) {
            if !allowed(source.room(), &used) {
                wrong.push(format!("src/{}:{line} uses {used}", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "arrows broken:\n{}", wrong.join("\n"));
}

#[test]
fn every_arrow_is_used() {
    let used: BTreeSet<(&str, String)> = production()
        .iter()
        .flat_map(|source| used_rooms(source).into_iter().map(|(_, used)| (source.room(), used)))
        .collect();
    let arrows = ARROWS.iter().flat_map(|(from, to)| to.iter().map(move |to| (*from, *to)));
    let unused: Vec<String> = arrows
        .filter(|(from, to)| !used.contains(&(from, (*to).to_owned())))
        .map(|(from, to)| format!("{from} -> {to}"))
        .collect();
    assert!(unused.is_empty(), "nothing uses these arrows, drop them: {unused:?}");
}

#[test]
fn every_room_has_its_arrows() {
    for entry in std::fs::read_dir(root().join("src")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let room = name.trim_end_matches(".rs");
        let exempt = ["cli", "lib", "main"].contains(&room);
        assert!(exempt || has_arrows(room), "no arrows for src/{name}: add a row to ARROWS");
    }
}

/// Otherwise a path could leave its room without the word `crate`.
#[test]
fn no_path_climbs_to_the_root_of_the_crate_by_super() {
    for source in production() {
        for (line, climbed) in source.longest_climbs() {
            let path = &source.path;
            assert!(climbed < source.depth(), "src/{path}:{line} says super for crate");
        }
    }
}

#[test]
fn grouped_and_nested_imports_are_seen() {
    let text = "use crate::{ir::{Part, Reply}, wire};\nfn f() { crate::sim::run() }";
    let used: Vec<(usize, String)> = used_rooms(&Source::parse("probe/x.rs", text).0);
    let expected = [(1, "ir"), (1, "wire"), (2, "sim")].map(|(line, room)| (line, room.to_owned()));
    assert_eq!(used, expected);
}

fn has_arrows(room: &str) -> bool {
    ARROWS.iter().any(|(known, _)| *known == room)
}

/// The rooms that a file names by `crate::`, with the line of each.
fn used_rooms(source: &Source) -> Vec<(usize, String)> {
    let mut used = Vec::new();
    for at in source.find(&["crate", "::"]) {
        let rest = &source.tokens[at + 2..];
        let mut names = vec![&rest[0]];
        if rest[0].text == "{" {
            names.clear();
            let mut depth = 0;
            for pair in rest.windows(2) {
                match pair[0].text.as_str() {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
                if depth == 1 && ["{", ","].contains(&pair[0].text.as_str()) {
                    names.push(&pair[1]);
                }
            }
        }
        let rooms = names.into_iter().filter(|name| has_arrows(&name.text) || name.text == "cli");
        used.extend(rooms.map(|name| (name.line, name.text.clone())));
    }
    used
}
