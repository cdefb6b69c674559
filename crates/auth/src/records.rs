//! Users, groups, and what connects them, as they are kept. All of it is one document: rights are few, are needed
//! together, and change as a whole or not at all.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::resource::{Permission, Resource};

/// When and by whom a record was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// Who made it.
    pub creator: String,
    /// When, in milliseconds since 1970 UTC.
    pub created_ms: i64,
    /// When it was changed last.
    pub updated_ms: i64,
}

/// A user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct User {
    /// Its name, which never changes.
    pub name: String,
    /// The hash of its password: a PHC text of Argon2id, or a bcrypt hash that came from HugeGraph.
    pub password_hash: String,
    /// What tokens and kept logins must have been made with: a number that no earlier password of any user had.
    pub password_epoch: u64,
    /// Free text.
    pub phone: Option<String>,
    /// Free text.
    pub email: Option<String>,
    /// Free text.
    pub avatar: Option<String>,
    /// Free text.
    pub description: Option<String>,
    /// When and by whom.
    pub origin: Origin,
}

/// A group of users, which has rights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Free text.
    pub description: Option<String>,
    /// When and by whom.
    pub origin: Origin,
}

/// What rights can be given to: a graph, and resources in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// The name of a graph, which may end in `*`.
    pub graph: String,
    /// Where the graph is, for people.
    pub url: String,
    /// What in the graph.
    pub resources: Vec<Resource>,
    /// When and by whom.
    pub origin: Origin,
}

/// That a user belongs to a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Belong {
    /// The id of the user.
    pub user: String,
    /// The id of the group.
    pub group: String,
    /// Free text.
    pub description: Option<String>,
    /// When and by whom.
    pub origin: Origin,
}

/// That a group may do something with a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// The id of the group.
    pub group: String,
    /// The id of the target.
    pub target: String,
    /// What it may do.
    pub permission: Permission,
    /// Free text.
    pub description: Option<String>,
    /// When and by whom.
    pub origin: Origin,
}

/// A project: names of graphs, with groups and a target of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Project {
    /// Its name.
    pub name: String,
    /// Free text.
    pub description: Option<String>,
    /// The id of the group that may change it.
    pub admin_group: String,
    /// The id of the group that may look at it.
    pub op_group: String,
    /// The id of the target that stands for it.
    pub target: String,
    /// Names of graphs.
    pub graphs: Vec<String>,
    /// When and by whom.
    pub origin: Origin,
}

/// What a manager looks after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ManagerKind {
    /// The server: everything.
    Admin,
    /// The graph space: all its graphs, and who may do what there.
    Space,
    /// Nothing by itself: a member of the graph space.
    SpaceMember,
}

impl ManagerKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Admin, Self::Space, Self::SpaceMember];

    /// As requests and answers name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Admin => "ADMIN",
            Self::Space => "SPACE",
            Self::SpaceMember => "SPACE_MEMBER",
        }
    }
}

/// A key that stands for the password of its user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApiKey {
    /// The name of its user.
    pub user: String,
    /// SHA-256 of the key, in hexadecimal digits. The key is random, so nothing slower is needed.
    pub hash: String,
    /// Until when it is valid, in milliseconds since 1970 UTC; `None`: until it is taken back.
    pub expires_ms: Option<i64>,
    /// Whether it gives only the rights to read.
    pub read_only: bool,
    /// Free text.
    pub description: Option<String>,
    /// When and by whom.
    pub origin: Origin,
}

/// A key that tokens are signed with.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenKey {
    /// Its name in tokens.
    pub id: String,
    /// 32 random bytes in Base64.
    pub secret: String,
}

impl std::fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenKey").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Records of one kind by their ids.
pub type Table<T> = BTreeMap<String, T>;

/// Everything that is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Grows with every change.
    pub epoch: u64,
    /// Users.
    pub users: Table<User>,
    /// Groups.
    pub groups: Table<Group>,
    /// Targets.
    pub targets: Table<Target>,
    /// Who belongs to which group.
    pub belongs: Table<Belong>,
    /// Which group may do what.
    pub accesses: Table<Access>,
    /// Projects.
    pub projects: Table<Project>,
    /// What users manage, by the ids of the users.
    pub managers: BTreeMap<String, Vec<ManagerKind>>,
    /// Keys that stand for passwords, by their ids.
    pub api_keys: Table<ApiKey>,
    /// Keys of tokens, the newest first: it signs, all verify.
    pub token_keys: Vec<TokenKey>,
    /// Tokens that were logged out, with the second at which they end.
    pub logged_out: BTreeMap<String, i64>,
}

impl Document {
    /// How many records there are.
    #[must_use]
    pub fn records(&self) -> usize {
        let Self { users, groups, targets, belongs, accesses, projects, managers, api_keys, .. } = self;
        let ours = users.len() + groups.len() + targets.len() + belongs.len();
        ours + accesses.len() + projects.len() + managers.len() + api_keys.len()
    }
}
