//! Tokens of an issuer that is asked over HTTP: good ones, forged ones, and new keys.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

mod issuer;

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use oidc::{Options, TokenError, Verifier};
use serde_json::{Value, json};

use issuer::{AUDIENCE, Issuer, SigningKey, now_s, unsigned};

fn options(issuer: &Issuer) -> Options {
    Options { issuer: issuer.url.clone(), audience: vec![AUDIENCE.to_owned()], ..Options::default() }
}

fn verifier(issuer: &Issuer) -> Verifier {
    Verifier::new(options(issuer)).unwrap()
}

/// The claims with some others.
fn with(claims: &Value, more: Value) -> Value {
    let mut claims = claims.clone();
    let (Some(all), Value::Object(more)) = (claims.as_object_mut(), more) else { return claims };
    for (name, value) in more {
        match value {
            Value::Null => drop(all.remove(&name)),
            value => drop(all.insert(name, value)),
        }
    }
    claims
}

#[test]
fn tokens_of_the_issuer_are_believed() {
    let (issuer, rsa, elliptic) = (Issuer::start(), SigningKey::rsa(), SigningKey::elliptic());
    issuer.publish(&[("r", &rsa), ("e", &elliptic)]);
    let verifier = verifier(&issuer);
    let claims = issuer.claims("alice", &["readers", "writers"]);
    for (name, key) in [("r", &rsa), ("e", &elliptic)] {
        let token = key.token(name, &claims);
        assert!(verifier.known(&token).is_none(), "not before it was checked");
        let verified = verifier.check(&token).unwrap();
        assert_eq!((&*verified.user, &*verified.groups), ("alice", &["readers".to_owned(), "writers".to_owned()][..]));
        assert!(verified.ends_s > i64::try_from(now_s()).unwrap() + 290);
        assert_eq!(verifier.known(&token), Some(verified));
    }
    assert_eq!(issuer.fetches(), 1, "the keys are kept");
    // Several audiences, one group as a text, no groups.
    let several = with(&claims, json!({ "aud": ["other", AUDIENCE], "groups": "readers" }));
    assert_eq!(verifier.check(&rsa.token("r", &several)).unwrap().groups, ["readers"]);
    let none = with(&claims, json!({ "groups": null }));
    assert!(verifier.check(&rsa.token("r", &none)).unwrap().groups.is_empty());
    // Other claims, and keys at an address that the settings name.
    let jwks_url = Some(format!("{}/keys", issuer.url));
    let (user_claim, groups_claim) = ("email".to_owned(), "roles".to_owned());
    let other = Verifier::new(Options { jwks_url, user_claim, groups_claim, ..options(&issuer) }).unwrap();
    let email = with(&claims, json!({ "email": "alice@example.org", "email_verified": true, "roles": ["a"] }));
    let verified = other.check(&rsa.token("r", &email)).unwrap();
    assert_eq!((&*verified.user, &*verified.groups), ("alice@example.org", &["a".to_owned()][..]));
    let unverified = with(&email, json!({ "email_verified": false }));
    assert!(other.check(&rsa.token("r", &unverified)).is_err());
}

#[test]
fn forged_and_foreign_tokens_are_refused() {
    let (issuer, rsa, elliptic) = (Issuer::start(), SigningKey::rsa(), SigningKey::elliptic());
    let (stranger, strange_curve) = (SigningKey::rsa(), SigningKey::elliptic());
    issuer.publish(&[("r", &rsa), ("e", &elliptic)]);
    let verifier = verifier(&issuer);
    let claims = issuer.claims("alice", &["readers"]);
    let good = rsa.token("r", &claims);
    verifier.check(&good).unwrap();
    let (now, long) = (now_s(), 3_600);
    let mut wrong: Vec<(String, String)> = Vec::new();
    let mut add = |what: &str, token: String| wrong.push((what.to_owned(), token));
    for alg in ["none", "None", "NONE", "nOnE"] {
        let header = json!({ "alg": alg, "kid": "r" });
        add(alg, format!("{}.", unsigned(&header, &claims)));
        add(alg, rsa.token_with(&header, &claims));
    }
    // The public key as a secret (RS/HS confusion): its modulus as bytes and as text, and the published JSON.
    let public = rsa.public("r");
    let modulus = public["n"].as_str().unwrap();
    for secret in [URL_SAFE_NO_PAD.decode(modulus).unwrap(), modulus.as_bytes().to_vec(), public.to_string().into()] {
        for (alg, algorithm) in [("HS256", aws_lc_rs::hmac::HMAC_SHA256), ("HS512", aws_lc_rs::hmac::HMAC_SHA512)] {
            let text = unsigned(&json!({ "alg": alg, "kid": "r" }), &claims);
            let tag = aws_lc_rs::hmac::sign(&aws_lc_rs::hmac::Key::new(algorithm, &secret), text.as_bytes());
            add(alg, format!("{text}.{}", URL_SAFE_NO_PAD.encode(tag.as_ref())));
        }
    }
    for alg in ["RS384", "RS512", "PS256", "ES384", "EdDSA", "ES256", "", "RS256 "] {
        add(alg, rsa.token_with(&json!({ "alg": alg, "kid": "r" }), &claims));
    }
    add("the name of a key of another kind", rsa.token("e", &claims));
    add("the name of a key of another kind", elliptic.token("r", &claims));
    add("a stranger's key", stranger.token("r", &claims));
    add("a stranger's key", strange_curve.token("e", &claims));
    for name in ["unknown", "", "../r", "../../../../dev/null", "r\0", "r' OR '1'='1", "http://192.0.2.1/keys"] {
        add(name, rsa.token(name, &claims));
    }
    add("no name where there are two keys", rsa.token_with(&json!({ "alg": "RS256" }), &claims));
    // What the header says of keys is not looked at.
    let evil = format!("{}/evil", issuer.url);
    for more in [
        json!({ "jku": evil }),
        json!({ "x5u": evil }),
        json!({ "jwk": stranger.public("r") }),
        json!({ "x5c": ["MIIB"] }),
    ] {
        let mut header = json!({ "alg": "RS256", "kid": "r" });
        header.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        add(&header.to_string(), stranger.token_with(&header, &claims));
    }
    for (what, more) in [
        ("another audience", json!({ "aud": "other" })),
        ("other audiences", json!({ "aud": ["other", "rhizome2"] })),
        ("no audience", json!({ "aud": null })),
        ("another issuer", json!({ "iss": "https://id.example.org" })),
        ("the issuer with a slash", json!({ "iss": format!("{}/", issuer.url) })),
        ("no issuer", json!({ "iss": null })),
        ("it has ended", json!({ "exp": now - long })),
        ("no end", json!({ "exp": null })),
        ("an end that is no number", json!({ "exp": "never" })),
        ("not yet", json!({ "nbf": now + long })),
        ("no user", json!({ "sub": null })),
        ("an empty user", json!({ "sub": "" })),
        ("a user that is a number", json!({ "sub": 7 })),
        ("a user with a line end", json!({ "sub": "alice\r\nadmin" })),
        ("a user with a long name", json!({ "sub": "a".repeat(1_000) })),
    ] {
        add(what, rsa.token("r", &with(&claims, more)));
    }
    let parts: Vec<&str> = good.split('.').collect();
    let other = URL_SAFE_NO_PAD.encode(with(&claims, json!({ "sub": "admin" })).to_string());
    add("other claims", format!("{}.{other}.{}", parts[0], parts[2]));
    add("no signature", format!("{}.{}.", parts[0], parts[1]));
    add("a part of the signature", good[..good.len() - 8].to_owned());
    for text in ["", ".", "..", "a.b.c", "not a token", &"x".repeat(100_000)] {
        add("no token", text.to_owned());
    }
    for (what, token) in &wrong {
        let refused = verifier.check(token);
        assert!(matches!(refused, Err(TokenError::Refused(_))), "{what}: {refused:?}");
        assert!(verifier.known(token).is_none(), "{what}");
        // What is logged of it has nothing that stands for a login.
        let reason = refused.unwrap_err().to_string();
        assert!(!reason.contains("alice") && token.split('.').all(|part| part.len() < 9 || !reason.contains(part)));
    }
    assert_eq!((issuer.fetches(), issuer.others()), (1, 0), "unknown names fetch once a minute, and nothing else");
    verifier.check(&good).unwrap();
}

#[test]
fn a_new_key_is_fetched_and_one_that_is_gone_is_forgotten() {
    let (issuer, first, second, third) =
        (Issuer::start(), SigningKey::rsa(), SigningKey::rsa(), SigningKey::elliptic());
    issuer.publish(&[("1", &first)]);
    let fetch_pause = Duration::from_millis(500);
    let verifier = Verifier::new(Options { fetch_pause, ..options(&issuer) }).unwrap();
    let claims = issuer.claims("alice", &[]);
    let (one, two, three) = (first.token("1", &claims), second.token("2", &claims), third.token("3", &claims));
    verifier.check(&one).unwrap();
    // Without a name, where there is one key only.
    verifier.check(&first.token_with(&json!({ "alg": "RS256" }), &claims)).unwrap();
    issuer.publish(&[("1", &first), ("2", &second)]);
    let since = Instant::now();
    while verifier.check(&two).is_err() {
        assert!(since.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(issuer.fetches(), 2);
    assert!(verifier.known(&one).is_some() && verifier.known(&two).is_some());
    issuer.publish(&[("2", &second), ("3", &third)]);
    // Many at one time fetch once.
    std::thread::sleep(fetch_pause);
    let believed = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..8).map(|_| scope.spawn(|| verifier.check(&three).is_ok())).collect();
        asking.into_iter().map(|asked| asked.join().unwrap()).filter(|good| *good).count()
    });
    assert_eq!((believed, issuer.fetches()), (8, 3));
    assert!(verifier.known(&one).is_none(), "its key is gone");
    assert!(matches!(verifier.check(&one), Err(TokenError::Refused(_))));
    verifier.check(&two).unwrap();
}

#[test]
fn issuers_that_cannot_be_asked_are_no_reason_to_believe() {
    let (issuer, key) = (Issuer::start(), SigningKey::rsa());
    issuer.publish(&[("1", &key)]);
    let at = |issuer_url: String, jwks_url: Option<String>| {
        Verifier::new(Options { issuer: issuer_url, jwks_url, ..options(&issuer) }).unwrap()
    };
    let jwks = |path: &str| at(issuer.url.clone(), Some(format!("{}/{path}", issuer.url)));
    let since = Instant::now();
    for (what, verifier) in [
        ("not there", jwks("nosuch")),
        ("a redirect", jwks("redirect")),
        ("no JSON", jwks("html")),
        ("too large", jwks("large")),
        ("too slow", jwks("slow")),
        ("another issuer's document", at(format!("{}/other", issuer.url), None)),
        ("keys by HTTP from another machine", at(format!("{}/elsewhere", issuer.url), None)),
        ("nobody listens", at("http://127.0.0.1:9".to_owned(), None)),
    ] {
        let token = key.token("1", &issuer.claims("alice", &[]));
        assert_eq!(verifier.check(&token), Err(TokenError::NoKeys), "{what}");
    }
    assert_eq!(issuer.fetches(), 0);
    assert!(since.elapsed() < Duration::from_secs(15), "{:?}", since.elapsed());
}
