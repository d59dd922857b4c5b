//! Secrets on the command line: kept out of all output before anything else is done.
//!
//! Even the message about a flag that cannot be read must not show them.

use url::Url;

use super::endpoint::header;
use crate::secret::remember;
use crate::transport::{Secret, is_open_header, secrets_in_url};

/// Keeps the secrets among these arguments out of all output.
pub(crate) fn remember_secrets(arguments: impl IntoIterator<Item = String>) {
    let mut flag = None;
    for argument in arguments {
        let pair = argument.split_once('=').filter(|(name, _)| name.starts_with("--"));
        match pair {
            Some((name, value)) => remember_value(name, value),
            None => remember_value(flag.as_deref().unwrap_or_default(), &argument),
        }
        flag = Some(argument);
    }
}

fn remember_value(flag: &str, value: &str) {
    match flag {
        "--header" => match header(value) {
            Ok((name, _)) if is_open_header(&name) => {}
            Ok((_, text)) => remember(&Secret::new(text)),
            // Not a header: any word of it may be the key.
            Err(_) => value.split_whitespace().map(Secret::new).for_each(|word| remember(&word)),
        },
        "--header-env" if value.contains('=') => {}
        "--api-key" | "--header-env" => remember(&Secret::new(value)),
        _ => {
            if let Some(url) = Some(value).filter(|it| it.contains("://")).map(Url::parse) {
                url.iter().flat_map(secrets_in_url).for_each(|secret| remember(&secret));
            }
        }
    }
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
        ] {
            assert_eq!(scrub(secret), "[secret]", "{secret}");
        }
        for open in ["application/json", "other-value", "probe"] {
            assert_eq!(scrub(open), open);
        }
    }
}
