//! Users that an issuer of OpenID Connect vouches for. They are not in the records: each has the rights of those groups
//! of the records that its token names.

use std::collections::HashMap;
use std::sync::Arc;

use graph_store::now_ms;
use oidc::{TokenError, Verified, Verifier};
use parking_lot::Mutex;

use crate::authenticate::AuthError;
use crate::caller::{Caller, Proof};
use crate::identity::{ConditionReader, Identity};
use crate::records::Document;
use crate::{ids, limits};

/// What the names of such users begin with here, so that they are nobody's of the records. No user of the records can
/// be made with such a name.
pub const ISSUED_PREFIX: &str = "oidc:";

/// A user that was seen, as it was last.
struct Person {
    identity: Arc<Identity>,
    groups: Arc<[String]>,
    /// When its token ends, in seconds since 1970 UTC.
    ends_s: i64,
}

/// The users of an issuer.
pub(crate) struct Issued {
    verifier: Arc<Verifier>,
    /// Those whose tokens have not ended, by their names here.
    people: Mutex<HashMap<String, Person>>,
}

impl Issued {
    pub(crate) fn new(verifier: Arc<Verifier>) -> Self {
        Self { verifier, people: Mutex::default() }
    }

    /// Whose token it is, where it was verified before.
    pub(crate) fn known(&self, token: &str, document: &Document, conditions: ConditionReader) -> Option<Caller> {
        let verified = self.verifier.known(token)?;
        self.caller(&verified, document, conditions)
    }

    /// Whose token it is. May wait for the issuer.
    pub(crate) fn check(
        &self,
        token: &str,
        document: &Document,
        conditions: ConditionReader,
    ) -> Result<Caller, AuthError> {
        let verified = self.verifier.check(token).map_err(|error| match error {
            TokenError::Refused(reason) => {
                tracing::debug!(reason, "a token is refused");
                AuthError::Failed
            }
            TokenError::NoKeys => AuthError::Issuer,
        })?;
        self.caller(&verified, document, conditions).ok_or(AuthError::Failed)
    }

    fn caller(&self, verified: &Verified, document: &Document, conditions: ConditionReader) -> Option<Caller> {
        let name = format!("{ISSUED_PREFIX}{}", verified.user);
        let (groups, ends_s) = (&*verified.groups, verified.ends_s);
        let (identity, groups) = self.person(&name, groups, ends_s, document, conditions)?;
        Some(Caller::of(identity, Proof::Issued { groups, ends_s }))
    }

    /// A user with the rights of this moment, and its groups; `None` where the records have one of that name, which a
    /// store from before may have.
    pub(crate) fn person(
        &self,
        name: &str,
        groups: &[String],
        ends_s: i64,
        document: &Document,
        conditions: ConditionReader,
    ) -> Option<(Arc<Identity>, Arc<[String]>)> {
        if document.users.contains_key(&ids::user(name)) {
            tracing::warn!(user = name, "a token is refused, because a user of the store has the same name");
            return None;
        }
        let mut people = self.people.lock();
        if let Some(person) = people.get_mut(name)
            && person.identity.epoch == document.epoch
            && *person.groups == *groups
        {
            person.ends_s = person.ends_s.max(ends_s);
            return Some((Arc::clone(&person.identity), Arc::clone(&person.groups)));
        }
        if people.len() >= limits::ISSUED_MAX && !people.contains_key(name) {
            let now_s = now_ms() / 1_000;
            people.retain(|_, person| person.ends_s > now_s);
            if people.len() >= limits::ISSUED_MAX {
                people.clear();
            }
        }
        let identity = Arc::new(Identity::of_groups(document, name, groups, conditions));
        let groups: Arc<[String]> = groups.into();
        let person = Person { identity: Arc::clone(&identity), groups: Arc::clone(&groups), ends_s };
        people.insert(name.to_owned(), person);
        Some((identity, groups))
    }

    /// A user for whom something is done later, as long as its token would be good.
    pub(crate) fn on_behalf_of(&self, name: &str, document: &Document, conditions: ConditionReader) -> Option<Caller> {
        let (groups, ends_s) = {
            let people = self.people.lock();
            let person = people.get(name).filter(|person| person.ends_s > now_ms() / 1_000)?;
            (Arc::clone(&person.groups), person.ends_s)
        };
        let (identity, _) = self.person(name, &groups, ends_s, document, conditions)?;
        Some(Caller::of(identity, Proof::Task))
    }
}
