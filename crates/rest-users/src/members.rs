//! Users, groups, projects and managers.

use std::borrow::Cow;

use auth::records::ManagerKind;
use auth::{AccountError, Editor, Graphs, Permission, ResourceType, UserInput, grants_of, ids};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::ask::{Answer, Ask, Done, invalid, read};
use crate::lists::{list, one};
use crate::view::{View, space_name};

#[derive(Deserialize)]
struct UserBody {
    user_name: Option<String>,
    user_password: Option<String>,
    user_phone: Option<String>,
    user_email: Option<String>,
    user_avatar: Option<String>,
    user_description: Option<String>,
}

impl From<UserBody> for UserInput {
    fn from(body: UserBody) -> Self {
        Self {
            name: body.user_name,
            password: body.user_password,
            phone: body.user_phone,
            email: body.user_email,
            avatar: body.user_avatar,
            description: body.user_description,
        }
    }
}

fn editor<R: Ask>(request: &R) -> Result<Editor<'_>, R::Error> {
    Ok(Editor::new(request.accounts()?, request.caller()))
}

/// Of others only who may, of oneself everybody.
fn check_may<R: Ask>(request: &R, id: &str, permission: Permission) -> Result<(), R::Error> {
    request.accounts()?;
    let own = request.caller().name();
    if id == own || id == ids::user(own) || request.caller().may_anywhere(permission, ResourceType::UserGroup) {
        return Ok(());
    }
    let verb = permission.name().to_ascii_lowercase();
    let message =
        format!("Permission denied: {verb} Resource{{graphspace=DEFAULT,graph=*,type=USER_GROUP,operated={id}}}");
    Err(AccountError::Forbidden(message).into())
}

fn show_user<R: Ask>(request: &R, id: &str) -> Result<Value, R::Error> {
    one(request, id, ids::user, |document| &document.users, View::user)
}

/// Lists the users.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn users<R: Ask>(request: &R) -> Done<R> {
    list(request, "users", |document| &document.users, |_| true, View::user)
}

/// Makes a user.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn create_user<R: Ask>(request: &R) -> Done<R> {
    let editor = editor(request)?;
    let id = editor.create_user(&read::<UserBody, R>(request)?.into())?;
    Ok(Answer::Created(show_user(request, &id)?))
}

/// Reads one by its id: user.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn user<R: Ask>(request: &R) -> Done<R> {
    let id = request.id()?;
    check_may(request, &id, Permission::Read)?;
    Ok(Answer::Ok(show_user(request, &id)?))
}

/// Changes a user.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn update_user<R: Ask>(request: &R) -> Done<R> {
    let id = request.id()?;
    check_may(request, &id, Permission::Write)?;
    let id = editor(request)?.update_user(&id, &read::<UserBody, R>(request)?.into())?;
    Ok(Answer::Ok(show_user(request, &id)?))
}

/// Removes a user.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn delete_user<R: Ask>(request: &R) -> Done<R> {
    editor(request)?.delete_user(&request.id()?)?;
    Ok(Answer::NoContent)
}

/// What a user may do, by its groups.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn role<R: Ask>(request: &R) -> Done<R> {
    let given = request.id()?;
    check_may(request, &given, Permission::Read)?;
    let view = View::of(request);
    let grants = request.accounts()?.read(|document| {
        let known = [given.to_string(), ids::user(&given)].into_iter().find(|id| document.users.contains_key(id));
        known.map(|id| grants_of(document, &id))
    });
    let grants = grants.ok_or_else(|| AccountError::NotFound(format!("there is no user with the id '{given}'")))?;
    Ok(Answer::Ok(view.roles(&grants)))
}

#[derive(Deserialize)]
struct GroupBody {
    group_name: Option<String>,
    group_description: Option<String>,
}

fn show_group<R: Ask>(request: &R, id: &str) -> Result<Value, R::Error> {
    one(request, id, ids::group, |document| &document.groups, View::group)
}

/// Lists the groups.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn groups<R: Ask>(request: &R) -> Done<R> {
    list(request, "groups", |document| &document.groups, |_| true, View::group)
}

/// Makes a group.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn create_group<R: Ask>(request: &R) -> Done<R> {
    let editor = editor(request)?;
    let body: GroupBody = read(request)?;
    let id = editor.create_group(body.group_name.as_ref(), body.group_description.as_ref())?;
    Ok(Answer::Created(show_group(request, &id)?))
}

/// Reads one by its id: group.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn group<R: Ask>(request: &R) -> Done<R> {
    Ok(Answer::Ok(show_group(request, &request.id()?)?))
}

/// Changes a group.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn update_group<R: Ask>(request: &R) -> Done<R> {
    let editor = editor(request)?;
    let body: GroupBody = read(request)?;
    let id = editor.update_group(&request.id()?, body.group_name.as_ref(), body.group_description.as_ref())?;
    Ok(Answer::Ok(show_group(request, &id)?))
}

/// Removes a group.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn delete_group<R: Ask>(request: &R) -> Done<R> {
    editor(request)?.delete_group(&request.id()?)?;
    Ok(Answer::NoContent)
}

#[derive(Deserialize)]
struct ProjectBody {
    project_name: Option<String>,
    project_description: Option<String>,
    #[serde(default)]
    project_graphs: Option<Vec<String>>,
}

fn show_project<R: Ask>(request: &R, id: &str) -> Result<Value, R::Error> {
    one(request, id, ids::project, |document| &document.projects, View::project)
}

/// Lists the projects.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn projects<R: Ask>(request: &R) -> Done<R> {
    list(request, "projects", |document| &document.projects, |_| true, View::project)
}

/// Makes a project.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn create_project<R: Ask>(request: &R) -> Done<R> {
    let editor = editor(request)?;
    let body: ProjectBody = read(request)?;
    let id = editor.create_project(body.project_name.as_ref(), body.project_description.as_ref())?;
    Ok(Answer::Created(show_project(request, &id)?))
}

/// Reads one by its id: project.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn project<R: Ask>(request: &R) -> Done<R> {
    Ok(Answer::Ok(show_project(request, &request.id()?)?))
}

/// Changes a project.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn update_project<R: Ask>(request: &R) -> Done<R> {
    let editor = editor(request)?;
    let body: ProjectBody = read(request)?;
    let given = body.project_graphs.unwrap_or_default();
    let graphs = match request.text("action")?.as_deref() {
        None => Graphs::AsTheyAre,
        Some("add_graph") => Graphs::Add(&given),
        Some("remove_graph") => Graphs::Remove(&given),
        Some(other) => {
            let message = format!("'action' must be add_graph or remove_graph, but got '{other}'");
            return Err(invalid(message).into());
        }
    };
    let description = body.project_description.as_ref();
    let id = editor.update_project(&request.id()?, body.project_name.as_ref(), description, graphs)?;
    Ok(Answer::Ok(show_project(request, &id)?))
}

/// Removes a project.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn delete_project<R: Ask>(request: &R) -> Done<R> {
    editor(request)?.delete_project(&request.id()?)?;
    Ok(Answer::NoContent)
}

#[derive(Deserialize)]
struct ManagerBody {
    user: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

fn kind_of(name: Option<&str>) -> Result<ManagerKind, AccountError> {
    let known = ManagerKind::ALL.into_iter().find(|kind| Some(kind.name()) == name);
    known.ok_or_else(|| {
        invalid(format!("'type' must be ADMIN, SPACE or SPACE_MEMBER, but got '{}'", name.unwrap_or_default()))
    })
}

/// The names of the managers of a kind.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn managers<R: Ask>(request: &R) -> Done<R> {
    let kind = kind_of(request.text("type")?.as_deref())?;
    let names: Vec<String> = request.accounts()?.read(|document| {
        let of_kind = document.managers.iter().filter(|(_, kinds)| kinds.contains(&kind));
        of_kind.filter_map(|(id, _)| document.users.get(id)).map(|user| user.name.clone()).collect()
    });
    Ok(Answer::Ok(json!({ "admins": names })))
}

/// Makes a user a manager.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn add_manager<R: Ask>(request: &R) -> Done<R> {
    let editor = editor(request)?;
    let body: ManagerBody = read(request)?;
    let kind = kind_of(body.kind.as_deref())?;
    let user = body.user.ok_or_else(|| invalid("The user of manager can't be null"))?;
    editor.set_manager(&user, kind, true)?;
    Ok(Answer::Created(json!({ "user": user, "type": kind.name(), "graphspace": space_name() })))
}

/// Makes a user no manager any more.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn remove_manager<R: Ask>(request: &R) -> Done<R> {
    let kind = kind_of(request.text("type")?.as_deref())?;
    let user = request.text("user")?.ok_or_else(|| invalid("The user of manager can't be null"))?;
    editor(request)?.set_manager(&user, kind, false)?;
    Ok(Answer::NoContent)
}

/// Whether a user is a manager of a kind.
fn is_manager<R: Ask>(request: &R, user: &str, kind: ManagerKind) -> Result<bool, R::Error> {
    Ok(request
        .accounts()?
        .read(|document| document.managers.get(&ids::user(user)).is_some_and(|kinds| kinds.contains(&kind))))
}

/// Whether who asks is a manager of a kind.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn check_manager<R: Ask>(request: &R) -> Done<R> {
    let kind = kind_of(request.text("type")?.as_deref())?;
    let is_one = match kind {
        ManagerKind::Admin => request.accounts().map(|_| request.caller().is_admin())?,
        _ => is_manager(request, request.caller().name(), kind)?,
    };
    Ok(Answer::Ok(json!({ "check": is_one })))
}

/// What a user manages.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn manager_role<R: Ask>(request: &R) -> Done<R> {
    let own = request.caller().name().to_owned();
    let user = request.text("user")?.map_or(own, Cow::into_owned);
    check_may(request, &user, Permission::Read)?;
    let mut roles = Vec::new();
    for kind in ManagerKind::ALL {
        if is_manager(request, &user, kind)? {
            roles.push(kind.name());
        }
    }
    if roles.is_empty() {
        roles.push("NONE");
    }
    Ok(Answer::Ok(json!({ "user": user, "graphspace": space_name(), "roles": roles })))
}
