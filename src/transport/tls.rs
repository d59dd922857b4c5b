//! TLS settings: the certificates that the system trusts, read once per process.

use std::sync::{Arc, OnceLock};

use rustls::{ClientConfig, Error};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// The settings for all connections. Clones share the certificates.
pub(super) fn client_config() -> Result<ClientConfig, Error> {
    static CONFIG: OnceLock<ClientConfig> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(config.clone());
    }
    let config =
        ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_platform_verifier()?
            .with_no_client_auth();
    Ok(CONFIG.get_or_init(|| config).clone())
}
