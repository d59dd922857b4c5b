//! Console sessions: every `console` block is run, and prints what the page shows.
//!
//! The blocks of a page are one session of one shell in an empty folder, with `toolprobe` on the path.
//! A block with `<!-- file: NAME -->` before it is written to that file when the session comes to it. A
//! line `…` stands for any lines, times and digests are not compared, and the ports 8089 and 8090 are free ones.
//! Of a command that is started with `&`, only standard output is shown. Commands that need a key, a
//! gateway or cargo are in `sh` blocks, which are not run.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::net::TcpListener;

use crate::pages::{self, Block, Page};
use crate::{reproducible, writing};

/// The addresses that pages show.
const SHOWN: [&str; 2] = ["127.0.0.1:8089", "127.0.0.1:8090"];

/// A command as the page shows it, and the lines shown below it.
struct Step {
    command: String,
    shown: String,
}

#[test]
#[cfg_attr(not(unix), ignore = "needs a POSIX shell")]
fn console_blocks_print_what_the_pages_show() {
    let mut wrong = Vec::new();
    for page in pages::all() {
        let printed = run(&page);
        let steps = page.blocks().iter().flat_map(steps).collect::<Vec<_>>();
        assert_eq!(steps.len(), printed.len(), "{}: the shell ended early", page.path.display());
        for (step, printed) in steps.iter().zip(&printed).filter(|(step, it)| !step.shows(it)) {
            wrong.push(format!("{}: $ {}\n{printed}", page.path.display(), step.command));
        }
        if writing() {
            fs::write(&page.path, with_outputs(&page.text, &steps, &printed)).unwrap();
        }
    }
    assert!(wrong.is_empty() || writing(), "run ci/sample; printed today:\n{}", wrong.join("\n"));
}

/// The page with what is printed today below each command.
fn with_outputs(page: &str, steps: &[Step], printed: &[String]) -> String {
    let (mut text, mut rest) = (String::new(), page);
    for (step, printed) in steps.iter().zip(printed) {
        let old = format!("$ {}\n{}", step.command, step.shown);
        let (before, after) = rest.split_once(&old).unwrap();
        let output = if step.shows(printed) { &step.shown } else { printed };
        write!(text, "{before}$ {}\n{output}", step.command).unwrap();
        rest = after;
    }
    text + rest
}

/// What each command of the page prints.
fn run(page: &Page) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    // Both are held until both are known.
    let held = SHOWN.map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
    let free = held.each_ref().map(|it| it.local_addr().unwrap().to_string());
    drop(held);
    let script = SHOWN.iter().zip(&free).fold(script(page), |it, (to, by)| it.replace(to, by));
    fs::write(folder.path().join("session"), script).unwrap();
    let output = reproducible("sh", folder.path()).arg("session").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let text = free.iter().zip(SHOWN).fold(text, |it, (by, to)| it.replace(by, to));
    text.split("\u{1}\n").skip(1).map(shorten).collect()
}

/// The session as a shell script that prints a mark before what each command prints.
fn script(page: &Page) -> String {
    let mut script = "exec 2>&1\ntrap 'kill $servers 2>/dev/null' EXIT\n".to_owned();
    for block in page.blocks() {
        if let Some(file) = block.file {
            let body = block.body;
            writeln!(script, "mkdir -p \"$(dirname {file})\"\ncat > {file} <<'END'\n{body}END")
                .unwrap();
        }
        for step in steps(&block) {
            writeln!(script, "last=$?; printf '\\001\\n'; (exit $last)").unwrap();
            match step.command.strip_suffix(" &") {
                Some(command) => writeln!(
                    script,
                    "rm -f server.log; {command} > server.log 2>/dev/null &\n\
                     servers=\"$servers $!\"\n\
                     waits=0; until [ -s server.log ] || [ $((waits += 1)) -gt 400 ]; do sleep 0.05; done; cat server.log"
                ),
                None => writeln!(script, "{}", step.command),
            }
            .unwrap();
        }
    }
    script
}

fn steps(block: &Block<'_>) -> Vec<Step> {
    if block.language != "console" {
        return Vec::new();
    }
    let commands = format!("\n{}", block.body);
    let commands = commands.split("\n$ ").skip(1);
    commands.map(Step::read).collect()
}

impl Step {
    fn read(text: &str) -> Self {
        let (command, shown) = text.split_once('\n').unwrap_or((text, ""));
        let shown = if shown.is_empty() || shown.ends_with('\n') {
            shown.to_owned()
        } else {
            format!("{shown}\n")
        };
        Self { command: command.to_owned(), shown }
    }

    fn shows(&self, printed: &str) -> bool {
        let (shown, printed) = (comparable(&self.shown), comparable(printed));
        matches(&shown.lines().collect::<Vec<_>>(), &printed.lines().collect::<Vec<_>>())
    }
}

/// Whether the shown lines are the printed ones; `…` alone on a line stands for any lines.
fn matches(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&"…", rest)) => (0..=printed.len()).any(|count| matches(rest, &printed[count..])),
        Some((line, rest)) => printed.first() == Some(line) && matches(rest, &printed[1..]),
    }
}

/// Whether two texts are the same but for times and digests.
pub(crate) fn same(kept: &str, printed: &str) -> bool {
    comparable(&shorten(kept)) == comparable(&shorten(printed))
}

/// Without times and digests, which differ from machine to machine.
fn comparable(text: &str) -> String {
    let words = text.split_inclusive([' ', '\n', '/', ':']).map(|word| match word.find('…') {
        Some(at) => &word[at..],
        None => word,
    });
    let mut out = String::new();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let is_seconds =
            words.peek().is_some_and(|next| next.trim_end_matches(['\n', ';', ' ']) == "s");
        // The same exchange can be kept by several runs.
        let is_run = words.peek() == Some(&"evidence/");
        out.push_str(match word {
            _ if is_run => "RUN/",
            time if is_seconds && time.trim().parse::<f64>().is_ok() => "0 ",
            word => word,
        });
    }
    out
}

/// With digests cut to their beginning, as pages show them.
pub(crate) fn shorten(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_hexdigit()) {
        let tail = &rest[start..];
        let length = tail.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(tail.len());
        let is_digest = [12, 64].contains(&length);
        out.push_str(&rest[..start + if is_digest { 4 } else { length }]);
        if is_digest {
            out.push('…');
        }
        rest = &tail[length..];
    }
    out + rest
}

#[test]
fn the_nightly_page_goes_from_init_over_a_red_gate_to_a_green_one() {
    let page = pages::named("nightly");
    let steps: Vec<Step> = page.blocks().iter().flat_map(steps).collect();
    let commands: Vec<&str> = steps.iter().map(|step| step.command.as_str()).collect();
    assert_eq!(commands.first(), Some(&"toolprobe init"));
    let servers: BTreeSet<&str> =
        commands.iter().filter_map(|it| it.split("--addr ").nth(1)).collect();
    assert_eq!(servers.len(), SHOWN.len(), "{commands:?}");
    let exits = steps.iter().filter(|step| step.command == "echo $?");
    assert_eq!(exits.map(|step| step.shown.trim()).collect::<Vec<_>>(), ["0", "1", "0"]);
    assert!(commands.iter().filter(|it| it.starts_with("toolprobe accept")).count() > 1);
}

#[test]
fn a_line_with_dots_stands_for_any_lines() {
    assert!(matches(&["a", "…", "d"], &["a", "b", "c", "d"]));
    assert!(matches(&["…", "d"], &["d"]));
    assert!(!matches(&["a", "…", "d"], &["a", "b", "c"]));
    assert!(!matches(&["a"], &["a", "b"]));
}

#[test]
fn times_and_digests_are_not_compared() {
    assert!(same("done in 0.4 s; kept\n", "done in 1.2 s; kept\n"));
    assert!(same("evidence/12ab….json\n", &format!("evidence/{:064x}.json\n", 7)));
    assert!(!same("3 targets in 0.4 s\n", "4 targets in 0.4 s\n"));
}
