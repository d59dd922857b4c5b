//! Edits of JSON bodies at a path: `messages/*[role=system]/content`.
//!
//! A step is a key, `*` for every element or value, `*[key=value]` for those that have it, `*[key]` for
//! those that have the key at all, or a number.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::mutation::Edit;

/// Counts within one reply.
#[derive(Debug, Default)]
pub(crate) struct Counter(pub(crate) usize);

/// Makes an edit of a body.
pub(crate) fn edit(body: &mut Value, edit: &Edit, counter: &mut Counter) {
    match edit {
        Edit::Remove(path) => remove(body, &steps(path)),
        Edit::Set(path, value) => set(body, &steps(path), value, counter),
        Edit::Fill(path, value) => fill(body, &steps(path), value),
        Edit::Replace(path, value) => {
            each(body, &steps(path), &mut |it| *it = filled(value, counter));
        }
        Edit::Truncate(path, length) => each(body, &steps(path), &mut |it| truncate(it, *length)),
        Edit::Reverse(path) => each(body, &steps(path), &mut |it| {
            it.as_array_mut().into_iter().for_each(|items| items.reverse());
        }),
        Edit::Prefix(path, text) => each(body, &steps(path), &mut |it| {
            if let Value::String(old) = it {
                *old = format!("{text}{old}");
            }
        }),
        Edit::Rewrite(path) => each(body, &steps(path), &mut rewrite),
        Edit::Times(path, factor) => each(body, &steps(path), &mut |it| {
            if let Some(number) = it.as_u64() {
                *it = Value::from(number * factor + 1);
            }
        }),
        Edit::Add(path, more) => each(body, &steps(path), &mut |it| {
            if let Some(number) = it.as_u64() {
                *it = Value::from(number + more);
            }
        }),
        Edit::StripPrefix(path, text) => each(body, &steps(path), &mut |it| {
            if let Some(rest) = it.as_str().and_then(|old| old.strip_prefix(text.as_str())) {
                *it = Value::from(rest);
            }
        }),
        Edit::WrapText(path) => each(body, &steps(path), &mut |it| {
            if it.is_string() {
                *it = json!([{"type": "text", "text": it.take()}]);
            }
        }),
        Edit::Rename(path, from, to) => each(body, &steps(path), &mut |it| rename(it, from, to)),
        Edit::MoveLast(path) => in_list(body, path, &mut |items, fits| {
            let (moved, kept): (Vec<_>, Vec<_>) = std::mem::take(items).into_iter().partition(fits);
            items.extend(kept.into_iter().chain(moved));
        }),
        Edit::ReverseRuns(path) => in_list(body, path, &mut |items, fits| {
            items.chunk_by_mut(|a, b| fits(a) && fits(b)).for_each(<[Value]>::reverse);
        }),
        Edit::Join(path, role) => each(body, &steps(path), &mut |it| join(it, role)),
        Edit::Shift(path, key) => each(body, &steps(path), &mut |it| shift(it, key)),
        Edit::Doubles(path) => each(body, &steps(path), &mut doubles),
        Edit::Respace(path) => each(body, &steps(path), &mut |it| {
            if let Value::String(old) = it {
                *old = old.split_whitespace().collect::<Vec<_>>().join(" ");
            }
        }),
        Edit::PlainLetters(path) => each(body, &steps(path), &mut |it| {
            if let Value::String(old) = it {
                old.retain(|letter| letter.is_ascii());
            }
        }),
        Edit::SplitCalls => each(body, &["messages"], &mut split_calls),
        Edit::SplitResults => each(body, &["contents"], &mut split_results),
        Edit::Body(value) => *body = value.clone(),
        Edit::SortKeys => body.sort_all_objects(),
        Edit::PlainError
        | Edit::Ascii
        | Edit::Status(_)
        | Edit::DropHeader(_)
        | Edit::DropEvents(_)
        | Edit::DropEvent(..)
        | Edit::RepeatEvents(_)
        | Edit::SwapEvents(_)
        | Edit::DropLines(_)
        | Edit::Comments
        | Edit::CarriageReturns
        | Edit::SmallPieces
        | Edit::Gzip
        | Edit::Slow
        | Edit::Close
        | Edit::OldHttp
        | Edit::Buffer
        | Edit::ReadOn => {}
    }
}

/// An edit of a list, told which elements are meant.
type ListEdit<'a> = dyn FnMut(&mut Vec<Value>, &dyn Fn(&Value) -> bool) + 'a;

/// Does something to every list at a path; its last step says which elements are meant.
fn in_list(body: &mut Value, path: &str, act: &mut ListEdit<'_>) {
    let steps = steps(path);
    let Some((last, before)) = steps.split_last() else { return };
    each(body, before, &mut |it| {
        it.as_array_mut().into_iter().for_each(|items| act(items, &|one| fits(last, "", one)));
    });
}

fn rename(value: &mut Value, from: &str, to: &str) {
    let Some(object) = value.as_object_mut() else { return };
    if let Some(inner) = object.remove(from) {
        object.insert(to.to_owned(), inner);
    }
}

fn list(content: Value) -> Vec<Value> {
    match content {
        Value::Array(parts) => parts,
        text => vec![json!({"type": "text", "text": text})],
    }
}

fn join(value: &mut Value, role: &str) {
    let Some(messages) = value.as_array_mut() else { return };
    let mut joined: Vec<Value> = Vec::new();
    for mut message in std::mem::take(messages) {
        match joined.last_mut() {
            Some(last) if last["role"] == role && message["role"] == role => {
                let content = (last["content"].take(), message["content"].take());
                last["content"] = match content {
                    (Value::String(one), Value::String(two)) => format!("{one}\n\n{two}").into(),
                    (one, two) => list(one).into_iter().chain(list(two)).collect(),
                };
            }
            _ => joined.push(message),
        }
    }
    *messages = joined;
}

fn shift(value: &mut Value, key: &str) {
    let Some(items) = value.as_array_mut() else { return };
    let taken: Vec<Option<Value>> =
        items.iter_mut().map(|it| it.as_object_mut()?.remove(key)).collect();
    let last = items.len() - 1;
    for (place, value) in taken.into_iter().enumerate() {
        let to = if place == last { last.saturating_sub(1) } else { place + 1 };
        if let Some(value) = value {
            items[to][key] = value;
        }
    }
}

fn doubles(value: &mut Value) {
    fn rounded(value: &mut Value) {
        match value {
            Value::Number(number) => {
                let double = number.as_f64().unwrap();
                let whole = double.fract() == 0.0 && double.abs() < 1e18;
                *value = if whole {
                    json!(format!("{double:.0}").parse::<i64>().unwrap())
                } else {
                    json!(double)
                };
            }
            Value::Array(items) => items.iter_mut().for_each(rounded),
            Value::Object(fields) => fields.values_mut().for_each(rounded),
            _ => {}
        }
    }
    let Some(mut parsed) = value.as_str().and_then(|it| serde_json::from_str::<Value>(it).ok())
    else {
        return;
    };
    rounded(&mut parsed);
    *value = Value::from(parsed.to_string());
}

fn split_calls(value: &mut Value) {
    let Some(messages) = value.as_array_mut() else { return };
    let mut all: VecDeque<Value> = std::mem::take(messages).into();
    while let Some(message) = all.pop_front() {
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        let answered = |(call, it): (&Value, &Value)| it["tool_call_id"] == call["id"];
        let in_order = calls.len() <= all.len() && calls.iter().zip(&all).all(answered);
        if calls.len() < 2 || !in_order {
            messages.push(message);
            continue;
        }
        for (place, call) in calls.into_iter().enumerate() {
            let mut own = message.clone();
            if place > 0 {
                own["content"] = Value::Null;
            }
            own["tool_calls"] = json!([call]);
            messages.push(own);
            messages.extend(all.pop_front());
        }
    }
}

fn split_results(value: &mut Value) {
    let Some(contents) = value.as_array_mut() else { return };
    for content in std::mem::take(contents) {
        let parts = content["parts"].as_array().cloned().unwrap_or_default();
        if parts.iter().filter(|it| it.get("functionResponse").is_some()).count() < 2 {
            contents.push(content);
            continue;
        }
        contents.extend(parts.into_iter().map(|part| {
            let mut own = content.clone();
            own["parts"] = json!([part]);
            own
        }));
    }
}

fn steps(path: &str) -> Vec<&str> {
    path.split('/').filter(|step| !step.is_empty()).collect()
}

fn filled(value: &Value, counter: &mut Counter) -> Value {
    match value {
        Value::String(text) if text.contains("{n}") => {
            counter.0 += 1;
            Value::from(text.replace("{n}", &(counter.0 - 1).to_string()))
        }
        other => other.clone(),
    }
}

fn fits(step: &str, key: &str, value: &Value) -> bool {
    let Some(rest) = step.strip_prefix('*') else { return step == key };
    let Some(filter) = rest.strip_prefix('[').and_then(|it| it.strip_suffix(']')) else {
        return true;
    };
    match filter.split_once('=') {
        Some((key, wanted)) => value.get(key).is_some_and(|it| {
            it.as_str().map_or_else(|| it.to_string().as_str() == wanted, |text| text == wanted)
        }),
        None => value.get(filter).is_some_and(|it| !it.is_null()),
    }
}

/// Does something to every value at a path.
fn each(value: &mut Value, steps: &[&str], act: &mut dyn FnMut(&mut Value)) {
    let Some((step, rest)) = steps.split_first() else { return act(value) };
    match value {
        Value::Object(object) => {
            for (key, inner) in object.iter_mut() {
                if fits(step, key, inner) {
                    each(inner, rest, act);
                }
            }
        }
        Value::Array(items) => {
            for (place, inner) in items.iter_mut().enumerate() {
                if fits(step, &place.to_string(), inner) {
                    each(inner, rest, act);
                }
            }
        }
        _ => {}
    }
}

fn remove(body: &mut Value, steps: &[&str]) {
    let Some((last, before)) = steps.split_last() else { return };
    each(body, before, &mut |parent| match parent {
        Value::Object(object) => object.retain(|key, value| !fits(last, key, value)),
        Value::Array(items) => {
            let mut place = 0;
            items.retain(|value| {
                place += 1;
                !fits(last, &(place - 1).to_string(), value)
            });
        }
        _ => {}
    });
}

fn set(body: &mut Value, steps: &[&str], value: &Value, counter: &mut Counter) {
    let Some((last, before)) = steps.split_last() else { return };
    each(body, before, &mut |parent| {
        if let Value::Object(object) = parent {
            object.insert((*last).to_owned(), filled(value, counter));
        }
    });
}

fn fill(body: &mut Value, steps: &[&str], value: &Value) {
    let Some((last, before)) = steps.split_last() else { return };
    each(body, before, &mut |parent| {
        if let Value::Object(object) = parent {
            object.entry((*last).to_owned()).or_insert_with(|| value.clone());
        }
    });
}

fn truncate(value: &mut Value, length: usize) {
    match value {
        Value::String(text) => *text = text.chars().take(length).collect(),
        Value::Array(items) => items.truncate(length),
        _ => {}
    }
}

fn rewrite(value: &mut Value) {
    let Some(parsed) = value.as_str().and_then(|it| serde_json::from_str::<Value>(it).ok()) else {
        return;
    };
    *value = Value::from(serde_json::to_string_pretty(&parsed).unwrap());
}
