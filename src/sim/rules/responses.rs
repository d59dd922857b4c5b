//! Checks of OpenAI's Responses API.

use serde_json::Value;

use super::chat::{NO_SUCH_TOOL, UNKNOWN_CHOICE};
use super::complaint::Source::{Invented, Seen};
use super::complaint::{Complaint, Violation};
use super::raw::{has, is_name, list, text};
use super::strict;
use crate::sim::seal::{Seal, reasoning_item_id, sealed_turn};

/// Runs all checks; the first complaint counts.
pub(super) fn run(body: &Value) -> Result<(), Violation> {
    check_input_present(body)?;
    check_references(body)?;
    check_tools(body)?;
    check_choice(body)?;
    check_ids(body)?;
    check_pairing(body)?;
    check_reasoning(body)
}

fn items(body: &Value) -> impl Iterator<Item = (usize, &Value)> {
    list(body, "input").iter().enumerate()
}

fn kind(item: &Value) -> &str {
    text(item, "type")
}

const NO_INPUT: Complaint = Complaint::bad(Invented, "Missing required parameter: 'input'.")
    .param("input")
    .code("missing_required_parameter");

fn check_input_present(body: &Value) -> Result<(), Violation> {
    let continued = has(body, "previous_response_id") || has(body, "prompt");
    if has(body, "input") || continued { Ok(()) } else { Err(NO_INPUT.about(&[])) }
}

const NO_RESPONSE: Complaint =
    Complaint::bad(Invented, "Previous response with id '{id}' not found.")
        .param("previous_response_id")
        .code("previous_response_not_found");
const NO_ITEM: Complaint = Complaint::new(
    Seen("can1357/oh-my-pi#41"), 404,
    "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
)
.param("input");

/// What could be resolved no longer is a reference; reasoning that was not stored must be encrypted.
fn check_references(body: &Value) -> Result<(), Violation> {
    if has(body, "previous_response_id") {
        return Err(NO_RESPONSE.about(&[("id", text(body, "previous_response_id"))]));
    }
    let unstored = body.get("store").and_then(Value::as_bool) == Some(false);
    let reference = items(body).find(|(_, item)| match kind(item) {
        "item_reference" => true,
        "reasoning" => unstored && !has(item, "encrypted_content"),
        _ => false,
    });
    match reference {
        Some((_, item)) => Err(NO_ITEM.about(&[("id", text(item, "id"))])),
        None => Ok(()),
    }
}

const NO_NAME: Complaint =
    Complaint::bad(Invented, "Missing required parameter: 'tools[{n}].name'.")
        .param("tools[{n}].name")
        .code("missing_required_parameter");
const NAME: Complaint = Complaint::bad(
    Invented, "Invalid 'tools[{n}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
)
.param("tools[{n}].name")
.code("invalid_value");

fn check_tools(body: &Value) -> Result<(), Violation> {
    let functions = list(body, "tools").iter().enumerate();
    for (n, tool) in functions.filter(|(_, tool)| kind(tool) == "function") {
        if !has(tool, "name") {
            return Err(NO_NAME.at(n));
        }
        if !is_name(text(tool, "name"), 64, "_-") {
            return Err(NAME.at(n));
        }
        if tool.get("strict").and_then(Value::as_bool) == Some(true) {
            strict::check(tool, &format!("tools[{n}].parameters"))?;
        }
    }
    Ok(())
}

const GRAMMAR: Complaint = Complaint::bad(Invented, "Invalid grammar of tool 'tools[{n}]': {why}.")
    .param("tools[{n}].format")
    .code("invalid_value");

/// A custom tool whose grammar cannot be read.
pub(super) fn refuse_grammar(n: usize, why: &str) -> Violation {
    GRAMMAR.about(&[("n", &n.to_string()), ("why", why)])
}

fn check_choice(body: &Value) -> Result<(), Violation> {
    let declared = |name: &str| list(body, "tools").iter().any(|tool| text(tool, "name") == name);
    match body.get("tool_choice") {
        Some(Value::String(word)) if !matches!(&**word, "none" | "auto" | "required") => {
            Err(UNKNOWN_CHOICE.about(&[("word", word)]))
        }
        Some(choice @ Value::Object(_))
            if kind(choice) == "function" && !declared(text(choice, "name")) =>
        {
            Err(NO_SUCH_TOOL.about(&[("word", text(choice, "name"))]))
        }
        _ => Ok(()),
    }
}

const MOST_CALL_ID: usize = 64;
const CALL_ID_TOO_LONG: Complaint = Complaint::bad(
    Seen("orchidfiles/ungate#26"), "Invalid 'input[{n}].call_id': string too long. Expected a string with maximum length 64, but got a string with length {length} instead.",
)
.param("input[{n}].call_id")
.code("string_above_max_length");
const ID_PREFIX: Complaint = Complaint::bad(
    Seen("BigPizzaV3/CodexPlusPlus#1796"),
    "Invalid 'input[{n}].id': '{id}'. Expected an ID that begins with '{prefix}'.",
)
.param("input[{n}].id")
.code("invalid_value");
const ID_CHARACTERS: Complaint = Complaint::bad(
    Seen("langchain-ai/langchainjs#11044"), "Invalid 'input[{n}].id': '{id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.",
)
.param("input[{n}].id")
.code("invalid_value");

fn check_ids(body: &Value) -> Result<(), Violation> {
    for (n, item) in items(body) {
        let place = n.to_string();
        let length = text(item, "call_id").chars().count();
        if length > MOST_CALL_ID {
            return Err(CALL_ID_TOO_LONG.about(&[("n", &place), ("length", &length.to_string())]));
        }
        let id = text(item, "id");
        let prefix = match kind(item) {
            "function_call" => "fc",
            "reasoning" => "rs",
            _ => continue,
        };
        if id.is_empty() {
            continue;
        }
        let blanks = [("n", &*place), ("id", id), ("prefix", prefix)];
        if !is_name(id, usize::MAX, "_-") {
            return Err(ID_CHARACTERS.about(&blanks));
        }
        if !id.starts_with(prefix) {
            return Err(ID_PREFIX.about(&blanks));
        }
    }
    Ok(())
}

const NO_OUTPUT: Complaint =
    Complaint::bad(Seen("lace-ai/gai#49"), "No tool output found for function call {id}.")
        .param("input");
const NO_CALL: Complaint = Complaint::bad(
    Seen("vercel/ai#8216"),
    "No tool call found for function call output with call_id {id}.",
)
.param("input");

fn check_pairing(body: &Value) -> Result<(), Violation> {
    let call_ids = |wanted: &'static str| {
        items(body).filter(move |(_, i)| kind(i) == wanted).map(|(_, i)| text(i, "call_id"))
    };
    if let Some(id) = call_ids("function_call_output")
        .find(|id| !call_ids("function_call").any(|call| call == *id))
    {
        return Err(NO_CALL.about(&[("id", id)]));
    }
    match call_ids("function_call")
        .find(|id| !call_ids("function_call_output").any(|output| output == *id))
    {
        Some(id) => Err(NO_OUTPUT.about(&[("id", id)])),
        None => Ok(()),
    }
}

const WITHOUT_REASONING: Complaint = Complaint::bad(
    Seen("TanStack/ai#1212"), "Item '{id}' of type 'function_call' was provided without its required 'reasoning' item: '{other}'.",
)
.param("input");
const WITHOUT_FOLLOWER: Complaint = Complaint::bad(
    Seen("langchain-ai/langchainjs#9938"),
    "Item '{id}' of type 'reasoning' was provided without its required following item.",
)
.param("input");
const UNVERIFIED: Complaint = Complaint::bad(
    Seen("continuedev/continue#10643"), "The encrypted content for item {id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
)
.code("invalid_encrypted_content");

fn check_reasoning(body: &Value) -> Result<(), Violation> {
    for (n, item) in items(body) {
        match kind(item) {
            "reasoning" => check_reasoning_item(body, n, item)?,
            // A call without its own id is not checked: clients drop both on purpose.
            "function_call" if has(item, "id") => check_call_item(body, n, item)?,
            _ => {}
        }
    }
    Ok(())
}

fn check_reasoning_item(body: &Value, n: usize, item: &Value) -> Result<(), Violation> {
    let blanks = [("id", text(item, "id"))];
    let blob = item.get("encrypted_content").filter(|blob| !blob.is_null());
    if blob.is_some_and(|blob| !Seal::Encrypted.is_genuine(blob.as_str().unwrap_or_default())) {
        return Err(UNVERIFIED.about(&blanks));
    }
    let follower = list(body, "input").get(n + 1);
    let produced = follower.is_some_and(|next| match kind(next) {
        "function_call" | "reasoning" => true,
        _ => text(next, "role") == "assistant",
    });
    if produced { Ok(()) } else { Err(WITHOUT_FOLLOWER.about(&blanks)) }
}

fn check_call_item(body: &Value, n: usize, item: &Value) -> Result<(), Violation> {
    let Some(required) = sealed_turn(text(item, "call_id")).map(reasoning_item_id) else {
        return Ok(());
    };
    let given = items(body).take(n).any(|(_, before)| text(before, "id") == required);
    if given {
        return Ok(());
    }
    Err(WITHOUT_REASONING.about(&[("id", text(item, "id")), ("other", &required)]))
}
