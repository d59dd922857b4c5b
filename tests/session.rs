//! A session over real HTTP: does each of its eleven steps do its work, or fail into a state that is more
//! careful?

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use chrono::{DateTime, Days};
use serde_json::{Value, json};
use strum::VariantArray as _;
use toolprobe::campaign::{Caution, RunSettings, Session, SessionStep, probe_target};
use toolprobe::conversation::{Answer, Conversation, Ending, Reading, Turn};
use toolprobe::ir::{
    CallFormat, CallId, Message, Part, Reply, Stop, StopKind, ToolCall, ToolResult, ToolSpec,
};
use toolprobe::probe::{Suite, SuiteName};
use toolprobe::profile::{Profile, Tier};
use toolprobe::prompted::ToolDelivery;
use toolprobe::sim::{Fleet, Options, Running, Sim};
use toolprobe::target::{Connection, Defaults, connect, simulated_fleet};
use toolprobe::telemetry::Counts;
use toolprobe::tools::{Effect, Nonces, Registry, Tool, ToolFuture, probes};
use toolprobe::transport::Budget;

const ADD: &str = "Call the tool `probe_add` once, with:\n- a = 20\n- b = 22";
const MAX_TURNS: usize = 8;

/// A simulated model behind a server of its own.
struct Place {
    connection: Connection,
    settings: RunSettings,
    server: Option<Running>,
}

impl Place {
    async fn of(model: &str) -> Self {
        let fleet = Fleet::embedded().unwrap();
        let server = Sim::start(fleet.clone(), "127.0.0.1:0", Options::default()).await.unwrap();
        let targets = simulated_fleet(&fleet, &server.base_url(), &Defaults::default()).unwrap();
        let target = targets.into_iter().find(|target| target.name == model).unwrap();
        let connection = connect(target, &|_| None, &Arc::new(Budget::unlimited())).unwrap();
        let settings = RunSettings {
            suite: Suite::embedded().unwrap(),
            name: SuiteName::Standard,
            trials: 1,
            seed: 1,
            verified_at: DateTime::UNIX_EPOCH,
        };
        Self { connection, settings, server: Some(server) }
    }

    async fn stop(&mut self) {
        self.server.take().unwrap().shutdown().await.unwrap();
    }

    async fn profile(&self) -> Profile {
        probe_target(&self.connection, &self.settings, &()).await.unwrap().profile
    }

    async fn open(&self, kept: Option<Profile>, tier: Tier) -> Session {
        Session::open(&self.connection, &self.settings, kept, tier).await.unwrap()
    }
}

fn tools() -> Registry {
    probes::registry(&Nonces::seeded("agent")).unwrap()
}

/// How careful a session is after the first step of this name.
fn after(session: &Session, step: SessionStep) -> (Caution, &str) {
    let visit = session.trace().iter().find(|visit| visit.step == step).unwrap();
    (visit.caution, &visit.outcome)
}

fn call(id: &str) -> ToolCall {
    ToolCall::new(CallId::new(id), "probe_add", json!({"a": 1, "b": 2}), CallFormat::OpenAi)
}

/// A turn with these calls, and nothing else.
fn turn(calls: Vec<ToolCall>) -> Turn {
    let parts = calls.iter().cloned().map(Part::Call).collect();
    let reply = Reply::new(parts, Stop::unlabelled(StopKind::ToolUse));
    let reading = Reading { calls, ..Reading::default() };
    Turn { answer: Answer::Reply(Box::new(reply)), reading }
}

#[tokio::test]
async fn the_eleven_steps_are_taken_with_models_that_call_in_different_ways() {
    for model in ["deepseek-v4-thinking", "qwen3-coder-xml", "taught-tool-use"] {
        let place = Place::of(model).await;
        let mut session = place.open(None, Tier::ReadOnly).await;
        let ending = session.ask(&tools(), ADD, MAX_TURNS).await;
        assert!(matches!(ending, Ending::Answered(_)), "{model}: {ending:?}");
        let mut taken: Vec<SessionStep> = session.trace().iter().map(|it| it.step).collect();
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken, SessionStep::VARIANTS, "{model}");
        assert_eq!(session.caution(), Caution::AsTrusted, "{model}: {:?}", session.trace());
        assert!(session.telemetry().iter().any(|turn| turn.succeeded_calls == 1), "{model}");
    }
}

#[tokio::test]
async fn a_fresh_profile_is_not_probed_again_and_a_stale_one_is() {
    let mut place = Place::of("openai-native").await;
    let profile = place.profile().await;
    let session = place.open(Some(profile.clone()), Tier::Full).await;
    assert_eq!(after(&session, SessionStep::LoadProfile).1, "fresh");
    assert_eq!(after(&session, SessionStep::Probe).1, "not needed");
    place.settings.verified_at = DateTime::UNIX_EPOCH + Days::new(900);
    let session = place.open(Some(profile.clone()), Tier::Full).await;
    assert_eq!(after(&session, SessionStep::LoadProfile).1, "stale");
    assert_eq!(after(&session, SessionStep::Probe), (Caution::AsTrusted, "probed"));
    place.stop().await;
    let session = place.open(Some(profile), Tier::Full).await;
    assert_eq!(after(&session, SessionStep::Probe).0, Caution::NoTools, "no probe, no trust");
}

#[tokio::test]
async fn a_model_that_is_not_trusted_or_cannot_call_gets_no_tools() {
    for (model, tier) in [("openai-native", Tier::Shadow), ("talks-only", Tier::Full)] {
        let place = Place::of(model).await;
        let mut session = place.open(None, tier).await;
        assert_eq!(after(&session, SessionStep::ChooseAdapter).0, Caution::NoTools, "{model}");
        session.ask(&tools(), ADD, MAX_TURNS).await;
        assert!(session.telemetry().iter().all(|turn| turn.calls == 0), "{model}");
    }
}

#[tokio::test]
async fn steps_of_a_turn_fail_into_the_careful_state() {
    let place = Place::of("deepseek-v4-thinking").await;
    let profile = place.profile().await;
    let open = async || place.open(Some(profile.clone()), Tier::Full).await;
    let tools = tools();

    let mut session = open().await;
    let client = session.client().clone();
    let history = vec![Message::user("Add."), Message::assistant(vec![Part::Call(call("a"))])];
    let native = ToolDelivery::Native;
    let mut talk = Conversation::resume(&client, native, &tools, history);
    session.encode(&mut talk).await;
    assert_eq!(after(&session, SessionStep::Encode).0, Caution::Careful);

    let mut session = open().await;
    let wrong = ToolCall { input: json!({"a": "one"}), ..call("a") };
    let validated = session.validate(&talk, &tools, &turn(vec![wrong, call("b")]));
    assert_eq!(validated.allowed(), [call("b")], "what does not fit its schema never runs");
    assert_eq!(after(&session, SessionStep::Validate).0, Caution::Careful);
    let both = turn(vec![call("a"), call("b")]);
    let allowed = session.validate(&talk, &tools, &both).allowed();
    assert_eq!(allowed.len(), 1, "from then on, one call a turn");

    let mut session = open().await;
    let result = |id: &str| ToolResult::success(CallId::new(id), "probe_add", json!(3));
    session.encode_result(&mut talk, &both, &[result("a"), result("a")]);
    assert_eq!(after(&session, SessionStep::EncodeResult).0, Caution::Careful);

    let mut session = open().await;
    session.preserve_state(&mut talk, &both, None);
    assert_eq!(after(&session, SessionStep::PreserveState).0, Caution::Careful, "no reasoning");
}

#[tokio::test]
async fn half_a_call_never_runs_is_counted_and_makes_the_session_careful() {
    let place = Place::of("arguments-tail-cut").await;
    let mut profile = place.profile().await;
    // As if streams had never been measured: no plan keeps the calls out of them.
    profile.results.streaming = None;
    let mut session = place.open(Some(profile), Tier::Full).await;
    let (client, tools) = (session.client().clone(), tools());
    let mut talk = Conversation::new(&client, ToolDelivery::Native, &tools, ADD);
    talk.request().stream = true;
    let encoded = session.encode(&mut talk).await;
    let received = session.receive(&mut talk, encoded).await;
    let turn = session.parse(&mut talk, received).await;
    assert_eq!(after(&session, SessionStep::Parse).0, Caution::Careful, "{:?}", turn.reading);
    let validated = session.validate(&talk, &tools, &turn);
    assert_eq!(validated.allowed(), []);
    let results = session.execute(&mut talk, &tools, &turn, validated).await;
    assert!(!results.is_empty() && results.iter().all(|result| result.is_error), "{results:?}");
    let counts = Counts::of(talk.telemetry());
    assert_eq!((counts.calls, counts.blocked), (0, 1), "{counts:?}");
}

#[tokio::test]
async fn without_a_reply_somebody_is_asked() {
    let mut place = Place::of("openai-native").await;
    let profile = place.profile().await;
    let mut session = place.open(Some(profile), Tier::Full).await;
    place.stop().await;
    let ending = session.ask(&tools(), ADD, MAX_TURNS).await;
    assert!(matches!(ending, Ending::NoReply(_)), "{ending:?}");
    assert_eq!(after(&session, SessionStep::Receive).0, Caution::AskSomebody);
}

#[tokio::test]
async fn errors_beyond_what_the_plan_allows_end_with_somebody_being_asked() {
    let place = Place::of("never-repairs").await;
    let mut session = place.open(None, Tier::Full).await;
    let ask = "Call the tool `probe_fail_once` once, with:\n- path = \"notes.txt\"";
    let ending = session.ask(&tools(), ask, MAX_TURNS).await;
    assert!(matches!(ending, Ending::Unrepaired(_)), "{ending:?}");
    assert_eq!(session.caution(), Caution::AskSomebody);
}

#[tokio::test]
async fn a_model_that_goes_round_in_circles_is_left_with_tools_that_look() {
    let place = Place::of("loops").await;
    let mut session = place.open(None, Tier::Full).await;
    session.ask(&tools(), ADD, MAX_TURNS).await;
    assert!(session.caution() >= Caution::ReadOnlyTools, "{:?}", session.trace());
}

/// A tool that changes something, and counts how often.
struct Writer(Arc<AtomicUsize>);

impl Tool for Writer {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "probe_add".to_owned(),
            description: "Add two numbers and write down the sum.".to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "required": ["a", "b"]
            }),
            strict: None,
        }
    }

    fn effect(&self) -> Effect {
        Effect::Mutating
    }

    fn run<'a>(&'a self, _: &'a Value) -> ToolFuture<'a> {
        self.0.fetch_add(1, SeqCst);
        Box::pin(async { Ok(json!({"sum": 42})) })
    }
}

#[tokio::test]
async fn tools_that_change_something_run_in_the_full_tier_only() {
    let place = Place::of("openai-native").await;
    let profile = place.profile().await;
    for (tier, times) in [(Tier::ReadOnly, 0), (Tier::Full, 1)] {
        let written = Arc::new(AtomicUsize::new(0));
        let mut tools = Registry::default();
        tools.register(Box::new(Writer(Arc::clone(&written)))).unwrap();
        let mut session = place.open(Some(profile.clone()), tier).await;
        let _ = session.ask(&tools, ADD, 2).await;
        assert_eq!(written.load(SeqCst), times, "{tier}");
        let refused: u32 = session.telemetry().iter().map(|turn| turn.refused_calls).sum();
        assert_eq!(refused > 0, times == 0, "{tier}: what is blocked is counted");
    }
}

#[test]
fn every_state_is_more_careful_than_the_one_before() {
    assert!(Caution::ALL.is_sorted());
    assert!(Caution::ALL.map(Caution::tier).is_sorted_by(|one, next| one >= next));
}
