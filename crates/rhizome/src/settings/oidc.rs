//! `[auth.oidc]`.

use std::path::PathBuf;

use serde::Deserialize;

use super::{SettingsError, list};

/// `[auth.oidc]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Oidc {
    pub issuer: String,
    #[serde(deserialize_with = "list")]
    pub audience: Vec<String>,
    pub jwks_url: String,
    pub user_claim: String,
    pub groups_claim: String,
    pub ca: PathBuf,
}

impl Oidc {
    /// The issuer that is trusted; `None`: none.
    #[must_use]
    pub fn options(&self) -> Option<oidc::Options> {
        let text = |text: &String| (!text.is_empty()).then(|| text.clone());
        Some(oidc::Options {
            issuer: text(&self.issuer)?,
            audience: self.audience.clone(),
            jwks_url: text(&self.jwks_url),
            user_claim: self.user_claim.clone(),
            groups_claim: self.groups_claim.clone(),
            ca: (!self.ca.as_os_str().is_empty()).then(|| self.ca.clone()),
            ..oidc::Options::default()
        })
    }

    pub(super) fn check(&self, has_users: bool) -> Result<(), SettingsError> {
        let wrong = |key, value: &str, reason: &str| {
            Err(SettingsError::Value { key, value: value.to_owned(), reason: reason.to_owned() })
        };
        let Some(options) = self.options() else {
            if !self.audience.is_empty() || !self.jwks_url.is_empty() {
                return wrong("auth.oidc.issuer", "", "name the issuer of the tokens, as they name it (`iss`)");
            }
            return Ok(());
        };
        if !has_users {
            return wrong("auth.oidc.issuer", &self.issuer, "tokens are looked at only with auth.enabled = true");
        }
        if !self.ca.as_os_str().is_empty() && !self.ca.is_file() {
            return wrong("auth.oidc.ca", &self.ca.display().to_string(), "there is no such file");
        }
        options.check().map_err(|error| {
            let key = match error.option {
                "issuer" => "auth.oidc.issuer",
                "audience" => "auth.oidc.audience",
                "jwks_url" => "auth.oidc.jwks_url",
                _ => "auth.oidc.user_claim",
            };
            SettingsError::Value { key, value: error.value, reason: error.reason }
        })
    }
}
