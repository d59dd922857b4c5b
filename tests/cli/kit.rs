//! The shell parts of the CI kit, on simulated models

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place::{LIGHT, Place, root};
use crate::{Sim, finished};

/// A script of the kit in a folder, with toolprobe on its path.
fn script(name: &str, folder: &Path) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_toolprobe")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.arg(root().join("ci").join(name)).env_clear().env("PATH", path);
    command.current_dir(folder);
    command
}

#[test]
fn the_action_runs_gates_and_writes_what_the_steps_after_it_need() {
    let place = Place::with(&["openai-native"]);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    let outputs = place.path("outputs");
    let probe = || {
        let mut command = script("github/probe.sh", &place.path(""));
        command.env("GITHUB_OUTPUT", &outputs).env("GITHUB_ACTIONS", "true").env("CI", "true");
        command.env("GITHUB_STEP_SUMMARY", place.path("summary.md"));
        command.env("TOOLPROBE_ARGUMENTS", "--models models --suite light");
        let (code, _, err) = finished(command.output().unwrap());
        assert_eq!(code, Some(0), "{err}");
        fs::read_to_string(&outputs).unwrap().lines().last().unwrap().to_owned()
    };
    assert_eq!(probe(), "exit-code=0");
    place.spoil("openai-native", "quirks = [\"talks-only\"]");
    assert_eq!(probe(), "exit-code=1");
    for (file, words) in [
        ("toolprobe-report.html", "gate: failed"),
        ("toolprobe-junit.xml", "<failure "),
        ("toolprobe-comment.md", "**gate: failed"),
        ("toolprobe.sarif", "\"level\": \"error\""),
        ("toolprobe-code-quality.json", "\"check_name\""),
        ("summary.md", "**gate: failed"),
    ] {
        let text = fs::read_to_string(place.path(file)).unwrap();
        assert!(text.contains(words), "{file}: {text}");
    }
}

#[test]
fn a_mistake_in_the_configuration_is_the_exit_code_of_the_action() {
    let place = Place::with(&[]);
    let mut command = script("github/probe.sh", &place.path(""));
    command.env("GITHUB_OUTPUT", place.path("outputs"));
    command.env("TOOLPROBE_ARGUMENTS", "--config nowhere.toml");
    assert_eq!(finished(command.output().unwrap()).0, Some(0));
    assert_eq!(fs::read_to_string(place.path("outputs")).unwrap(), "exit-code=2\n");
}

#[test]
fn the_cron_script_is_silent_until_something_changes() {
    let (sim, place) = (Sim::start(), Place::with(&[]));
    let config = |model: &str| {
        format!(
            "[[targets]]\nname = \"mine\"\nbase_url = \"{}/v1\"\ndialect = \"openai-chat\"\n\
             model = \"{model}\"\n[defaults]\nsuite = \"light\"\n",
            sim.url
        )
    };
    let set = |model: &str| fs::write(place.path("toolprobe.toml"), config(model)).unwrap();
    let night = || finished(script("nightly.sh", &place.path("")).output().unwrap());
    set("openai-native");
    let (code, out, _) = night();
    assert_eq!(code, Some(3), "{out}");
    assert!(out.contains("nothing was compared: no snapshots in profiles; "), "{out}");
    place.exits(0, &["accept"]);
    assert_eq!(night(), (Some(0), String::new(), String::new()));
    assert!(place.path("reports/latest.html").is_file());
    set("talks-only");
    let (code, out, _) = night();
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("gate: failed") && out.ends_with("toolprobe exits with 1\n"), "{out}");
}

/// A folder of programs that stand for those of a CI service, each a script.
fn programs(place: &Place, scripts: &[(&str, &str)]) -> PathBuf {
    let folder = place.path("programs");
    fs::create_dir_all(&folder).unwrap();
    for (name, body) in scripts {
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

/// A script of the kit before whose path these programs stand.
fn script_with(name: &str, place: &Place, scripts: &[(&str, &str)]) -> Command {
    let mut command = script(name, &place.path(""));
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", programs(place, scripts).display()));
    command
}

/// The archive that this machine's binary is released in.
fn archive() -> String {
    format!("toolprobe-{}-unknown-linux-musl.tar.gz", std::env::consts::ARCH)
}

/// Stands for curl: what is asked for is in the folder `released`.
const CURL: &str = "echo \"$@\" >> asked; home=$PWD; \
    while [ $# -gt 0 ]; do case $1 in -O) shift; cp \"$RELEASED/${1##*/}\" . || exit 22 ;; esac; shift; done";

#[test]
#[cfg(target_os = "linux")]
fn what_is_packed_for_a_release_is_installed_if_its_checksum_holds() {
    let place = Place::with(&[]);
    let released = place.path("released");
    fs::create_dir(&released).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_toolprobe"));
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let folder = binary.parent().unwrap().to_str().unwrap();
    let mut pack = script("github/pack.sh", &released);
    assert_eq!(finished(pack.args([&target, folder]).output().unwrap()).0, Some(0));
    assert!(released.join(archive()).is_file());

    let install = || {
        let mut command = script_with("github/install.sh", &place, &[("curl", CURL)]);
        command.env("HOME", place.path("home")).env("GITHUB_PATH", place.path("path"));
        command.env("TOOLPROBE_VERSION", "v9.9.9").env("TOOLPROBE_REPOSITORY", "owner/name");
        finished(command.env("RELEASED", &released).output().unwrap())
    };
    let (code, out, err) = install();
    assert_eq!(code, Some(0), "{out}{err}");
    let bin = place.path("home/.toolprobe/bin");
    let asked = fs::read_to_string(bin.join("asked")).unwrap();
    let url = "https://github.com/owner/name/releases/download/v9.9.9/";
    assert!(asked.contains(&format!("{url}{}", archive())), "{asked}");
    let version = Command::new(bin.join("toolprobe")).arg("--version").output().unwrap();
    assert!(finished(version).1.starts_with("toolprobe "));
    assert_eq!(fs::read_to_string(place.path("path")).unwrap(), format!("{}\n", bin.display()));
    assert_eq!(install().0, Some(0), "one that is there is not installed again");
    assert_eq!(fs::read_to_string(bin.join("asked")).unwrap(), asked);

    fs::remove_dir_all(&bin).unwrap();
    fs::write(released.join(archive()), "another archive").unwrap();
    assert_ne!(install().0, Some(0));
    assert!(!bin.join("toolprobe").exists());
}

#[test]
fn the_names_of_releases_are_the_same_wherever_they_are_looked_for() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let (release, install) = (read("ci/github/release.yml"), read("ci/github/install.sh"));
    let targets = release.split("target: ").skip(1).filter_map(|it| it.split(',').next());
    let targets: Vec<&str> = targets.filter(|it| it.contains('-')).collect();
    assert_eq!(targets.len(), 5, "{targets:?}");
    for target in targets {
        assert!(install.contains(&format!("target={target} ")), "{target}");
    }
    let manifest = read("Cargo.toml");
    for file in fs::read_dir(root().join("ci/github")).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for uses in text.split("uses: ").skip(1).filter_map(|it| it.lines().next()) {
            let commit = uses.split('@').nth(1).and_then(|it| it.split(" # v").next());
            let is_pinned = uses.starts_with("./") || commit.is_some_and(|it| it.len() == 40);
            assert!(is_pinned, "{uses}");
        }
    }
    let place = "{ repo }/releases/download/v{ version }/{ name }-{ target }.tar.gz";
    assert!(manifest.contains(place), "{place}");
}

#[test]
fn a_release_says_in_its_metadata_which_repository_it_is_in() {
    let place = Place::with(&[]);
    fs::copy(root().join("Cargo.toml"), place.path("Cargo.toml")).unwrap();
    let released_in = |repository: &str| {
        let mut command = script("github/metadata.sh", &place.path(""));
        command.env("GITHUB_SERVER_URL", "https://github.com");
        finished(command.env("GITHUB_REPOSITORY", repository).output().unwrap())
    };
    assert_eq!(released_in("owner/name").0, Some(0));
    assert_eq!(released_in("owner/name").0, Some(0), "a second time changes nothing");
    let text = fs::read_to_string(place.path("Cargo.toml")).unwrap();
    let manifest: toml::Table = toml::from_str(&text).unwrap();
    let repository = manifest["package"]["repository"].as_str();
    assert_eq!(repository, Some("https://github.com/owner/name"));
    let (code, out, _) = released_in("owner/other");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("repository is https://github.com/owner/name, and this release"), "{out}");
}

/// Stands for gh: writes down what it is asked, and answers a list with `$OPEN`.
const GH: &str = "echo \"$@\" >> asked; case \"$*\" in *list*|*paginate*) echo \"$OPEN\" ;; esac";

#[test]
fn a_pull_request_gets_one_comment_which_is_updated() {
    let place = Place::with(&[]);
    let comment = |open: &str| {
        let _ = fs::remove_file(place.path("asked"));
        let mut command = script_with("github/comment.sh", &place, &[("gh", GH)]);
        command.env("GITHUB_REPOSITORY", "owner/name").env("PULL_REQUEST", "7").env("OPEN", open);
        let (code, _, err) = finished(command.output().unwrap());
        assert_eq!(code, Some(0), "{err}");
        fs::read_to_string(place.path("asked")).unwrap_or_default()
    };
    assert_eq!(comment(""), "", "there is nothing to tell");
    fs::write(place.path("toolprobe-comment.md"), "**gate: failed**\n").unwrap();
    let asked = comment("");
    let post = "api --method POST repos/owner/name/issues/7/comments -F body=@";
    assert!(asked.contains(post), "{asked}");
    let asked = comment("42");
    assert!(asked.contains("api --method PATCH repos/owner/name/issues/comments/42 -F body=@"));
    assert!(!asked.contains("POST"), "{asked}");
    let text = fs::read_to_string(place.path("toolprobe-comment-marked.md")).unwrap();
    assert_eq!(text, "<!-- toolprobe -->\n**gate: failed**\n");
}

#[test]
fn a_regression_opens_one_issue_which_is_updated_and_closed_on_recovery() {
    let place = Place::with(&[]);
    fs::write(place.path("toolprobe-comment.md"), "**gate: failed**\n").unwrap();
    let night = |code: &str, open: &str| {
        let _ = fs::remove_file(place.path("asked"));
        let mut command = script_with("github/issue.sh", &place, &[("gh", GH)]);
        command.env("EXIT_CODE", code).env("OPEN", open).env("TOOLPROBE_NAME", "openai");
        let (exit, _, err) = finished(command.output().unwrap());
        assert_eq!(exit, Some(0), "{err}");
        let asked = fs::read_to_string(place.path("asked")).unwrap();
        asked.lines().filter(|line| !line.contains("list")).collect::<Vec<_>>().join("\n")
    };
    let created = "issue create --title toolprobe: regression of openai --body-file \
                   toolprobe-comment.md";
    assert_eq!(night("1", ""), created);
    assert_eq!(night("1", "42"), "issue comment 42 --body-file toolprobe-comment.md");
    assert_eq!(night("3", "42"), "");
    assert_eq!(night("2", ""), "");
    assert_eq!(night("0", "42"), "issue close 42 --comment The gate is green again.");
    assert_eq!(night("0", ""), "");
    fs::remove_file(place.path("toolprobe-comment.md")).unwrap();
    assert!(night("1", "").starts_with("issue create --title "), "without a gate there is none");
}

#[test]
fn the_cron_script_runs_the_simulated_fleet() {
    let place = Place::with(&[]);
    let models = root().join("fixtures/models");
    let night = || finished(script("nightly.sh", &place.path("")).output().unwrap());
    let mut config = String::from("[defaults]\nsuite = \"light\"\ntrials = 1\n");
    let sim = Sim::of_folder(&models);
    for entry in fs::read_dir(&models).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        if text.contains("dialect = \"openai-chat\"") && !text.contains("http_quirks") {
            let model = path.file_stem().unwrap().to_str().unwrap();
            write!(
                config,
                "[[targets]]\nname = \"{model}\"\nbase_url = \"{}/v1\"\ndialect = \
                 \"openai-chat\"\nmodel = \"{model}\"\n",
                sim.url
            )
            .unwrap();
        }
    }
    fs::write(place.path("toolprobe.toml"), &config).unwrap();
    assert_eq!(night().0, Some(3), "there is no snapshot yet");
    place.exits(0, &["accept", "--all"]);
    assert!(place.snapshots().len() > 40, "{}", place.snapshots().len());
    assert_eq!(night(), (Some(0), String::new(), String::new()));
}
