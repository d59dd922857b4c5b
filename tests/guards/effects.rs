//! Effects: which rooms open sockets, touch files, print, or ask for the time or for chance.

use crate::source::production;

/// Something that only some rooms may do.
struct Effect {
    name: &'static str,
    /// Sequences of tokens that show it.
    marks: &'static [&'static [&'static str]],
    rooms: &'static [&'static str],
    /// Files of other rooms that do it, and why.
    exceptions: &'static [(&'static str, &'static str)],
}

const EFFECTS: &[Effect] = &[
    Effect {
        name: "opens sockets",
        marks: &[
            &["reqwest"],
            &["TcpListener"],
            &["TcpStream"],
            &["UdpSocket"],
            &["axum"],
            &["hyper"],
            &["object_store"],
        ],
        rooms: &["transport", "sim"],
        exceptions: &[(
            "store/depot/s3.rs",
            "the client of object storage brings a transport of its own, and signs what it sends",
        )],
    },
    Effect {
        name: "knows the HTTP client",
        marks: &[&["reqwest"]],
        rooms: &[],
        exceptions: &[
            ("transport/http/mod.rs", "everything else uses the Transport trait"),
            ("transport/http/pool.rs", "makes its clients"),
            ("transport/http/failure.rs", "reads its errors"),
        ],
    },
    Effect {
        name: "touches files",
        marks: &[
            &["fs", "::"],
            &["std", "::", "fs"],
            &["File", "::"],
            &["OpenOptions"],
            &[".", "is_file", "("],
            &[".", "is_dir", "("],
            &[".", "exists", "("],
            &[".", "read_dir", "("],
        ],
        rooms: &["store", "replay", "target", "report"],
        exceptions: &[
            ("probe/suite/mod.rs", "reads the folder of probes that --probes names"),
            ("sim/fleet.rs", "reads the folder of simulated models that --models names"),
            ("cli/args/policy.rs", "reads the policy file"),
            ("cli/args/scope.rs", "reads the configuration file"),
            ("cli/args/stored.rs", "tells a file, a folder and the name of a run apart"),
            ("cli/args/tools_file.rs", "reads the file that --tools names"),
            ("cli/init.rs", "writes the starter configuration, never over another"),
            (
                "cli/args/telemetry_file.rs",
                "reads the file of events that the user names, or stdin",
            ),
            ("cli/record.rs", "refuses to write over a folder of transcripts"),
            ("cli/replay.rs", "asks whether a fixture is a folder"),
            ("cli/args/transcripts.rs", "lists the transcripts of the folders that the user names"),
        ],
    },
    Effect {
        name: "prints or exits",
        marks: &[
            &["println", "!"],
            &["eprintln", "!"],
            &["print", "!"],
            &["eprint", "!"],
            &["dbg", "!"],
            &["stdout", "("],
            &["stderr", "("],
            &["process", "::", "exit"],
            &["process", "::", "abort"],
            &["ExitCode"],
        ],
        rooms: &["cli", "main"],
        exceptions: &[],
    },
    Effect {
        name: "reads the environment",
        marks: &[
            &["env", "::", "var"],
            &["env", "::", "var_os"],
            &["env", "::", "vars"],
            &["env", "::", "args"],
        ],
        rooms: &["cli", "target"],
        exceptions: &[],
    },
    Effect {
        name: "reads a clock or waits",
        marks: &[
            &["Instant", "::", "now"],
            &["SystemTime", "::", "now"],
            &["Utc", "::", "now"],
            &["Local", "::", "now"],
            &["tokio", "::", "time"],
            &["thread", "::", "sleep"],
        ],
        rooms: &["cli", "transport", "target", "sim"],
        exceptions: &[
            ("campaign/adapter/checks.rs", "waits for what arrives upstream, within a bound"),
            ("campaign/adapter/upstream.rs", "says again that it watches, while the gate runs"),
            ("campaign/cost.rs", "measures how long a run took"),
            ("campaign/diagnosis.rs", "waits for the other scheme, within a bound"),
            ("campaign/stop.rs", "waits for what is under way, within a bound"),
            ("campaign/probe_target.rs", "measures how long a target took"),
            ("campaign/tasks.rs", "waits for targets, and starts another when none ends"),
        ],
    },
    Effect {
        name: "draws random numbers",
        marks: &[&["rand", "::"], &["getrandom"], &["fastrand"], &["RandomState"], &["thread_rng"]],
        rooms: &[],
        exceptions: &[("transport/retrying.rs", "jitter between retries, which no verdict sees")],
    },
];

#[test]
fn each_effect_stays_in_its_rooms() {
    let sources = production();
    let mut wrong = Vec::new();
    for Effect { name, marks, rooms, exceptions } in EFFECTS {
        for source in sources.iter().filter(|source| !rooms.contains(&source.room())) {
            let found: Vec<usize> = marks.iter().flat_map(|mark| source.find(mark)).collect();
            let excepted = exceptions.iter().any(|(file, _)| *file == source.path);
            if excepted && found.is_empty() {
                wrong.push(format!("src/{} no longer {name}: drop the exception", source.path));
            }
            if let Some(at) = found.first().filter(|_| !excepted) {
                wrong.push(format!("src/{}:{} {name}", source.path, source.tokens[*at].line));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_exception_is_about_a_file_and_says_why() {
    let sources = production();
    for (file, reason) in EFFECTS.iter().flat_map(|effect| effect.exceptions) {
        assert!(sources.iter().any(|source| source.path == *file), "no src/{file}");
        assert!(!reason.is_empty(), "{file}");
    }
}
