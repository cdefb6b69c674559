//! HugeGraph's contract about users: what requests about users, groups, rights and projects take and answer.
//!
//! What it is: handlers from a request ([`Ask`]) to an answer ([`Answer`]), with the JSON of both and what each
//! generation of clients reads. What it is not: it routes nothing, checks no credentials and keeps nothing (`auth`).
//!
//! Start reading at [`Ask`].

mod ask;
mod connections;
mod keys;
mod lists;
mod members;
mod view;

pub use ask::{Answer, Ask, Done};
pub use connections::{
    access, accesses, belong, belongs, create_access, create_belong, create_target, delete_access, delete_belong,
    delete_target, target, targets, update_access, update_belong, update_target,
};
pub use keys::{can_i, create_key, delete_key, keys};
pub use members::{
    add_manager, check_manager, create_group, create_project, create_user, delete_group, delete_project, delete_user,
    group, groups, manager_role, managers, project, projects, remove_manager, role, update_group, update_project,
    update_user, user, users,
};
