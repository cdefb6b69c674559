//! Buckets of S3 and of what speaks its protocol, of Google Cloud Storage and of Azure, by their addresses.
//!
//! Who may read and write them is in the environment, by the names that the tools of each provider use; nothing of it
//! is in an address, so that addresses can be shown.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, ClientConfigKey, ObjectStore, ObjectStoreScheme, RetryConfig};
use url::Url;

use crate::limits::{BUCKET_ATTEMPTS_MAX, BUCKET_ATTEMPTS_TIME_MAX, BUCKET_CONNECT_TIME_MAX, BUCKET_REQUEST_TIME_MAX};

/// The store of an address such as `s3://bucket/folder`, and the address to show. No request is sent.
///
/// # Errors
/// Why it cannot be one, for people.
pub(crate) fn open(address: &str) -> Result<(Arc<dyn ObjectStore>, String), String> {
    let url = Url::parse(address).map_err(|error| error.to_string())?;
    if url.query().is_some() || url.fragment().is_some() || url.password().is_some() {
        return Err(
            "write nothing behind the folder, and no password: credentials are taken from the environment".into()
        );
    }
    if matches!(url.scheme(), "s3" | "s3a" | "gs" | "az") && url.host_str().is_none_or(str::is_empty) {
        return Err(format!("it names no bucket; write {}://BUCKET/FOLDER", url.scheme()));
    }
    let (scheme, folder) = ObjectStoreScheme::parse(&url)
        .map_err(|_| format!("{}:// is no place for backups; write a folder, s3://, gs:// or az://", url.scheme()))?;
    // Nobody has installed one where this is the first request of the process.
    drop(rustls::crypto::ring::default_provider().install_default());
    let text = url.as_str();
    // The builders have no trait in common.
    macro_rules! built {
        ($builder:ident, $key:ident) => {{
            let mut builder = $builder::from_env().with_url(text).with_retry(retries());
            for (key, value) in times() {
                let key = $key::Client(key);
                if builder.get_config_value(&key).is_none() {
                    builder = builder.with_config(key, value);
                }
            }
            Arc::new(in_folder(builder.build(), folder.as_ref())?)
        }};
    }
    let store: Arc<dyn ObjectStore> = match scheme {
        ObjectStoreScheme::AmazonS3 => built!(AmazonS3Builder, AmazonS3ConfigKey),
        ObjectStoreScheme::GoogleCloudStorage => built!(GoogleCloudStorageBuilder, GoogleConfigKey),
        ObjectStoreScheme::MicrosoftAzure => built!(MicrosoftAzureBuilder, AzureConfigKey),
        _ => return Err(format!("{} is no bucket; write a folder, s3://, gs:// or az://", url.scheme())),
    };
    Ok((store, text.to_owned()))
}

/// An address that was refused, without what must not be shown: the password and the query. It may be one that cannot
/// be read.
pub(crate) fn without_secrets(address: &str) -> String {
    let shown = address.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = shown.split_once("://") else { return shown.to_owned() };
    match rest.rsplit_once('@') {
        Some((user, place)) => format!("{scheme}://{}@{place}", user.split(':').next().unwrap_or_default()),
        None => shown.to_owned(),
    }
}

/// The part of a bucket below a folder.
fn in_folder<S: ObjectStore>(built: object_store::Result<S>, folder: &str) -> Result<PrefixStore<S>, String> {
    Ok(PrefixStore::new(built.map_err(|error| error.to_string())?, folder))
}

/// How long connections and requests may take, where the environment says nothing else.
fn times() -> [(ClientConfigKey, String); 2] {
    let seconds = |time: Duration| format!("{} seconds", time.as_secs());
    [
        (ClientConfigKey::ConnectTimeout, seconds(BUCKET_CONNECT_TIME_MAX)),
        (ClientConfigKey::Timeout, seconds(BUCKET_REQUEST_TIME_MAX)),
    ]
}

fn retries() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig::default(),
        max_retries: BUCKET_ATTEMPTS_MAX,
        retry_timeout: BUCKET_ATTEMPTS_TIME_MAX,
    }
}

/// What to do about a request that a provider refuses: which variables say who asks.
pub(crate) fn credentials_of(address: &str) -> &'static str {
    match address.split_once("://").map_or(address, |(scheme, _)| scheme) {
        "gs" => "set GOOGLE_SERVICE_ACCOUNT to the file of a service account that may read and write the bucket",
        "s3" | "s3a" => {
            "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION of who may read and write the bucket"
        }
        _ => "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY of who may read and write the container",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_buckets_are_shown_without_secrets() {
        let (store, shown) = open("s3://bucket/a/folder").unwrap();
        assert_eq!(shown, "s3://bucket/a/folder");
        assert!(store.to_string().contains("a/folder"), "{store}");
        for (wrong, word) in [
            ("s3://user:secret@bucket/x", "password"),
            ("s3://bucket/x?key=secret", "environment"),
            ("ftp://host/x", "ftp"),
            ("http://host/x", "http"),
            ("memory:///x", "memory"),
            ("s3://", "BUCKET"),
        ] {
            let reason = open(wrong).map(drop).unwrap_err();
            assert!(reason.contains(word) && !reason.contains("secret"), "{wrong}: {reason}");
            assert!(!without_secrets(wrong).contains("secret"), "{wrong}");
        }
        assert_eq!(without_secrets("s3://user:a secret@bad host/x?key=secret"), "s3://user@bad host/x");
    }
}
