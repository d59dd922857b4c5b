//! Service faults in each provider's words: keys, limits, unknown models.

use serde_json::json;

use super::*;

#[test]
fn faults_have_the_providers_status_and_words() {
    let cases = [
        (RulesId::Anthropic, ServiceFault::NoKey, 401, "x-api-key header is required"),
        (RulesId::Anthropic, ServiceFault::WrongKey, 401, "invalid x-api-key"),
        (RulesId::Anthropic, ServiceFault::NoVersion, 400, "anthropic-version: header is required"),
        (RulesId::Anthropic, ServiceFault::NoModel("x"), 404, "model: x"),
        (
            RulesId::OpenAiChat,
            ServiceFault::NoModel("x"),
            404,
            "The model `x` does not exist or you do not have access to it.",
        ),
        (
            RulesId::OpenAiChat,
            ServiceFault::OtherPath { called: "v1/chat/completions", served: "v1/responses" },
            404,
            "This model is only supported in v1/responses and not in v1/chat/completions.",
        ),
        (
            RulesId::Ollama,
            ServiceFault::NoModel("x"),
            404,
            "model \"x\" not found, try pulling it first",
        ),
        (RulesId::LlamaCpp, ServiceFault::WrongKey, 401, "Invalid API Key"),
        (RulesId::LlamaCpp, ServiceFault::Failing(503), 503, "Loading model"),
        (
            RulesId::Gemini,
            ServiceFault::RateLimited,
            429,
            "Resource has been exhausted (e.g. check quota).",
        ),
    ];
    for (rules, case, status, message) in cases {
        let refusal = refuse(rules, &fault(rules, &case), "r");
        assert_eq!((refusal.status, message_of(&refusal.body)), (status, message), "{rules:?}");
    }
}

#[test]
fn each_status_has_the_providers_type_word() {
    let words = [
        (RulesId::Anthropic, 529, "/error/type", "overloaded_error"),
        (RulesId::Anthropic, 500, "/error/type", "api_error"),
        (RulesId::OpenAiChat, 500, "/error/type", "server_error"),
        (RulesId::Gemini, 503, "/error/status", "UNAVAILABLE"),
        (RulesId::LlamaCpp, 503, "/error/type", "unavailable_error"),
        (RulesId::Vllm, 500, "/error/type", "InternalServerError"),
    ];
    for (rules, status, place, word) in words {
        let refusal = refuse(rules, &fault(rules, &ServiceFault::Failing(status)), "r");
        assert_eq!(refusal.body.pointer(place), Some(&json!(word)), "{rules:?} {status}");
    }
}

#[test]
fn a_server_that_refuses_tools_says_so_in_its_own_words() {
    let body = json!({"model": "m", "tools": [{}], "tool_choice": "required"});
    let refused = RequestFacts { tools: NativeTools::Rejected, ..facts(false) };
    let texts = [
        (RulesId::Ollama, "registry.ollama.ai/library/m:latest does not support tools"),
        (RulesId::Vllm, "tool_choice=\"required\" requires --tool-call-parser to be set"),
        (RulesId::Gemini, "Function calling is not enabled for models/m"),
    ];
    for (rules, text) in texts {
        let violation = check(rules, &body, refused).unwrap_err();
        assert_eq!(message_of(&refuse(rules, &violation, "r").body), text);
    }
    let auto = json!({"model": "m", "tools": [{}], "tool_choice": "auto"});
    let violation = check(RulesId::Vllm, &auto, refused).unwrap_err();
    assert_eq!(
        message_of(&refuse(RulesId::Vllm, &violation, "r").body),
        "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"
    );
}

#[test]
fn ollama_refuses_thinking_where_the_model_cannot() {
    verify(vec![bad(
        RulesId::Ollama,
        json!({"model": "m", "think": "high"}),
        "\"m\" does not support thinking",
    )]);
    accepted(
        RulesId::Ollama,
        false,
        &json!({"model": "m", "think": false, "messages": [
        {"role": "tool", "tool_name": "a", "content": "an orphan is fine"}]}),
    );
}
