//! Whose token is this? Tokens of an issuer of OpenID Connect, verified by the keys that it publishes.
//!
//! What it is: [`Verifier`] fetches the issuer's keys (JWKS), keeps them, and says of a token whose it is and which
//! groups it names ([`Verified`]). What it is not: it logs nobody in (there is no browser here, and no client secret),
//! and knows no users and no rights of ours.
//!
//! Invariants:
//! - A token is believed only if a key of the issuer has signed it by RS256 or ES256, and issuer, audience and times
//!   are right. Which algorithm that is says the key, not the token. Nothing else in the header of a token is looked
//!   at but the name of the key, which is only compared with the names of those that were fetched.
//! - Keys come from the addresses of the settings only, by HTTPS (HTTP on this machine), without redirects; what is
//!   read, how long that takes, and how often it happens is bounded ([`limits`]).
//!
//! The rules: RFC 7519 (tokens), RFC 7517 (keys), RFC 8725 (what goes wrong), OpenID Connect Discovery 1.0.
//!
//! Start reading at [`Verifier`].

mod fetch;
mod keys;
pub mod limits;
mod options;
mod verifier;

pub use options::{Options, WrongOption};
pub use verifier::{TokenError, Verified, Verifier};
