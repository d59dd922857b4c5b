//! Does a random change that loses a capability ever pass the gate, and does a harmless one always?
//!
//! Each case has a model of its own behind the simulator, which is run and accepted. Then one thing around
//! it is changed: its file, its template, its URL, its name, the suite or the policy. In every other case
//! the model loses a capability at the same time. `ci/gate-check` holds a hundred of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "ci/gate-check shows the table")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// How many changes `cargo test` makes.
const CHANGES: u64 = 6;

/// The well-behaved model of each dialect, and quirks that take a capability from each of them.
const MODELS: [&str; 5] =
    ["openai-native", "anthropic-native", "responses-native", "gemini-native", "ollama-native"];
const LOSSES: [&str; 30] = [
    "quirks = [\"one-call\"]",
    "quirks = [\"never-repairs\"]",
    "quirks = [\"repeats-after-error\"]",
    "quirks = [\"ignores-results\"]",
    "quirks = [\"stringifies-numbers\"]",
    "quirks = [\"stringifies-values\"]",
    "quirks = [\"tokens-in-name\"]",
    "quirks = [{ breaks = [\"enum\"] }]",
    "quirks = [{ breaks = [\"required\"] }]",
    "quirks = [{ breaks = [\"integer\"] }]",
    "quirks = [{ breaks = [\"nested-object\"] }]",
    "quirks = [{ breaks = [\"array\"] }]",
    "quirks = [{ breaks = [\"boolean\"] }]",
    "quirks = [{ breaks = [\"additional-properties\"] }]",
    "quirks = [{ breaks = [\"pattern\"] }]",
    "quirks = [{ breaks = [\"bounds\"] }]",
    "quirks = [{ breaks = [\"ref\"] }]",
    "quirks = [{ breaks = [\"union\"] }]",
    "quirks = [{ breaks = [\"nested-object\", \"array\", \"ref\", \"union\"] }]",
    "quirks = [\"talks-only\"]",
    "quirks = [\"claims-calls\"]",
    "quirks = [\"merges-calls\"]",
    "quirks = [\"loops\"]",
    "quirks = [\"results-not-rendered\"]",
    "quirks = [\"double-encodes-arguments\"]",
    "wire_quirks = [\"truncated\"]",
    "wire_quirks = [{ error-in-stream = \"overheated\" }]",
    "wire_quirks = [\"arguments-lost\"]",
    "wire_quirks = [\"arguments-tail-cut\"]",
    "wire_quirks = [\"calls-lost\"]",
];

/// The quirks that take something from this model: all but the streams that its dialect cannot have.
fn losses_of(model: &str) -> Vec<&'static str> {
    let is_possible = |quirk: &&str| match () {
        () if quirk.contains("calls-lost") => model == "openai-native",
        () if quirk.contains("arguments-") => {
            ["openai-native", "anthropic-native"].contains(&model)
        }
        () => true,
    };
    LOSSES.into_iter().filter(is_possible).collect()
}

/// What is changed around a model. None of it excuses a lost capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    Nothing,
    ModelReworded,
    Template,
    Url(&'static str),
    Name,
    SuiteComment,
    SuiteKeysReordered,
    SuiteWordsForPeople,
    SuiteProbeAdded,
    /// Nobody knows any more what the probe knew, so that this must not pass by itself.
    SuiteProbeRemoved,
    PolicyComment,
    PolicyForOthers,
    PolicyForOtherCodes,
    PolicyExpired,
    /// The model has another name at its server.
    ModelRenamed,
    SuiteProbeReworded,
    Seed,
    Trials,
    TargetAdded,
    /// Nobody asks a target any more that was there, so that this must not pass by itself.
    TargetRemoved,
    SnapshotReordered,
    SnapshotOfBeforeNames,
    HistoryLost,
    HistoryCutShort,
    /// The folder of snapshots is named wrongly: nothing is compared.
    SnapshotsElsewhere,
    /// The snapshot is gone: nothing is compared.
    SnapshotDeleted,
    /// Only streams are asked for, and nobody knows about plain replies.
    OnlyStreams,
    /// The policy cannot be read.
    PolicyIsFolder,
    /// The chat template cannot be read.
    TemplateGone,
    /// The target is at another place of the machine, under another name.
    NameAndUrl,
    /// A path that is escaped where it need not be, which servers may not know.
    UrlEscaped,
    /// Two targets have one name.
    TargetDuplicated,
    NoTargets,
    /// The model is asked for by a name that its server does not know.
    ModelMisspelled,
    /// Nobody is at the address.
    ServerGone,
    /// The folder of snapshots is gone, but a policy says that there is a gate.
    SnapshotsGone,
    SnapshotsAreFile,
    SnapshotIsFolder,
    SnapshotCutShort,
    SnapshotTwice,
    SnapshotNewer,
    SnapshotFileRenamed,
    PolicyGone,
    PolicySpoilt,
    PolicyMisspelled,
    PolicyNewer,
    SuiteElsewhere,
    SuiteEmpty,
    BudgetSpent,
    OneAtATime,
}

const AROUND: [Around; 59] = [
    Around::Nothing,
    Around::ModelReworded,
    Around::Template,
    Around::Url("http://localhost:PORT"),
    Around::Url("http://127.0.0.1:PORT/"),
    Around::Url("http://LocalHost:PORT/v1"),
    Around::Url("http://127.0.0.1:PORT/v1/"),
    Around::Url("HTTP://127.1:PORT"),
    Around::Url("http://2130706433:PORT/v1"),
    Around::Url("http://[::ffff:127.0.0.1]:PORT"),
    Around::Url("http://user:word@127.0.0.1:PORT"),
    Around::Url("http://127.0.0.1:PORT//v1"),
    Around::Url("http://127.0.0.1:0PORT/v1/../"),
    Around::Name,
    Around::SuiteComment,
    Around::SuiteKeysReordered,
    Around::SuiteWordsForPeople,
    Around::SuiteProbeAdded,
    Around::SuiteProbeRemoved,
    Around::PolicyComment,
    Around::PolicyForOthers,
    Around::PolicyForOtherCodes,
    Around::PolicyExpired,
    Around::ModelRenamed,
    Around::SuiteProbeReworded,
    Around::Seed,
    Around::Trials,
    Around::TargetAdded,
    Around::TargetRemoved,
    Around::SnapshotReordered,
    Around::SnapshotOfBeforeNames,
    Around::HistoryLost,
    Around::HistoryCutShort,
    Around::SnapshotsElsewhere,
    Around::SnapshotDeleted,
    Around::OnlyStreams,
    Around::PolicyIsFolder,
    Around::TemplateGone,
    Around::NameAndUrl,
    Around::UrlEscaped,
    Around::TargetDuplicated,
    Around::NoTargets,
    Around::ModelMisspelled,
    Around::ServerGone,
    Around::SnapshotsGone,
    Around::SnapshotsAreFile,
    Around::SnapshotIsFolder,
    Around::SnapshotCutShort,
    Around::SnapshotTwice,
    Around::SnapshotNewer,
    Around::SnapshotFileRenamed,
    Around::PolicyGone,
    Around::PolicySpoilt,
    Around::PolicyMisspelled,
    Around::PolicyNewer,
    Around::SuiteElsewhere,
    Around::SuiteEmpty,
    Around::BudgetSpent,
    Around::OneAtATime,
];

impl Around {
    /// The exit codes it may have where no capability is lost. What cannot be read is refused before
    /// anything is asked.
    fn exits(self) -> &'static [i32] {
        match self {
            Self::PolicyIsFolder
            | Self::TemplateGone
            | Self::TargetDuplicated
            | Self::NoTargets
            | Self::SnapshotsAreFile
            | Self::SnapshotIsFolder
            | Self::SnapshotCutShort
            | Self::SnapshotTwice
            | Self::SnapshotNewer
            | Self::PolicySpoilt
            | Self::PolicyMisspelled
            | Self::PolicyNewer
            | Self::SuiteElsewhere
            | Self::SuiteEmpty => &[2],
            Self::SuiteProbeRemoved
            | Self::TargetRemoved
            | Self::SnapshotsElsewhere
            | Self::SnapshotDeleted
            | Self::SnapshotsGone
            | Self::OnlyStreams
            | Self::UrlEscaped
            | Self::ModelMisspelled
            | Self::ServerGone
            | Self::BudgetSpent => DENIED_OR_INCONCLUSIVE,
            _ => &[0],
        }
    }

    /// Its name without what it is changed to.
    fn name(self) -> String {
        format!("{self:?}").split('(').next().unwrap_or_default().to_owned()
    }
}

/// The exit codes of a gate that lets nothing through.
const DENIED_OR_INCONCLUSIVE: &[i32] = &[1, 3];

/// The fields of a profile.
type Fields = std::vec::IntoIter<(String, Value)>;

/// The same numbers on every machine (splitmix64).
struct Luck(u64);

impl Luck {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % u64::try_from(bound).unwrap()).unwrap()
    }
}

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with one model, its configuration, its template, a suite and a policy.
struct House {
    folder: tempfile::TempDir,
    model: &'static str,
    /// What the server calls the model.
    served: String,
    name: &'static str,
    /// Whether a second target is configured.
    has_neighbour: bool,
    url: String,
    sim: Child,
    arguments: Vec<&'static str>,
}

impl House {
    fn of(model: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["models", "probes"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let file = format!("{model}.toml");
        let from = root().join("fixtures/models").join(&file);
        fs::copy(from, folder.path().join("models").join(file)).unwrap();
        let files = fs::read_dir(root().join("probes")).unwrap().map(|file| file.unwrap().path());
        for path in files.filter(|path| path.is_file()) {
            fs::copy(&path, folder.path().join("probes").join(path.file_name().unwrap())).unwrap();
        }
        fs::write(folder.path().join("template.jinja"), "{{ messages }}").unwrap();
        let (sim, url) = serve(folder.path());
        let (served, arguments) = (model.to_owned(), vec!["--trials", "1"]);
        let house = Self {
            folder,
            model,
            served,
            name: "house",
            has_neighbour: false,
            url,
            sim,
            arguments,
        };
        house.configure();
        house
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn configure(&self) {
        let Self { model, served, name, url, .. } = self;
        let target = |name: &str| {
            format!(
                "[[targets]]\nname = '{name}'\nbase_url = '{url}'\ndialect = '{}'\n\
                 model = '{served}'\nchat_template = 'template.jinja'\n",
                dialect(model)
            )
        };
        let neighbour = if self.has_neighbour { target("neighbour") } else { String::new() };
        fs::write(self.path("toolprobe.toml"), target(name) + &neighbour).unwrap();
    }

    fn edit(&self, file: &str, change: impl FnOnce(&str) -> String) {
        let before = fs::read_to_string(self.path(file)).unwrap();
        let after = change(&before);
        assert_ne!(before, after, "{file}");
        fs::write(self.path(file), after).unwrap();
    }

    /// Serves the model as its file is now.
    fn restart(&mut self) {
        self.stop();
        (self.sim, self.url) = serve(self.folder.path());
        self.configure();
    }

    fn stop(&mut self) {
        // One that has ended by itself needs no ending.
        let _ = self.sim.kill();
        let _ = self.sim.wait();
    }

    fn toolprobe(&self, args: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolprobe"));
        let output =
            command.args(args).env_clear().current_dir(self.folder.path()).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&said).into_owned())
    }

    fn run(&self) -> (Option<i32>, String) {
        self.toolprobe(&[&["run", "--probes", "probes"], &self.arguments[..]].concat())
    }

    /// The snapshot of the target.
    fn snapshot(&self) -> PathBuf {
        let files = fs::read_dir(self.path("profiles")).unwrap().map(|it| it.unwrap().path());
        files.into_iter().find(|it| it.display().to_string().contains("house-")).unwrap()
    }

    /// Another name for the file of the snapshot.
    fn other_snapshot(&self) -> PathBuf {
        self.path("profiles/house-of-before.json")
    }

    /// Gives the model another name at its server, which is served so from the next start on.
    fn rename_model(&mut self) {
        self.served = format!("{}-2", self.model);
        let file = |name: &str| self.path("models").join(format!("{name}.toml"));
        fs::rename(file(self.model), file(&self.served)).unwrap();
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each change, and none forgotten")]
    fn change(&mut self, around: Around) {
        match around {
            Around::Nothing => {}
            Around::ModelReworded => {
                let file = format!("models/{}.toml", self.model);
                self.edit(&file, |text| format!("# said otherwise\n{text}"));
            }
            Around::Template => self.edit("template.jinja", |text| format!("{text} ")),
            Around::Url(spelled) => {
                let port = self.url.rsplit(':').next().unwrap();
                self.url = spelled.replace("PORT", port);
                self.configure();
            }
            Around::Name => {
                self.name = "mansion";
                self.configure();
            }
            Around::SuiteComment => self.edit("probes/schema.toml", |it| format!("# why\n{it}")),
            Around::SuiteKeysReordered => self.edit("probes/schema.toml", |it| {
                let (first, rest) = it.split_once('\n').unwrap();
                let (second, rest) = rest.split_once('\n').unwrap();
                format!("{second}\n{first}\n{rest}")
            }),
            Around::SuiteWordsForPeople => self.edit("probes/parallel.toml", |it| {
                it.replacen("about = \"", "about = \"In other words: ", 1)
            }),
            Around::SuiteProbeAdded => {
                let text =
                    "about = 'a'\nsuites = ['standard']\n[ask.no-call]\nquestion = 'Hello?'\n";
                fs::write(self.path("probes/greeting.toml"), text).unwrap();
            }
            Around::SuiteProbeRemoved => fs::remove_file(self.path("probes/history.toml")).unwrap(),
            Around::PolicyComment => self.policy("# all is as it is\n"),
            Around::PolicyForOthers => {
                self.policy("[[rule]]\ntarget = 'other-*'\nlevel = 'allow'\n");
            }
            Around::PolicyForOtherCodes => {
                self.policy("[[rule]]\ncode = 'latency-grew'\nlevel = 'allow'\n");
            }
            Around::PolicyExpired => self.policy(
                "[[exception]]\ncode = 'parallel-lost'\ntarget = '*'\nreason = 'old'\n\
                 level = 'allow'\nexpires = 2001-01-01\n",
            ),
            Around::ModelRenamed => self.rename_model(),
            Around::SuiteProbeReworded => self.edit("probes/parallel.toml", |it| {
                it.replacen("then = \"", "then = \"Take your time. ", 1)
            }),
            Around::Seed => self.arguments.extend(["--seed", "77"]),
            Around::Trials => self.arguments = vec!["--trials", "2"],
            Around::TargetAdded => {
                self.has_neighbour = true;
                self.configure();
            }
            Around::TargetRemoved => {
                self.has_neighbour = false;
                self.configure();
            }
            Around::SnapshotReordered => self.edit_snapshot(|fields| fields.rev().collect()),
            Around::SnapshotOfBeforeNames => {
                self.edit_snapshot(|fields| fields.filter(|(key, _)| key != "name").collect());
            }
            Around::SnapshotsElsewhere => self.arguments.extend(["--profiles", "profilse"]),
            Around::SnapshotDeleted => fs::remove_file(self.snapshot()).unwrap(),
            Around::OnlyStreams => self.arguments.extend(["--mode", "stream"]),
            Around::PolicyIsFolder => {
                fs::remove_file(self.path("toolprobe-policy.toml")).unwrap();
                fs::create_dir(self.path("toolprobe-policy.toml")).unwrap();
            }
            Around::TemplateGone => fs::remove_file(self.path("template.jinja")).unwrap(),
            Around::NameAndUrl => {
                self.name = "mansion";
                self.change(Around::Url("http://localhost:PORT/v1"));
            }
            Around::UrlEscaped => {
                self.url.push_str("/%76%31");
                self.configure();
            }
            Around::TargetDuplicated => self.edit("toolprobe.toml", |it| it.repeat(2)),
            Around::NoTargets => self.edit("toolprobe.toml", |_| String::new()),
            Around::ModelMisspelled => {
                self.served.push_str("-misspelled");
                self.configure();
            }
            Around::ServerGone => self.stop(),
            Around::SnapshotsGone => fs::remove_dir_all(self.path("profiles")).unwrap(),
            Around::SnapshotsAreFile => {
                fs::remove_dir_all(self.path("profiles")).unwrap();
                fs::write(self.path("profiles"), "").unwrap();
            }
            Around::SnapshotIsFolder => {
                let snapshot = self.snapshot();
                fs::remove_file(&snapshot).unwrap();
                fs::create_dir(&snapshot).unwrap();
            }
            Around::SnapshotCutShort => {
                let text = fs::read_to_string(self.snapshot()).unwrap();
                fs::write(self.snapshot(), &text[..text.len() / 2]).unwrap();
            }
            Around::SnapshotTwice => drop(fs::copy(self.snapshot(), self.other_snapshot())),
            Around::SnapshotNewer => self.edit_snapshot(|fields| {
                let newer = |(key, value): (String, Value)| {
                    let value = if key == "profileVersion" { Value::from(99) } else { value };
                    (key, value)
                };
                fields.map(newer).collect()
            }),
            Around::SnapshotFileRenamed => {
                fs::rename(self.snapshot(), self.other_snapshot()).unwrap();
            }
            Around::PolicyGone => fs::remove_file(self.path("toolprobe-policy.toml")).unwrap(),
            Around::PolicySpoilt => self.policy("[[rule\n"),
            Around::PolicyMisspelled => {
                self.policy("[[rule]]\ncode = 'paralel-lost'\nlevel = 'allow'\n");
            }
            Around::PolicyNewer => self.policy("policy_version = 99\n"),
            Around::SuiteElsewhere => {
                fs::rename(self.path("probes"), self.path("prboes")).unwrap();
            }
            Around::SuiteEmpty => {
                fs::remove_dir_all(self.path("probes")).unwrap();
                fs::create_dir(self.path("probes")).unwrap();
            }
            Around::BudgetSpent => self.arguments.extend(["--max-requests", "5"]),
            Around::OneAtATime => self.arguments.extend(["--concurrency", "1"]),
            Around::HistoryLost => fs::remove_file(self.path("reports/history.csv")).unwrap(),
            Around::HistoryCutShort => self.edit("reports/history.csv", |it| {
                it.chars().take(it.chars().count() - 9).collect()
            }),
        }
    }

    /// Writes the fields of the snapshot anew.
    fn edit_snapshot(&self, change: impl FnOnce(Fields) -> serde_json::Map<String, Value>) {
        let path = self.snapshot();
        let text = fs::read_to_string(&path).unwrap();
        let Value::Object(fields) = serde_json::from_str(&text).unwrap() else { return };
        let fields: Vec<(String, Value)> = fields.into_iter().collect();
        fs::write(path, Value::Object(change(fields.into_iter())).to_string()).unwrap();
    }

    fn policy(&self, text: &str) {
        fs::write(self.path("toolprobe-policy.toml"), text).unwrap();
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.stop();
    }
}

fn dialect(model: &str) -> &'static str {
    match model {
        "anthropic-native" => "anthropic-messages",
        "responses-native" => "openai-responses",
        "gemini-native" => "gemini",
        "ollama-native" => "ollama",
        _ => "openai-chat",
    }
}

fn serve(folder: &Path) -> (Child, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolprobe"));
    command.args(["sim", "--models", "models", "--addr", "127.0.0.1:0"]).env_clear();
    command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
    (child, url.trim_end().to_owned())
}

/// The exit code after a change, and whether it is as it must be.
fn outcome(model: &'static str, around: Around, loss: Option<&str>) -> (Option<i32>, bool, String) {
    let mut house = House::of(model);
    house.has_neighbour = around == Around::TargetRemoved;
    house.configure();
    let (code, said) = house.run();
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = house.toolprobe(&["accept", "--all"]);
    assert_eq!(code, Some(0), "{said}");
    // Before the first snapshot, who has a policy has a gate that compares nothing.
    house.policy("");
    if let Some(quirk) = loss {
        house.edit(&format!("models/{model}.toml"), |text| {
            text.replacen("\n[profile]", &format!("\n{quirk}\n\n[profile]"), 1)
        });
    }
    let is_of_server = |it| matches!(it, Around::ModelReworded | Around::ModelRenamed);
    if is_of_server(around) {
        house.change(around);
    }
    if loss.is_some() || is_of_server(around) {
        house.restart();
    }
    if !is_of_server(around) {
        house.change(around);
    }
    let (code, said) = house.run();
    let expected = match around.exits() {
        [0] if loss.is_some() => DENIED_OR_INCONCLUSIVE,
        exits => exits,
    };
    (code, code.is_some_and(|code| expected.contains(&code)), said)
}

/// How the changes of one kind came out: denied, inconclusive, refused, passed.
type Row = [usize; 4];

fn print_table(rows: &BTreeMap<(bool, String), Row>) {
    println!(
        "{:<8}{:<24}{:>8}{:>14}{:>9}{:>8}",
        "", "changed around it", "denied", "inconclusive", "refused", "passed"
    );
    for ((is_loss, name), [denied, open, refused, passed]) in rows {
        let what = if *is_loss { "lost" } else { "as was" };
        println!("{what:<8}{name:<24}{denied:>8}{open:>14}{refused:>9}{passed:>8}");
    }
}

#[test]
fn no_lost_capability_passes_and_every_harmless_change_does() {
    let (seed, changes) = (number("GATE_CHECK_SEED", 1), number("GATE_CHECK_CHANGES", CHANGES));
    let mut luck = Luck(seed);
    let (mut rows, mut wrong): (BTreeMap<_, Row>, _) = (BTreeMap::new(), Vec::new());
    for nth in 0..changes {
        let model = MODELS[luck.below(MODELS.len())];
        let around = AROUND[luck.below(AROUND.len())];
        let losses = losses_of(model);
        let loss = (nth % 2 == 0).then(|| losses[luck.below(losses.len())]);
        let (code, is_right, said) = outcome(model, around, loss);
        let column = match code {
            Some(1) => 0,
            Some(3) => 1,
            Some(2) => 2,
            _ => 3,
        };
        rows.entry((loss.is_some(), around.name())).or_default()[column] += 1;
        if !is_right {
            wrong.push(format!("{nth}: {model}, {around:?}, {loss:?}: exit {code:?}\n{said}"));
        }
    }
    let sum = |column: usize| rows.values().map(|row| row[column]).sum::<usize>();
    print_table(&rows);
    println!(
        "{changes} changes (seed {seed}): {} denied, {} inconclusive, {} refused, {} passed; {} wrong",
        sum(0),
        sum(1),
        sum(2),
        sum(3),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
