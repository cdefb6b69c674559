//! The users of a store, and the check of who asks.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, Guard};
use graph_host::Store;
use graph_store::now_ms;
use oidc::Verifier;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::authenticate::{AuthError, Authenticate, Credentials};
use crate::caller::{Caller, Proof};
use crate::error::AccountError;
use crate::gate::Gate;
use crate::identity::{ADMIN, ConditionReader, Identity};
use crate::issued::{ISSUED_PREFIX, Issued};
use crate::kept::KeptLogins;
use crate::password::{self, Verified};
use crate::records::{Document, Origin, User};
use crate::throttle::Throttle;
use crate::tokens::{self, Claims};
use crate::{ids, limits, rows};

/// How users are kept.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Characters of a password, at least (`auth.password_length_min`).
    pub password_length_min: usize,
    /// How long a token is valid that does not say, and at most, in seconds (`auth.token_seconds`).
    pub token_seconds: i64,
    /// How conditions on properties are read.
    pub conditions: ConditionReader,
    /// How old the records may be that a login is checked against, where other servers may change them
    /// (`cluster.stale_ms`): what is read again more rarely lets nobody in. `None`: no other server does.
    pub stale: Option<Duration>,
}

/// The records as they are in memory.
struct State {
    document: Document,
    /// The bytes they were read from.
    stored: Option<Vec<u8>>,
    /// Users by their names.
    people: HashMap<String, Arc<Identity>>,
}

impl State {
    fn new(document: Document, stored: Option<Vec<u8>>, conditions: ConditionReader) -> Self {
        let names = document.users.values().map(|user| user.name.clone());
        let people = names.filter_map(|name| {
            let identity = Arc::new(Identity::of(&document, &name, conditions)?);
            Some((name, identity))
        });
        Self { people: people.collect(), document, stored }
    }
}

impl std::fmt::Debug for Accounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Accounts").finish_non_exhaustive()
    }
}

/// The users of a store, their rights, and what checks them.
pub struct Accounts {
    store: Arc<Store>,
    options: Options,
    state: ArcSwap<State>,
    opened: Instant,
    /// When the records were last read, begun, in milliseconds since `opened`.
    read_ms: AtomicU64,
    /// Held while the records are changed or read again.
    changing: Mutex<()>,
    kept: KeptLogins,
    throttle: Throttle,
    gate: Gate,
    /// Users of an issuer of OpenID Connect, where one is trusted.
    issued: Option<Issued>,
}

impl Accounts {
    /// The users of a store.
    ///
    /// # Errors
    /// Those of storage; records that cannot be read.
    pub fn open(store: Arc<Store>, options: Options) -> Result<Self, AccountError> {
        let opened = Instant::now();
        let (document, stored) = match rows::read(store.engine())? {
            Some((document, bytes)) => (document, Some(bytes)),
            None => (Document::default(), None),
        };
        let state = ArcSwap::from_pointee(State::new(document, stored, options.conditions));
        let kept = KeptLogins::new(&rand::random());
        let (changing, throttle, gate) = (Mutex::default(), Throttle::default(), Gate::default());
        let read_ms = AtomicU64::new(0);
        Ok(Self { store, options, state, opened, read_ms, changing, kept, throttle, gate, issued: None })
    }

    /// Believes the tokens of an issuer of OpenID Connect, too.
    #[must_use]
    pub fn with_issuer(self, issuer: Arc<Verifier>) -> Self {
        Self { issued: Some(Issued::new(issuer)), ..self }
    }

    /// The records of this moment. Reading them takes no lock, and no processor waits for another.
    fn state(&self) -> Guard<Arc<State>> {
        self.state.load()
    }

    /// The graphs whose rights these are.
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// How they are kept.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Gives the records to `read`, as they are at this moment.
    pub fn read<T>(&self, read: impl FnOnce(&Document) -> T) -> T {
        read(&self.state().document)
    }

    /// Reads the records again where another server has changed them. A server over a shared engine does so every few
    /// hundred milliseconds.
    ///
    /// # Errors
    /// Those of storage.
    pub fn refresh(&self) -> Result<(), AccountError> {
        let _changing = self.changing.lock();
        self.reload()
    }

    /// Called with `changing` held.
    fn reload(&self) -> Result<(), AccountError> {
        let began_ms = self.now_ms();
        let found = rows::read(self.store.engine())?;
        self.read_ms.store(began_ms, Ordering::Release);
        let before = self.state();
        let (document, stored) = match found {
            Some((_, bytes)) if before.stored.as_ref() == Some(&bytes) => return Ok(()),
            Some((document, bytes)) => (document, Some(bytes)),
            None => (Document::default(), None),
        };
        self.state.store(Arc::new(State::new(document, stored, self.options.conditions)));
        Ok(())
    }

    /// Milliseconds since this was opened.
    fn now_ms(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Whether the records are new enough to let somebody in by them.
    fn check_age(&self) -> Result<(), AuthError> {
        let Some(stale) = self.options.stale else { return Ok(()) };
        let since_ms = self.now_ms().saturating_sub(self.read_ms.load(Ordering::Acquire));
        if u128::from(since_ms) <= stale.as_millis() {
            return Ok(());
        }
        Err(AuthError::Storage(format!(
            "not for {since_ms} ms, and another server may have changed them (cluster.stale_ms)"
        )))
    }

    /// Changes the records, which is in force for every request that comes after it. `change` may be called more than
    /// once, each time with the records as they are then.
    ///
    /// # Errors
    /// Those of `change`, which changes nothing then; too many records; those of storage.
    pub fn change<T>(
        &self,
        mut change: impl FnMut(&mut Document) -> Result<T, AccountError>,
    ) -> Result<T, AccountError> {
        let _changing = self.changing.lock();
        for _ in 0..limits::CHANGES_TRIED_MAX {
            let before = self.state();
            let mut document = before.document.clone();
            let outcome = change(&mut document)?;
            document.epoch += 1;
            if document.records() > limits::RECORDS_MAX {
                let max = limits::RECORDS_MAX;
                return Err(AccountError::invalid(format!("more than {max} users, groups and rights (RECORDS_MAX)")));
            }
            let bytes = rows::to_bytes(&document)?;
            if bytes.len() > limits::DOCUMENT_BYTES_MAX {
                let max = limits::DOCUMENT_BYTES_MAX;
                return Err(AccountError::invalid(format!("users and rights have more than {max} bytes together")));
            }
            let began_ms = self.now_ms();
            if rows::replace(self.store.engine(), before.stored.as_deref(), &bytes)? {
                self.read_ms.store(began_ms, Ordering::Release);
                self.state.store(Arc::new(State::new(document, Some(bytes), self.options.conditions)));
                return Ok(outcome);
            }
            self.reload()?;
        }
        Err(AccountError::Store(graph_store::StoreError::SchemaBusy))
    }

    /// Whether there is an administrator.
    #[must_use]
    pub fn has_admin(&self) -> bool {
        self.state().document.users.contains_key(&ids::user(ADMIN))
    }

    /// Makes the administrator where there is none; false where there is one, which keeps its password.
    ///
    /// # Errors
    /// A password that cannot be one; those of storage.
    pub fn create_admin(&self, password: &str) -> Result<bool, AccountError> {
        let hash = self.hash(password)?;
        self.change(|document| {
            let is_new = !document.users.contains_key(&ids::user(ADMIN));
            if is_new {
                put_admin(document, &hash);
            }
            Ok(is_new)
        })
    }

    /// A random password of letters and digits.
    #[must_use]
    pub fn generate_password(characters: usize) -> String {
        tokens::random_text(characters)
    }

    /// Gives the administrator a password, and makes it where there is none. Tokens and kept logins of it end.
    ///
    /// # Errors
    /// A password that cannot be one; those of storage.
    pub fn set_admin_password(&self, password: &str) -> Result<(), AccountError> {
        let hash = self.hash(password)?;
        self.change(|document| {
            put_admin(document, &hash);
            Ok(())
        })
    }

    /// The hash of a new password. Takes tens of milliseconds.
    ///
    /// # Errors
    /// A password that cannot be one; too many are hashed at this moment.
    pub fn hash(&self, password: &str) -> Result<String, AccountError> {
        password::check(password, self.options.password_length_min)?;
        let _permit = self.gate.enter().ok_or(AccountError::Busy)?;
        Ok(password::hash(password)?)
    }

    /// A caller with the rights of a user, for work that it has started; `None` where there is no such user (any more),
    /// or its token has ended where an issuer vouches for it.
    #[must_use]
    pub fn on_behalf_of(&self, user: &str) -> Option<Caller> {
        if let (Some(issued), true) = (&self.issued, user.starts_with(ISSUED_PREFIX)) {
            return issued.on_behalf_of(user, &self.state().document, self.options.conditions);
        }
        let identity = self.state().people.get(user).cloned()?;
        Some(Caller::of(identity, Proof::Task))
    }

    /// A token for a caller that has shown a password. `seconds`: how long it is to be valid; 0: as long as one may be.
    ///
    /// # Errors
    /// A caller that has shown none; there is no key to sign with.
    pub fn token_for(&self, caller: &Caller, seconds: i64) -> Result<String, AccountError> {
        let state = self.state();
        let Some((login, Proof::Password(epoch))) = caller.login().map(|login| (login, login.proof.clone())) else {
            return Err(AccountError::Forbidden("a token needs a login with a password".to_owned()));
        };
        let name = &login.identity.name;
        let max = self.options.token_seconds;
        let seconds = if seconds <= 0 { max } else { seconds.min(max) };
        let claims = tokens::claims(name, &ids::user(name), epoch, now_ms() / 1_000, seconds);
        tokens::sign(&state.document, &claims)
            .ok_or_else(|| AccountError::invalid("there is no key to sign tokens with"))
    }

    /// A token again, valid for so many seconds from now on, but never longer altogether than a token may be; it is
    /// logged out together with the one before. `None` where it is none of ours, is over, or was logged out.
    #[must_use]
    pub fn renewed_token(&self, token: &str, seconds: i64) -> Option<String> {
        let (state, now_s) = (self.state(), now_ms() / 1_000);
        let mut claims = tokens::read(&state.document, token, now_s)?;
        Self::of_claims(&state, &claims)?;
        let last = claims.iat.saturating_add(self.options.token_seconds);
        claims.exp = now_s.saturating_add(seconds).min(last).max(claims.exp);
        tokens::sign(&state.document, &claims)
    }

    /// Ends the token a caller has shown.
    ///
    /// # Errors
    /// A caller that has shown none; those of storage.
    pub fn log_out(&self, token: &str) -> Result<(), AccountError> {
        let now_s = now_ms() / 1_000;
        self.change(|document| {
            let claims = tokens::read(document, token, now_s);
            let claims = claims.ok_or_else(|| AccountError::invalid("Authentication failed"))?;
            tokens::log_out(document, &claims, now_s);
            Ok(())
        })
    }

    /// Makes a new key for tokens; those signed before it stay valid until the next time.
    ///
    /// # Errors
    /// Those of storage.
    pub fn rotate_token_keys(&self) -> Result<(), AccountError> {
        self.change(|document| {
            tokens::rotate(document);
            Ok(())
        })
    }

    fn of_claims(state: &State, claims: &Claims) -> Option<Caller> {
        let identity = state.people.get(&claims.user_name).filter(|user| user.password_epoch == claims.epoch)?;
        let proof = Proof::Token { id: claims.jti.clone(), password_epoch: claims.epoch, ends_s: claims.exp };
        Some(Caller::of(Arc::clone(identity), proof))
    }

    /// The caller of an API key; where `user` is given, only if it is that user's.
    fn of_key(state: &State, key: &str, user: Option<&str>) -> Option<Caller> {
        let rest = key.strip_prefix(KEY_PREFIX)?;
        let (id, _) = rest.split_once('_')?;
        let stored = state.document.api_keys.get(id)?;
        let is_same = bool::from(hash_of_key(key).as_bytes().ct_eq(stored.hash.as_bytes()));
        let is_over = stored.expires_ms.is_some_and(|expires| expires <= now_ms());
        if !is_same || is_over || user.is_some_and(|user| user != stored.user) {
            return None;
        }
        let identity = state.people.get(&stored.user)?;
        let proof = Proof::Key { id: id.to_owned(), read_only: stored.read_only, expires_ms: stored.expires_ms };
        Some(Caller::of(Arc::clone(identity), proof))
    }

    fn of_token(state: &State, token: &str) -> Option<Caller> {
        if token.starts_with(KEY_PREFIX) {
            return Self::of_key(state, token, None);
        }
        let claims = tokens::read(&state.document, token, now_ms() / 1_000)?;
        Self::of_claims(state, &claims)
    }

    fn renew_issued(
        &self,
        document: &Document,
        caller: &Caller,
        identity: &Identity,
        (groups, ends_s): (&Arc<[String]>, i64),
    ) -> Result<Caller, AuthError> {
        let issued = self.issued.as_ref().filter(|_| ends_s > now_ms() / 1_000).ok_or(AuthError::Failed)?;
        if identity.epoch == document.epoch {
            return Ok(caller.clone());
        }
        let conditions = self.options.conditions;
        let found = issued.person(&identity.name, groups, ends_s, document, conditions).ok_or(AuthError::Failed)?;
        Ok(Caller::of(found.0, Proof::Issued { groups: found.1, ends_s }))
    }

    /// Compares a password; the one place that hashes for a login.
    fn check_password(&self, user: &str, password: &str, from: Option<IpAddr>) -> Result<Caller, AuthError> {
        if let Some(seconds) = self.throttle.wait(user, from, Instant::now()) {
            return Err(AuthError::Throttled { seconds });
        }
        let permit = self.gate.enter().ok_or(AuthError::Busy)?;
        // The same login may have been checked while this one waited.
        if let Some(caller) = self.known(Credentials::Password { user, password }) {
            return Ok(caller);
        }
        let state = self.state();
        let stored = state.document.users.get(&ids::user(user));
        let verified = password::verify(password, stored.map(|user| &*user.password_hash));
        drop(permit);
        let (Some(stored), Some(identity)) = (stored, state.people.get(user)) else {
            self.throttle.failed(user, from, Instant::now());
            return Err(AuthError::Failed);
        };
        match verified {
            Verified::No => {
                self.throttle.failed(user, from, Instant::now());
                return Err(AuthError::Failed);
            }
            Verified::YesButRehash => self.rehash(stored, password),
            Verified::Yes => {}
        }
        self.throttle.succeeded(user, from);
        self.kept.keep(user, password, identity.password_epoch, Instant::now());
        Ok(Caller::of(Arc::clone(identity), Proof::Password(identity.password_epoch)))
    }

    /// Replaces a hash of an older kind. That it fails is no reason to refuse the login.
    fn rehash(&self, user: &User, password: &str) {
        let replaced = password::hash(password).map_err(AccountError::from).and_then(|hash| {
            self.change(|document| {
                if let Some(stored) = document.users.get_mut(&ids::user(&user.name))
                    && stored.password_hash == user.password_hash
                {
                    stored.password_hash.clone_from(&hash);
                }
                Ok(())
            })
        });
        if let Err(error) = replaced {
            tracing::warn!(user = user.name, %error, "the hash of a password could not be replaced by a better one");
        }
    }
}

/// Gives the administrator a hash of a password, and makes it where there is none.
fn put_admin(document: &mut Document, hash: &str) {
    let (now, epoch) = (now_ms(), document.epoch + 1);
    if document.token_keys.is_empty() {
        document.token_keys.push(tokens::new_key());
    }
    let user = document.users.entry(ids::user(ADMIN)).or_insert_with(|| User {
        name: ADMIN.to_owned(),
        password_hash: String::new(),
        password_epoch: 0,
        phone: None,
        email: None,
        avatar: None,
        description: None,
        origin: Origin { creator: "system".to_owned(), created_ms: now, updated_ms: now },
    });
    (user.password_hash, user.password_epoch, user.origin.updated_ms) = (hash.to_owned(), epoch, now);
}

/// What API keys begin with, so that they are recognized in texts.
pub(crate) const KEY_PREFIX: &str = "rz_";

/// What is kept of an API key.
pub(crate) fn hash_of_key(key: &str) -> String {
    Sha256::digest(key.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Authenticate for Accounts {
    fn is_enabled(&self) -> bool {
        true
    }

    fn known(&self, credentials: Credentials<'_>) -> Option<Caller> {
        self.check_age().ok()?;
        let state = self.state();
        match credentials {
            Credentials::None => None,
            Credentials::Password { user, password } if password.starts_with(KEY_PREFIX) => {
                Self::of_key(&state, password, Some(user))
            }
            Credentials::Password { user, password } => {
                let identity = state.people.get(user)?;
                let epoch = identity.password_epoch;
                self.kept
                    .has(user, password, epoch, Instant::now())
                    .then(|| Caller::of(Arc::clone(identity), Proof::Password(epoch)))
            }
            Credentials::Token(token) => Self::of_token(&state, token).or_else(|| {
                let issued = self.issued.as_ref()?;
                issued.known(token, &state.document, self.options.conditions)
            }),
            Credentials::Certificate(user) => {
                let identity = state.people.get(user)?;
                Some(Caller::of(Arc::clone(identity), Proof::Certificate))
            }
        }
    }

    fn check(&self, credentials: Credentials<'_>, from: Option<IpAddr>) -> Result<Caller, AuthError> {
        self.check_age()?;
        if let Some(caller) = self.known(credentials) {
            return Ok(caller);
        }
        match credentials {
            Credentials::None => Err(AuthError::Required),
            Credentials::Token(token) => match &self.issued {
                Some(issued) if !token.starts_with(KEY_PREFIX) => {
                    issued.check(token, &self.state().document, self.options.conditions)
                }
                _ => Err(AuthError::Failed),
            },
            Credentials::Certificate(_) => Err(AuthError::Failed),
            Credentials::Password { user, password } => self.check_password(user, password, from),
        }
    }

    fn renew(&self, caller: &Caller) -> Result<Caller, AuthError> {
        self.check_age()?;
        let Some(login) = caller.login() else { return Err(AuthError::Required) };
        let state = self.state();
        if let Proof::Issued { groups, ends_s } = &login.proof {
            return self.renew_issued(&state.document, caller, &login.identity, (groups, *ends_s));
        }
        let identity = state.people.get(&login.identity.name).ok_or(AuthError::Failed)?;
        let is_good = match &login.proof {
            Proof::Password(epoch) => *epoch == identity.password_epoch,
            Proof::Token { id, password_epoch, ends_s } => {
                *password_epoch == identity.password_epoch
                    && *ends_s > now_ms() / 1_000
                    && !state.document.logged_out.contains_key(id)
            }
            Proof::Key { id, expires_ms, .. } => {
                let is_there = state.document.api_keys.get(id).is_some_and(|key| key.user == identity.name);
                is_there && expires_ms.is_none_or(|expires| expires > now_ms())
            }
            Proof::Certificate | Proof::Task => true,
            Proof::Nothing | Proof::Issued { .. } => false,
        };
        if !is_good {
            return Err(AuthError::Failed);
        }
        if Arc::ptr_eq(identity, &login.identity) {
            return Ok(caller.clone());
        }
        Ok(Caller::of(Arc::clone(identity), login.proof.clone()))
    }
}
