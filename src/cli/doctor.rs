//! `toolprobe doctor`: checks whether every target can be asked.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use futures_util::future::join_all;

use super::CliError;
use super::Exit;
use super::args::scope::ScopeArgs;
use super::shell::console::Console;
use crate::campaign::is_offered;
use crate::report::for_terminal;
use crate::suggest::did_you_mean;
use crate::target::{
    Connection, DiscoverError, Endpoint, KeyFrom, Span, Target, Timeouts, connect, discover,
    read_template,
};
use crate::transport::{Budget, HttpCall, by_status};

/// How long one answer may take where nothing else is said.
const PATIENCE: Span = Span(Duration::from_secs(10));

/// Check keys, endpoints and models of the configured targets
///
/// A line for each check, with what to do where it does not pass. Keys are
/// never shown. Finding out a dialect costs an endpoint a few tokens. Exits 2
/// when something in the configuration is wrong and 3 when an endpoint does
/// not answer.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// How long one answer may take, such as 30s [default: 10s]
    #[arg(long, value_name = "TIME")]
    timeout: Option<Span>,

    #[command(flatten)]
    scope: ScopeArgs,
}

/// What a check found.
struct Check {
    what: &'static str,
    finding: CheckOutcome,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckOutcome {
    Good,
    /// Worth a look, but probing may well work.
    Doubtful,
    /// The configuration is to be changed.
    Wrong,
    Unreachable,
}

impl CheckOutcome {
    fn symbol(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Doubtful => "~",
            Self::Wrong => "✗",
            Self::Unreachable => "?",
        }
    }

    fn exit(self) -> Exit {
        match self {
            Self::Good | Self::Doubtful => Exit::Fine,
            Self::Wrong => Exit::Usage,
            Self::Unreachable => Exit::Inconclusive,
        }
    }

    fn of(self, what: &'static str, text: impl Into<String>) -> Check {
        Check { what, finding: self, text: text.into() }
    }
}

pub(super) fn run(args: &DoctorArgs, console: &Console) -> Result<Exit, CliError> {
    let scope = args.scope.load()?;
    if scope.is_simulated() {
        console.result(
            "✓ no target is configured: `toolprobe run` probes the simulated models, which need \
             nothing\n  name one in toolprobe.toml, which `toolprobe init` writes where there is none",
        )?;
        return Ok(Exit::Fine);
    }
    let timeouts =
        Timeouts { total: Some(args.timeout.unwrap_or(PATIENCE)), ..Timeouts::default() };
    let mut targets = scope.targets("")?;
    for target in &mut targets {
        target.endpoint.timeouts = timeouts.or(target.endpoint.timeouts);
    }
    let runtime = tokio::runtime::Runtime::new()?;
    let checks = runtime.block_on(join_all(targets.iter().map(examine)));
    console.result(&render(&targets, &checks))?;
    let findings = checks.iter().flatten().map(|check| check.finding.exit());
    Ok(findings.fold(Exit::Fine, Exit::and))
}

fn render(targets: &[Target], checks: &[Vec<Check>]) -> String {
    let mut text = String::new();
    for (target, checks) in targets.iter().zip(checks) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", for_terminal(&target.name));
        for Check { what, finding, text: found } in checks {
            let _ = writeln!(text, "  {} {what:<9} {}", finding.symbol(), for_terminal(found));
        }
    }
    text
}

/// All checks of a target; those that build on a failed one are left out.
async fn examine(target: &Target) -> Vec<Check> {
    let endpoint = &target.endpoint;
    let mut checks = vec![template(endpoint)];
    let env = |name: &str| std::env::var(name).ok();
    let connection = match connect(target.clone(), &env, &Arc::new(Budget::unlimited())) {
        Ok(connection) => connection,
        Err(error) => {
            checks.push(CheckOutcome::Wrong.of("key", error.to_string()));
            return checks;
        }
    };
    checks.push(key(endpoint));
    let answers = answers(&connection).await;
    let reached = answers.finding != CheckOutcome::Unreachable;
    checks.push(answers);
    if reached {
        checks.push(dialect(&connection).await);
        checks.push(model(&connection).await);
    }
    checks
}

fn template(endpoint: &Endpoint) -> Check {
    let Some(path) = &endpoint.chat_template else {
        return CheckOutcome::Good
            .of("template", "asked of the server; chat_template can name a file");
    };
    match read_template(path) {
        Ok(template) => {
            CheckOutcome::Good.of("template", format!("{} in {}", template.hash(), path.display()))
        }
        Err(error) => CheckOutcome::Wrong.of("template", CliError::usage(error).chain()),
    }
}

fn key(endpoint: &Endpoint) -> Check {
    match &endpoint.key {
        KeyFrom::Env(name) => CheckOutcome::Good.of("key", format!("{name} is set")),
        KeyFrom::Nowhere => CheckOutcome::Good.of("key", "none is sent; api_key_env can name one"),
        KeyFrom::Missing(names) => {
            CheckOutcome::Wrong.of("key", format!("none is set; set {}", names.join(" or ")))
        }
    }
}

/// Whether anything answers; what it says at its base does not matter.
async fn answers(connection: &Connection) -> Check {
    let Connection { target: Target { endpoint, .. }, transport, credentials, .. } = connection;
    let Some(access) = endpoint.accesses.first() else {
        return CheckOutcome::Wrong.of("endpoint", "it has no address; give a base_url");
    };
    let call = endpoint.dress(HttpCall::get(access.base_url.clone()), access, credentials);
    let host = access.base_url.host_str().unwrap_or_default().to_owned();
    match transport.send(&call, &by_status).await.response() {
        Ok(response) if matches!(response.status, 401 | 403) => CheckOutcome::Doubtful.of(
            "endpoint",
            format!("{host} answers with {}; is the key the right one?", response.status),
        ),
        Ok(_) => CheckOutcome::Good.of("endpoint", format!("{host} answers")),
        Err(error) => CheckOutcome::Unreachable
            .of("endpoint", format!("{host}: {error}; is it running, and is base_url right?")),
    }
}

async fn dialect(connection: &Connection) -> Check {
    if let [access] = connection.target.endpoint.accesses.as_slice() {
        return CheckOutcome::Good.of("dialect", format!("{}, as configured", access.dialect));
    }
    match discover(connection).await {
        Ok(found) => {
            CheckOutcome::Good.of("dialect", format!("{}, found out", found.access.dialect))
        }
        Err(error @ DiscoverError::Silent { .. }) => {
            CheckOutcome::Unreachable.of("dialect", error.to_string())
        }
        Err(error @ DiscoverError::NoDialect { .. }) => {
            CheckOutcome::Wrong.of("dialect", error.to_string())
        }
    }
}

/// Whether the model is on offer. A list may leave out what is served all the same.
async fn model(connection: &Connection) -> Check {
    let wanted = connection.target.model.as_str();
    let Some(offered) = connection.offered_models().await else {
        return CheckOutcome::Doubtful
            .of("model", format!("no list of models to find {wanted} in"));
    };
    if is_offered(&offered, wanted) {
        return CheckOutcome::Good.of("model", format!("{wanted} is on offer"));
    }
    let meant = did_you_mean(wanted, offered.iter().map(String::as_str));
    let text = format!("{wanted} is not among the {} on offer{meant}", offered.len());
    CheckOutcome::Doubtful.of("model", text)
}
