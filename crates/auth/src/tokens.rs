//! Tokens of logins: JSON Web Tokens, signed with a key that all servers over a store share. Which key is named by the
//! token and looked up among ours; nothing else of its header is believed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, decode_header, encode};
use serde::{Deserialize, Serialize};

use crate::limits;
use crate::records::{Document, TokenKey};

const ISSUER: &str = "rhizome";

/// What a token says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Claims {
    pub(crate) user_name: String,
    pub(crate) user_id: String,
    /// When it ends, in seconds since 1970 UTC.
    pub(crate) exp: i64,
    pub(crate) iat: i64,
    pub(crate) iss: String,
    /// Its own name, by which it is logged out.
    pub(crate) jti: String,
    /// The password it was made with.
    pub(crate) epoch: u64,
}

/// A new key.
pub(crate) fn new_key() -> TokenKey {
    TokenKey { id: random_text(6), secret: STANDARD.encode(rand::random::<[u8; 32]>()) }
}

/// Random letters and digits, with about 5.95 bits each.
pub(crate) fn random_text(characters: usize) -> String {
    use rand::distr::SampleString as _;
    rand::distr::Alphanumeric.sample_string(&mut rand::rng(), characters)
}

/// Makes a new key the one that signs; the one before goes on verifying what it has signed.
pub(crate) fn rotate(document: &mut Document) {
    document.token_keys.insert(0, new_key());
    document.token_keys.truncate(limits::TOKEN_KEYS_MAX);
}

/// Signs a token; `None`: there is no key to sign with.
pub(crate) fn sign(document: &Document, claims: &Claims) -> Option<String> {
    let key = document.token_keys.first()?;
    let secret = STANDARD.decode(&key.secret).ok()?;
    let header = Header { kid: Some(key.id.clone()), ..Header::new(Algorithm::HS256) };
    encode(&header, claims, &EncodingKey::from_secret(&secret)).ok()
}

/// A token's claims for a user, from now on for a number of seconds.
pub(crate) fn claims(user_name: &str, user_id: &str, epoch: u64, now_s: i64, seconds: i64) -> Claims {
    Claims {
        user_name: user_name.to_owned(),
        user_id: user_id.to_owned(),
        exp: now_s.saturating_add(seconds),
        iat: now_s,
        iss: ISSUER.to_owned(),
        jti: random_text(16),
        epoch,
    }
}

/// Reads a token; `None` where it is none of ours, is over, or was logged out.
pub(crate) fn read(document: &Document, token: &str, now_s: i64) -> Option<Claims> {
    let key_id = decode_header(token).ok()?.kid?;
    let key = document.token_keys.iter().find(|key| key.id == key_id)?;
    let secret = STANDARD.decode(&key.secret).ok()?;
    let mut validation = Validation::new(Algorithm::HS256);
    validation.set_issuer(&[ISSUER]);
    validation.set_required_spec_claims(&["exp", "iss"]);
    // Compared below, with the clock the caller has.
    validation.validate_exp = false;
    let claims = decode::<Claims>(token, &DecodingKey::from_secret(&secret), &validation).ok()?.claims;
    let is_good = claims.exp > now_s && !document.logged_out.contains_key(&claims.jti);
    is_good.then_some(claims)
}

/// Takes a token back until it would have ended. Where so many were taken back that they cannot all be kept, new keys
/// end all tokens.
pub(crate) fn log_out(document: &mut Document, claims: &Claims, now_s: i64) {
    document.logged_out.retain(|_, ends| *ends > now_s);
    if document.logged_out.len() >= limits::LOGGED_OUT_MAX {
        document.token_keys = vec![new_key()];
        document.logged_out.clear();
    }
    document.logged_out.insert(claims.jti.clone(), claims.exp);
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::{Value, json};

    use super::*;

    fn document() -> Document {
        Document { token_keys: vec![new_key()], ..Document::default() }
    }

    /// The same token with another header.
    fn with_header(token: &str, header: &Value) -> String {
        let (_, rest) = token.split_once('.').unwrap();
        format!("{}.{rest}", URL_SAFE_NO_PAD.encode(header.to_string()))
    }

    #[test]
    fn a_token_is_valid_until_it_ends_is_logged_out_or_its_key_is_gone() {
        let mut document = document();
        let claims = claims("bob", "-31:bob", 7, 1_000, 60);
        let token = sign(&document, &claims).unwrap();
        assert_eq!(read(&document, &token, 1_059), Some(claims.clone()));
        assert_eq!(read(&document, &token, 1_060), None);
        rotate(&mut document);
        assert_eq!(read(&document, &token, 1_059), Some(claims.clone()), "the key before still verifies");
        rotate(&mut document);
        assert_eq!(read(&document, &token, 1_059), None);
        let token = sign(&document, &claims).unwrap();
        log_out(&mut document, &claims, 1_001);
        assert_eq!(read(&document, &token, 1_002), None);
    }

    #[test]
    fn forged_tokens_are_refused() {
        let document = document();
        let key = &document.token_keys[0];
        let claims = claims("bob", "-31:bob", 7, 1_000, 60);
        let token = sign(&document, &claims).unwrap();
        for header in [
            json!({ "alg": "none", "kid": key.id }),
            json!({ "alg": "RS256", "kid": key.id }),
            json!({ "alg": "HS512", "kid": key.id }),
            json!({ "alg": "HS256" }),
            json!({ "alg": "HS256", "kid": "../../etc/passwd" }),
            json!({ "alg": "HS256", "kid": key.id, "jku": "http://example.org/keys" }),
        ] {
            assert_eq!(read(&document, &with_header(&token, &header), 1_001), None, "{header}");
        }
        let other = sign(
            &Document { token_keys: vec![TokenKey { id: key.id.clone(), ..new_key() }], ..document.clone() },
            &claims,
        );
        assert_eq!(read(&document, &other.unwrap(), 1_001), None, "another secret under the same name");
        let (signed, _) = token.rsplit_once('.').unwrap();
        for wrong in ["", "a.b.c", ".", &format!("{signed}."), &token[1..], &format!("{token}x")] {
            assert_eq!(read(&document, wrong, 1_001), None, "{wrong}");
        }
        let known = Document {
            token_keys: vec![TokenKey {
                id: key.id.clone(),
                secret: STANDARD.encode(b"FXQXbJtbCLxODc6tGci732pkH1cyf8Qg"),
            }],
            ..Document::default()
        };
        assert_eq!(read(&document, &sign(&known, &claims).unwrap(), 1_001), None, "HugeGraph's default secret");
    }

    #[test]
    fn the_list_of_those_logged_out_is_bounded() {
        let mut document = document();
        for number in 0..limits::LOGGED_OUT_MAX {
            document.logged_out.insert(number.to_string(), 2_000);
        }
        let key = document.token_keys[0].id.clone();
        let claims = claims("bob", "-31:bob", 7, 1_000, 60);
        log_out(&mut document, &claims, 1_001);
        assert!(document.logged_out.len() == 1 && document.token_keys[0].id != key);
    }
}
