//! Who asks, and what it may do.

use std::net::IpAddr;
use std::sync::Arc;

use audit::Subject;
use graph_access::GraphRights;
use graph_store::Graph;

use crate::identity::Identity;
use crate::resource::{Permission, ResourceType};

/// Who asks: anybody on a server without users, or a user. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Caller(Option<Arc<Login>>);

/// A user, and how it has shown who it is.
#[derive(Debug)]
pub(crate) struct Login {
    pub(crate) identity: Arc<Identity>,
    pub(crate) proof: Proof,
}

/// How a user has shown who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// By the password it had at that epoch.
    Password(u64),
    /// By a token.
    Token {
        /// Its name.
        id: String,
        /// The password it was made with.
        password_epoch: u64,
        /// When it ends, in seconds since 1970 UTC.
        ends_s: i64,
    },
    /// By an API key.
    Key {
        /// Its id.
        id: String,
        /// Whether it only reads.
        read_only: bool,
        /// When it ends, in milliseconds since 1970 UTC.
        expires_ms: Option<i64>,
    },
    /// By a certificate.
    Certificate,
    /// By a token of an issuer of OpenID Connect.
    Issued {
        /// The groups it names.
        groups: Arc<[String]>,
        /// When it ends, in seconds since 1970 UTC.
        ends_s: i64,
    },
    /// Not at all: the server works for it, in a task that it has started.
    Task,
    /// Not at all.
    Nothing,
}

impl Caller {
    /// Anybody, on a server without users: may do everything.
    #[must_use]
    pub fn anonymous() -> Self {
        Self(None)
    }

    /// Somebody on a server with users who has not said who it is: may do nothing.
    #[must_use]
    pub fn nobody() -> Self {
        Self::of(Arc::new(Identity::nobody()), Proof::Nothing)
    }

    pub(crate) fn of(identity: Arc<Identity>, proof: Proof) -> Self {
        Self(Some(Arc::new(Login { identity, proof })))
    }

    pub(crate) fn login(&self) -> Option<&Login> {
        self.0.as_deref()
    }

    /// The name, for lists and logs.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.as_ref().map_or("anonymous", |login| &login.identity.name)
    }

    /// The name of the user; `None` on a server without users.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        self.0.as_ref().map(|login| &*login.identity.name)
    }

    /// How it has shown who it is, for the audit.
    #[must_use]
    pub fn proof_name(&self) -> &'static str {
        match self.0.as_ref().map(|login| &login.proof) {
            None | Some(Proof::Nothing) => "none",
            Some(Proof::Password(_)) => "password",
            Some(Proof::Token { .. }) => "token",
            Some(Proof::Key { .. }) => "key",
            Some(Proof::Certificate) => "certificate",
            Some(Proof::Issued { .. }) => "oidc",
            Some(Proof::Task) => "task",
        }
    }

    /// Who it is, for records of what it does. `request`: the id of what it asks.
    #[must_use]
    pub fn subject(&self, protocol: &'static str, address: Option<IpAddr>, request: Option<String>) -> Subject {
        let key = match self.0.as_ref().map(|login| &login.proof) {
            Some(Proof::Key { id, .. }) => Some(id.clone()),
            _ => None,
        };
        let user = self.user().filter(|user| !user.is_empty()).map(str::to_owned);
        Subject { user, proof: self.proof_name(), key, address, protocol, request }
    }

    /// Notes in the subject of a login's record who it was.
    pub fn note_in(&self, subject: &mut Subject) {
        let Subject { address, protocol, request, .. } = subject;
        *subject = self.subject(protocol, *address, request.take());
    }

    /// Whether it may do everything.
    #[must_use]
    pub fn is_admin(&self) -> bool {
        self.0.as_ref().is_none_or(|login| login.identity.is_admin && !login.only_reads())
    }

    /// Whether it looks after the graph space, its users and graphs.
    #[must_use]
    pub fn is_manager(&self) -> bool {
        self.is_admin() || self.0.as_ref().is_some_and(|login| login.identity.is_manager && !login.only_reads())
    }

    /// Whether it has any right of a kind on a graph, be it to one label or under conditions.
    #[must_use]
    pub fn may(&self, graph: &str, permission: Permission, kind: ResourceType) -> bool {
        let Some(login) = &self.0 else { return true };
        login.may(permission) && login.identity.grants(graph, permission, kind).next().is_some()
    }

    /// Whether it has a right to all of a kind on a graph.
    #[must_use]
    pub fn may_all(&self, graph: &str, permission: Permission, kind: ResourceType) -> bool {
        let Some(login) = &self.0 else { return true };
        login.may(permission)
            && login
                .identity
                .grants(graph, permission, kind)
                .any(|resource| resource.kind.covers(kind) || resource.is_whole())
    }

    /// Whether it has a right to what has a name on a graph, whatever properties it has.
    #[must_use]
    pub fn may_named(&self, graph: &str, permission: Permission, kind: ResourceType, name: &str) -> bool {
        let Some(login) = &self.0 else { return true };
        login.may(permission)
            && login
                .identity
                .grants(graph, permission, kind)
                .any(|resource| resource.kind.covers(kind) || (resource.is_unconditional() && resource.is_about(name)))
    }

    /// Whether it has a right of a kind on any graph.
    #[must_use]
    pub fn may_anywhere(&self, permission: Permission, kind: ResourceType) -> bool {
        let Some(login) = &self.0 else { return true };
        login.may(permission) && login.identity.has_anywhere(permission, kind)
    }

    /// Whether it may do anything at all on a graph.
    #[must_use]
    pub fn knows(&self, graph: &str) -> bool {
        self.0.as_ref().is_none_or(|login| login.identity.knows(graph))
    }

    /// Whether it may do exactly what another one may. Work that keeps the rights it began with, such as a transaction,
    /// ends where that is not so any more.
    #[must_use]
    pub fn has_rights_of(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(own), Some(other)) => {
                let is_same = Arc::ptr_eq(&own.identity, &other.identity) || own.identity.may_as(&other.identity);
                is_same && own.only_reads() == other.only_reads()
            }
            _ => false,
        }
    }

    /// What it may do with the elements of a graph, by the schema of this moment; `None`: everything.
    #[must_use]
    pub fn rights(&self, graph: &Graph) -> Option<Arc<GraphRights>> {
        let login = self.0.as_ref()?;
        if login.identity.has_everything() && !login.only_reads() {
            return None;
        }
        let rights = login.identity.rights(graph)?;
        if login.only_reads() && !(rights.write.is_none() && rights.delete.is_none()) {
            return Some(Arc::new(rights.reading_only()));
        }
        (!rights.is_all()).then_some(rights)
    }
}

impl Login {
    fn only_reads(&self) -> bool {
        matches!(self.proof, Proof::Key { read_only: true, .. })
    }

    /// Whether its proof is good for a permission. What is run reads and writes with the rights to that.
    fn may(&self, permission: Permission) -> bool {
        !self.only_reads() || matches!(permission, Permission::Read | Permission::Execute)
    }
}
