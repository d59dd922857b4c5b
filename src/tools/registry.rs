//! Tool registry: finds the tool of a call, checks the arguments, asks the hooks, runs it.

use futures_util::future::join_all;
use serde_json::Value;
use tokio::sync::RwLock;

use super::{
    ArgumentSchema, BadSchema, Effect, ErrorCode, Tool, ToolFailure,
    mcp_name::{MAX_NAME_LENGTH, mcp_name},
    truncate,
};
use crate::ir::{ToolCall, ToolResult, ToolSpec};

/// The most characters of a tool's output that a model gets to see.
const OUTPUT_LIMIT: usize = 100_000;

/// Looks at every call before it runs and after.
///
/// Implemented by programs that record, approve or change calls. `before` may change the arguments,
/// which are checked against the schema afterwards. An `Err` goes to the model in place of a result,
/// and the tool does not run; with [`ErrorCode::Refused`] it is counted as a blocked call.
pub trait Hook: Send + Sync {
    /// Before the arguments are checked; `effect` says whether the tool changes anything.
    fn before(&self, _call: &mut ToolCall, _effect: Effect) -> Result<(), ToolFailure> {
        Ok(())
    }

    /// After the call, whether it ran or was refused.
    fn after(&self, _call: &ToolCall, _result: &ToolResult) {}
}

struct Entry {
    spec: ToolSpec,
    schema: ArgumentSchema,
    tool: Box<dyn Tool>,
}

/// The tools of one conversation, in the order they are offered.
pub struct Registry {
    entries: Vec<Entry>,
    hooks: Vec<Box<dyn Hook>>,
    output_limit: usize,
    /// Shared by calls that look, held alone by calls that change something.
    gate: RwLock<()>,
}

impl Default for Registry {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            hooks: Vec::new(),
            output_limit: OUTPUT_LIMIT,
            gate: RwLock::new(()),
        }
    }
}

/// Why a tool cannot be offered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// Another tool has this name.
    #[error("a tool named '{0}' is registered already")]
    DuplicateName(String),
    /// Some provider would not take the name.
    #[error(
        "'{0}' cannot be a tool's name: it needs 1 to {MAX_NAME_LENGTH} ASCII letters, digits, '_' \
         or '-'"
    )]
    BadName(String),
    /// The schema is not a JSON Schema.
    #[error("tool '{name}' has an invalid input schema: {problem}")]
    BadSchema {
        /// The tool's name.
        name: String,
        /// What is wrong with its schema.
        problem: BadSchema,
    },
}

impl Registry {
    /// Offers a tool.
    pub fn register(&mut self, tool: Box<dyn Tool>) -> Result<(), RegistryError> {
        self.offer(tool.spec(), tool)
    }

    /// Offers a tool of an MCP server, as `mcp__server__tool`.
    pub fn register_mcp(&mut self, server: &str, tool: Box<dyn Tool>) -> Result<(), RegistryError> {
        let spec = tool.spec();
        self.offer(ToolSpec { name: mcp_name(server, &spec.name), ..spec }, tool)
    }

    fn offer(&mut self, spec: ToolSpec, tool: Box<dyn Tool>) -> Result<(), RegistryError> {
        if !is_name(&spec.name) {
            return Err(RegistryError::BadName(spec.name));
        }
        if self.entry(&spec.name).is_some() {
            return Err(RegistryError::DuplicateName(spec.name));
        }
        let schema = ArgumentSchema::new(&spec.input_schema)
            .map_err(|problem| RegistryError::BadSchema { name: spec.name.clone(), problem })?;
        self.entries.push(Entry { spec, schema, tool });
        Ok(())
    }

    /// Adds a hook. Hooks run in the order they were added.
    pub fn add_hook(&mut self, hook: Box<dyn Hook>) {
        self.hooks.push(hook);
    }

    /// What a model is told about the tools.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.entries.iter().map(|entry| &entry.spec)
    }

    /// Runs the calls of one turn; the results are in the order of the calls. Neighbouring calls
    /// that only look run at the same time; a call that changes something runs alone, after the
    /// calls before it and before those after it.
    pub async fn run(&self, calls: &[ToolCall]) -> Vec<ToolResult> {
        let mut results = Vec::with_capacity(calls.len());
        for batch in calls.chunk_by(|one, next| self.may_run_together(one, next)) {
            results.extend(join_all(batch.iter().map(|call| self.run_one(call.clone()))).await);
        }
        results
    }

    fn may_run_together(&self, one: &ToolCall, other: &ToolCall) -> bool {
        [one, other].into_iter().all(|call| self.effect_of(call) == Effect::ReadOnly)
    }

    /// Whether a call changes anything. A call of no tool does not.
    pub fn effect_of(&self, call: &ToolCall) -> Effect {
        self.entry(&call.name).map_or(Effect::ReadOnly, |entry| entry.tool.effect())
    }

    async fn run_one(&self, mut call: ToolCall) -> ToolResult {
        let result = match self.check_and_run(&mut call).await {
            Ok(output) => ToolResult::success(
                call.id.clone(),
                call.name.clone(),
                truncate(output, self.output_limit),
            ),
            Err(failure) => failure.result_of(&call),
        };
        self.hooks.iter().for_each(|hook| hook.after(&call, &result));
        result
    }

    async fn check_and_run(&self, call: &mut ToolCall) -> Result<Value, ToolFailure> {
        let entry = self.entry(&call.name).ok_or_else(|| self.unknown(&call.name))?;
        let effect = entry.tool.effect();
        self.hooks.iter().try_for_each(|hook| hook.before(call, effect))?;
        entry.schema.check(&call.input)?;
        match effect {
            Effect::ReadOnly => {
                let _shared = self.gate.read().await;
                entry.tool.run(&call.input).await
            }
            Effect::Mutating => {
                let _alone = self.gate.write().await;
                entry.tool.run(&call.input).await
            }
        }
    }

    /// Why a call may not run as it stands, whatever hooks would say; `None` where it may.
    pub fn fault(&self, call: &ToolCall) -> Option<ToolFailure> {
        match self.entry(&call.name) {
            Some(entry) => entry.schema.check(&call.input).err(),
            None => Some(self.unknown(&call.name)),
        }
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.spec.name == name)
    }

    fn unknown(&self, name: &str) -> ToolFailure {
        let offered: Vec<&str> = self.specs().map(|spec| spec.name.as_str()).collect();
        // The beginning of a name that no tool can have says enough, and is sent back many times.
        let shown: String = name.chars().take(MAX_NAME_LENGTH).collect();
        ToolFailure::correctable(
            ErrorCode::UnknownTool,
            format!("no tool is named {shown:?}; one of: {}", offered.join(", ")),
        )
    }
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME_LENGTH).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use serde_json::json;
    use tokio::sync::Barrier;

    use super::*;
    use crate::ir::{CallFormat, CallId};
    use crate::tools::{Nonces, ToolFuture, probes};

    fn call(id: &str, name: &str, input: Value) -> ToolCall {
        ToolCall::new(CallId::new(id), name, input, CallFormat::OpenAi)
    }

    fn spec(name: &str) -> ToolSpec {
        ToolSpec::new(name, "", json!({"type": "object"}))
    }

    fn probe_registry() -> Registry {
        probes::registry(&Nonces::seeded("s")).unwrap()
    }

    /// Finishes only when as many calls as the barrier wants run at the same time.
    struct Meets(Arc<Barrier>);

    impl Tool for Meets {
        fn spec(&self) -> ToolSpec {
            spec("meets")
        }
        fn run<'a>(&'a self, input: &'a Value) -> ToolFuture<'a> {
            Box::pin(async {
                self.0.wait().await;
                Ok(input.clone())
            })
        }
    }

    /// Fails when another call runs at the same time.
    #[derive(Default)]
    struct Alone(AtomicUsize);

    impl Tool for Alone {
        fn spec(&self) -> ToolSpec {
            spec("alone")
        }
        fn effect(&self) -> Effect {
            Effect::Mutating
        }
        fn run<'a>(&'a self, input: &'a Value) -> ToolFuture<'a> {
            Box::pin(async {
                let running = self.0.fetch_add(1, Ordering::SeqCst) + 1;
                tokio::task::yield_now().await;
                self.0.fetch_sub(1, Ordering::SeqCst);
                assert_eq!(running, 1);
                Ok(input.clone())
            })
        }
    }

    #[tokio::test]
    async fn read_only_calls_run_together_with_results_in_call_order() {
        let mut registry = Registry::default();
        registry.register(Box::new(Meets(Arc::new(Barrier::new(3))))).unwrap();
        let calls: Vec<ToolCall> =
            (0..3).map(|n| call(&n.to_string(), "meets", json!({"n": n}))).collect();
        let results = registry.run(&calls).await;
        let ids: Vec<&str> = results.iter().map(|r| r.tool_call_id.as_str()).collect();
        assert_eq!(ids, ["0", "1", "2"]);
        assert_eq!(results[2].content, json!({"n": 2}));
    }

    #[tokio::test]
    async fn mutating_calls_run_alone_even_across_turns() {
        let mut registry = Registry::default();
        registry.register(Box::<Alone>::default()).unwrap();
        let calls = [call("1", "alone", json!({})), call("2", "alone", json!({}))];
        let (one, other) = tokio::join!(registry.run(&calls), registry.run(&calls));
        assert!(one.iter().chain(&other).all(|result| !result.is_error));
    }

    #[tokio::test]
    async fn arguments_that_break_the_schema_never_reach_the_tool() {
        let results = probe_registry()
            .run(&[call("1", "probe_echo", json!({"message": "hi", "tag": "gamma"}))])
            .await;
        assert!(results[0].is_error);
        assert_eq!(results[0].error_code.as_deref(), Some("SCHEMA_VALIDATION_FAILED"));
        assert_eq!(results[0].content["retryable"], true);
        assert_eq!(
            results[0].content["message"],
            r#"input.tag: expected one of "alpha", "beta", got "gamma""#
        );
    }

    #[tokio::test]
    async fn an_unknown_tool_is_told_which_ones_there_are() {
        let results = probe_registry().run(&[call("1", "probe_eco", json!({}))]).await;
        assert_eq!(results[0].error_code.as_deref(), Some("UNKNOWN_TOOL"));
        assert!(results[0].content["message"].as_str().unwrap().contains("probe_echo, probe_add"));
    }

    #[tokio::test]
    async fn long_output_is_cut_with_a_note() {
        let mut registry = probe_registry();
        registry.output_limit = 10;
        let input = json!({"message": "x".repeat(50), "tag": "beta"});
        let results = registry.run(&[call("1", "probe_echo", input)]).await;
        let text = results[0].content.as_str().unwrap();
        assert!(text.ends_with("[output truncated, 67 characters omitted]"), "{text}");
    }

    struct Recorder(Arc<Mutex<Vec<String>>>);

    impl Hook for Recorder {
        fn before(&self, call: &mut ToolCall, _: Effect) -> Result<(), ToolFailure> {
            if call.name == "probe_ping" {
                return Err(ToolFailure::fatal(ErrorCode::Refused, "not today"));
            }
            call.input["tag"] = json!("alpha");
            Ok(())
        }
        fn after(&self, call: &ToolCall, result: &ToolResult) {
            self.0.lock().unwrap().push(format!("{} {}", call.name, result.is_error));
        }
    }

    #[tokio::test]
    async fn hooks_change_refuse_and_see_calls() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mut registry = probe_registry();
        registry.add_hook(Box::new(Recorder(Arc::clone(&seen))));
        let calls = [
            call("1", "probe_echo", json!({"message": "hi", "tag": "gamma"})),
            call("2", "probe_ping", json!({})),
        ];
        let results = registry.run(&calls).await;
        assert_eq!(results[0].content["tag"], "alpha");
        assert_eq!(results[1].content["retryable"], false);
        assert_eq!(*seen.lock().unwrap(), ["probe_echo false", "probe_ping true"]);
    }

    #[test]
    fn a_second_tool_of_the_same_name_is_refused() {
        let mut registry = probe_registry();
        assert_eq!(
            registry.register(Box::new(probes::ProbeEcho)),
            Err(RegistryError::DuplicateName("probe_echo".to_owned()))
        );
    }

    struct Named(&'static str);

    impl Tool for Named {
        fn spec(&self) -> ToolSpec {
            let mut spec = spec(self.0);
            if self.0 == "bad_schema" {
                spec.input_schema = json!({"type": "objekt"});
            }
            spec
        }
        fn run<'a>(&'a self, input: &'a Value) -> ToolFuture<'a> {
            Box::pin(async { Ok(input.clone()) })
        }
    }

    #[test]
    fn names_and_schemas_that_providers_refuse_are_refused_here() {
        for name in ["", "with space", "dots.too", "日本"] {
            let refused = Registry::default().register(Box::new(Named(name)));
            assert_eq!(refused, Err(RegistryError::BadName(name.to_owned())));
        }
        let refused = Registry::default().register(Box::new(Named("bad_schema")));
        assert!(matches!(refused, Err(RegistryError::BadSchema { .. })));
    }

    #[test]
    fn the_probe_tools_are_the_documented_ones() {
        let registry = probe_registry();
        let names: Vec<&str> = registry.specs().map(|spec| spec.name.as_str()).collect();
        assert_eq!(
            names,
            ["probe_echo", "probe_add", "probe_fail_once", "probe_ping", "probe_nested"]
        );
    }
}
