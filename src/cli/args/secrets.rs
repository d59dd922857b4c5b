//! Secrets on the command line and in the environment: kept out of all output before anything else is done.
//!
//! Even the message about a flag that cannot be read must not show them.

use url::Url;

use super::endpoint::header;
use crate::secret::remember;
use crate::target::{ExtraBody, secrets_in_fields};
use crate::transport::{Secret, is_open_header, secrets_in_url};

/// Where the HTTP client finds its proxies, in both cases. Their addresses may hold a password.
const PROXY_VARIABLES: [&str; 3] = ["http_proxy", "https_proxy", "all_proxy"];

/// Keeps the passwords of the proxies out of all output.
pub(crate) fn remember_proxies(env: impl Fn(&str) -> Option<String>) {
    let names = PROXY_VARIABLES.iter().flat_map(|name| [(*name).to_owned(), name.to_uppercase()]);
    for value in names.filter_map(|name| env(&name)) {
        let url = if value.contains("://") { value } else { format!("http://{value}") };
        remember_url(&url);
    }
}

/// Keeps the secrets among these arguments out of all output.
pub(crate) fn remember_secrets(arguments: impl IntoIterator<Item = String>) {
    let given = flags_and_values(arguments);
    let open: Vec<&str> = given.iter().filter_map(open_text).collect();
    for (flag, value) in &given {
        remember_value(flag, value, &open);
    }
}

/// Each argument with the flag that it may be the value of.
fn flags_and_values(arguments: impl IntoIterator<Item = String>) -> Vec<(String, String)> {
    let (mut given, mut flag) = (Vec::new(), String::new());
    for argument in arguments {
        let pair = argument.split_once('=').filter(|(name, _)| name.starts_with("--"));
        given.push(match pair {
            Some((name, value)) => (name.to_owned(), value.to_owned()),
            None => (flag, argument.clone()),
        });
        flag = argument;
    }
    given
}

/// What a user says in the open: the model's name, and the place of an address.
fn open_text((flag, value): &(String, String)) -> Option<&str> {
    match flag.as_str() {
        "--model" | "-m" => Some(value),
        _ => value.split_once("://").map(|(_, rest)| rest.split('?').next().unwrap_or_default()),
    }
}

fn remember_value(flag: &str, value: &str, open: &[&str]) {
    match flag {
        "--header" => match header(value) {
            Ok((name, _)) if is_open_header(&name) => {}
            Ok((_, text)) if open.iter().any(|open| open.contains(&text)) => {}
            Ok((_, text)) => Secret::with_parts(&text).for_each(|it| remember(&it)),
            // Not a header: any word of it may be the key.
            Err(_) => value.split_whitespace().map(Secret::new).for_each(|word| remember(&word)),
        },
        "--extra-body" => match value.parse::<ExtraBody>() {
            Ok(body) => secrets_in_fields(&body.0).iter().for_each(remember),
            Err(_) => Secret::with_parts(value).for_each(|it| remember(&it)),
        },
        "--header-env" => remember_pair(value),
        "--api-key" => remember(&Secret::new(value)),
        _ if value.contains("://") => remember_url(value),
        _ => {}
    }
}

/// A header and a variable. Where the one cannot be a header, the whole is probably a key.
fn remember_pair(value: &str) {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_ ".contains(c);
    match value.split_once('=') {
        Some((name, _)) if name.chars().all(plain) => {}
        Some((name, rest)) => [value, name, rest].map(Secret::new).iter().for_each(remember),
        None => remember(&Secret::new(value)),
    }
}

fn remember_url(text: &str) {
    let url = Url::parse(text);
    url.iter().flat_map(secrets_in_url).for_each(|secret| remember(&secret));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::scrub;

    #[test]
    fn what_flags_and_addresses_carry_is_kept_out_of_output() {
        let given = [
            "probe",
            "https://some-user:some-password@h.test/v1?session=some-session&alt=other-value",
            "--header",
            "x-any: first-header-value",
            "--header=x-other:second-header-value",
            "--header",
            "authorization third-header-value",
            "--header",
            "accept: application/json",
            "--api-key=simulated-key",
            "--header-env",
            "pasted/header=and-more",
            "--model",
            "team/model-in-the-open",
            "--header",
            "x-model: model-in-the-open",
            "--extra-body",
            r#"{"api_key": "key-in-the-body", "stop": "not-a-secret"}"#,
        ];
        remember_secrets(given.map(str::to_owned));
        for secret in [
            "some-user",
            "some-password",
            "some-session",
            "first-header-value",
            "second-header-value",
            "third-header-value",
            "simulated-key",
            "pasted/header",
            "key-in-the-body",
        ] {
            assert_eq!(scrub(secret), "[secret]", "{secret}");
        }
        for open in
            ["application/json", "other-value", "probe", "model-in-the-open", "not-a-secret"]
        {
            assert_eq!(scrub(open), open);
        }
    }

    #[test]
    fn the_password_of_a_proxy_is_kept_out_of_output() {
        let env = |name: &str| match name {
            "HTTPS_PROXY" => Some("http://proxy-user:proxy-password@h.test:3128".to_owned()),
            "all_proxy" => Some("me:short@h.test".to_owned()),
            _ => None,
        };
        remember_proxies(env);
        for secret in ["proxy-password", "cHJveHktdXNlcjpwcm94eS1wYXNzd29yZA", "bWU6c2hvcnQ="] {
            assert!(scrub(secret).contains("[secret]"), "{secret}");
        }
    }
}
