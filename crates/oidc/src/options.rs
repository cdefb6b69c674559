//! Which issuer is trusted, and for what.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;

use crate::limits;

/// Which issuer is trusted, and for what.
#[derive(Clone, Debug)]
pub struct Options {
    /// The issuer, as its tokens name it (`iss`): a URL.
    pub issuer: String,
    /// For whom tokens must be made (`aud`), any one of these.
    pub audience: Vec<String>,
    /// Where the issuer's keys are; none: where its discovery document says, below the issuer's URL.
    pub jwks_url: Option<String>,
    /// The claim that names the user.
    pub user_claim: String,
    /// The claim that names the groups of the user: a list of texts, or one.
    pub groups_claim: String,
    /// PEM file with the CAs that verify the issuer's certificate, in place of those the system trusts.
    pub ca: Option<PathBuf>,
    /// How often keys are fetched at most because of a token whose key is not known: [`limits::FETCH_PAUSE`].
    pub fetch_pause: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            issuer: String::new(),
            audience: Vec::new(),
            jwks_url: None,
            user_claim: "sub".to_owned(),
            groups_claim: "groups".to_owned(),
            ca: None,
            fetch_pause: limits::FETCH_PAUSE,
        }
    }
}

/// An option that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{option} is '{value}': {reason}")]
pub struct WrongOption {
    /// The name of the field of [`Options`].
    pub option: &'static str,
    /// What was given.
    pub value: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Options {
    /// Looks whether they can be used, without asking the issuer.
    ///
    /// # Errors
    /// The first that cannot be used.
    pub fn check(&self) -> Result<(), WrongOption> {
        let url = |option, value: &str| {
            url(value).map(drop).map_err(|reason| WrongOption { option, value: value.to_owned(), reason })
        };
        url("issuer", &self.issuer)?;
        if let Some(jwks) = &self.jwks_url {
            url("jwks_url", jwks)?;
        }
        let missing =
            |option, reason: &str| Err(WrongOption { option, value: String::new(), reason: reason.to_owned() });
        if self.audience.is_empty() || self.audience.iter().any(String::is_empty) {
            return missing("audience", "name for whom tokens are made (`aud`): others of the issuer are not for here");
        }
        if self.user_claim.is_empty() {
            return missing("user_claim", "name the claim that has the user, such as sub");
        }
        Ok(())
    }
}

/// An address that keys may be fetched from.
pub(crate) fn url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("it is no URL: {error}"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a URL with a user and a password is not taken".to_owned());
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        _ => Err("it must begin with https:// (http:// only for an address of this machine)".to_owned()),
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_encrypted_or_on_this_machine() {
        for good in ["https://id.example.org/realms/a", "http://localhost:1/x", "http://127.0.0.1/", "http://[::1]:8/"]
        {
            assert!(url(good).is_ok(), "{good}");
        }
        for wrong in [
            "http://id.example.org/",
            "http://localhost.example.org/",
            "http://127.0.0.1.example.org/",
            "http://10.0.0.1/",
            "file:///etc/passwd",
            "ftp://localhost/",
            "https://user:password@id.example.org/",
            "id.example.org",
            "",
        ] {
            assert!(url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let options = Options { issuer: "https://id.example.org".to_owned(), ..Options::default() };
        assert_eq!(options.check().unwrap_err().option, "audience");
        let options = Options { audience: vec!["rhizome".to_owned()], ..options };
        assert_eq!(options.check(), Ok(()));
        let plain = Options { jwks_url: Some("http://id.example.org/keys".to_owned()), ..options.clone() };
        assert_eq!(plain.check().unwrap_err().option, "jwks_url");
        assert_eq!(Options { user_claim: String::new(), ..options }.check().unwrap_err().option, "user_claim");
    }
}
