//! Who asks, and what they may do.
//!
//! What it is: the check of credentials that all protocols share ([`Authenticate`]). What it is not: it speaks no
//! protocol.
//!
//! Start reading at [`Authenticate`].

mod authenticate;
mod caller;

pub use authenticate::{AuthError, Authenticate, Credentials, NoUsers};
pub use caller::Caller;
