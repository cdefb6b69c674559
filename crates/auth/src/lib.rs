//! Who asks, and what they may do.
//!
//! What it is: the users of a store with their groups and rights in HugeGraph's model ([`records`]), kept in the store
//! itself; the check of passwords, tokens and API keys that all protocols share ([`Authenticate`], [`Accounts`]); and
//! what a caller may do, as rights that a graph can be read and written behind ([`Caller::rights`],
//! [`graph_access::Guarded`]). What it is not: it speaks no protocol, and reads no graph.
//!
//! Invariants:
//! - Rights add up, and their absence denies. Nobody gives a right that they do not have ([`Editor`]).
//! - A user of an issuer of OpenID Connect has the rights of the groups its token names, and no others: it is nobody of
//!   the records, whatever its name.
//! - No password is kept, in storage or in memory; what is kept of one that was right is a keyed hash.
//! - A wrong password and an unknown user take the same time and give the same answer.
//! - A change is in force for every request that begins after it, on other servers once they have read it.
//! - Hashing is bounded in memory and processors ([`limits`]), and guessing is slowed down without locking anybody out.
//!
//! Start reading at [`Accounts`].

mod accounts;
mod authenticate;
mod caller;
mod error;
mod gate;
mod identity;
pub mod ids;
mod issued;
mod kept;
pub mod limits;
mod manage;
mod password;
pub mod records;
mod resource;
mod rows;
mod throttle;
mod tokens;

pub use accounts::{Accounts, Options};
pub use authenticate::{AuthError, Authenticate, Credentials, NoUsers};
pub use caller::Caller;
pub use error::AccountError;
pub use identity::{ADMIN, ConditionReader, Grant, grants_of};
pub use issued::ISSUED_PREFIX;
pub use manage::{Editor, Graphs, HIDDEN_PASSWORD, TargetInput, UserInput};
pub use password::PasswordError;
pub use resource::{Permission, Resource, ResourceType};
