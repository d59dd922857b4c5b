//! Edits of JSON bodies at a path: `messages/*[role=system]/content`.
//!
//! A step is a key, `*` for every element or value, `*[key=value]` for those that have it, `*[key]` for
//! those that have the key at all, or a number.

use serde_json::Value;

use crate::mutation::Edit;

/// Counts within one reply.
#[derive(Debug, Default)]
pub(crate) struct Counter(pub(crate) usize);

/// Makes an edit of a body.
pub(crate) fn edit(body: &mut Value, edit: &Edit, counter: &mut Counter) {
    match edit {
        Edit::Remove(path) => remove(body, &steps(path)),
        Edit::Set(path, value) => set(body, &steps(path), value, counter),
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
        Edit::Status(_)
        | Edit::DropHeader(_)
        | Edit::DropEvents(_)
        | Edit::Buffer
        | Edit::ReadOn => {}
    }
}

fn steps(path: &str) -> Vec<&str> {
    path.split('/').collect()
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
