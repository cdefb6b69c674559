//! Targets, and what connects users, groups and targets.

use auth::{AccountError, Editor, Resource, TargetInput, ids};
use serde::Deserialize;
use serde_json::Value;

use crate::ask::{Answer, Ask, Done, invalid, read};
use crate::lists::{as_it_is, list, one};
use crate::view::View;

#[derive(Deserialize)]
struct TargetBody {
    target_name: Option<String>,
    target_graph: Option<String>,
    target_url: Option<String>,
    /// A list; what answers show is a map of lists, which is accepted too.
    target_resources: Option<Value>,
}

impl TargetBody {
    fn input(self) -> Result<TargetInput, AccountError> {
        let Self { target_name: name, target_graph: graph, target_url: url, target_resources } = self;
        let wrong = |reason: String| invalid(format!("Invalid format of resources: {reason}"));
        let resources = match target_resources {
            None | Some(Value::Null) => None,
            Some(Value::Object(map)) => {
                let lists = map.into_iter().map(|(_, list)| match list {
                    Value::Array(list) => Ok(list),
                    _ => Err(wrong("a list was expected".to_owned())),
                });
                Some(Value::Array(lists.collect::<Result<Vec<_>, _>>()?.concat()))
            }
            Some(list) => Some(list),
        };
        let resources: Option<Vec<Resource>> =
            resources.map(serde_json::from_value).transpose().map_err(|error| wrong(error.to_string()))?;
        Ok(TargetInput { name, graph, url, resources })
    }
}

fn editor<R: Ask>(request: &R) -> Result<Editor<'_>, R::Error> {
    Ok(Editor::new(request.accounts()?, request.caller()))
}

fn show_target<R: Ask>(request: &R, id: &str) -> Result<Value, R::Error> {
    one(request, id, ids::target, |document| &document.targets, View::target)
}

/// Lists the targets.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn targets<R: Ask>(request: &R) -> Done<R> {
    list(request, "targets", |document| &document.targets, |_| true, View::target)
}

/// Makes a target.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn create_target<R: Ask>(request: &R) -> Done<R> {
    let editor = editor(request)?;
    let id = editor.create_target(&read::<TargetBody, R>(request)?.input()?)?;
    Ok(Answer::Created(show_target(request, &id)?))
}

/// Reads one by its id: target.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn target<R: Ask>(request: &R) -> Done<R> {
    Ok(Answer::Ok(show_target(request, &request.id()?)?))
}

/// Changes a target.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn update_target<R: Ask>(request: &R) -> Done<R> {
    let editor = editor(request)?;
    let id = editor.update_target(&request.id()?, &read::<TargetBody, R>(request)?.input()?)?;
    Ok(Answer::Ok(show_target(request, &id)?))
}

/// Removes a target.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn delete_target<R: Ask>(request: &R) -> Done<R> {
    editor(request)?.delete_target(&request.id()?)?;
    Ok(Answer::NoContent)
}

/// Two filters of which one may be given.
fn filters<R: Ask>(request: &R, names: [&'static str; 2]) -> Result<[Option<String>; 2], R::Error> {
    let [first, second] = names;
    let given = [request.text(first)?.map(Into::into), request.text(second)?.map(Into::into)];
    if given.iter().all(Option::is_some) {
        return Err(invalid(format!("Can't pass both {first} and {second} at the same time")).into());
    }
    Ok(given)
}

/// Whether a filter lets an id pass: the id, or the name it is made of.
fn passes(filter: &Option<String>, id: &str, id_of: fn(&str) -> String) -> bool {
    filter.as_ref().is_none_or(|wanted| wanted == id || id_of(wanted) == id)
}

#[derive(Deserialize)]
struct BelongBody {
    user: Option<String>,
    group: Option<String>,
    belong_description: Option<String>,
}

fn show_belong<R: Ask>(request: &R, id: &str) -> Result<Value, R::Error> {
    one(request, id, as_it_is, |document| &document.belongs, View::belong)
}

/// Lists the belongs.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn belongs<R: Ask>(request: &R) -> Done<R> {
    let [user, group] = filters(request, ["user", "group"])?;
    let fits = |belong: &auth::records::Belong| {
        passes(&user, &belong.user, ids::user) && passes(&group, &belong.group, ids::group)
    };
    list(request, "belongs", |document| &document.belongs, fits, View::belong)
}

/// Makes a belong.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn create_belong<R: Ask>(request: &R) -> Done<R> {
    let editor = editor(request)?;
    let body: BelongBody = read(request)?;
    let id = editor.create_belong(body.user.as_ref(), body.group.as_ref(), body.belong_description.as_ref())?;
    Ok(Answer::Created(show_belong(request, &id)?))
}

/// Reads one by its id: belong.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn belong<R: Ask>(request: &R) -> Done<R> {
    Ok(Answer::Ok(show_belong(request, &request.id()?)?))
}

/// Changes a belong.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn update_belong<R: Ask>(request: &R) -> Done<R> {
    let editor = editor(request)?;
    let body: BelongBody = read(request)?;
    let id = editor.update_belong(&request.id()?, body.belong_description.as_ref())?;
    Ok(Answer::Ok(show_belong(request, &id)?))
}

/// Removes a belong.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn delete_belong<R: Ask>(request: &R) -> Done<R> {
    editor(request)?.delete_belong(&request.id()?)?;
    Ok(Answer::NoContent)
}

#[derive(Deserialize)]
struct AccessBody {
    group: Option<String>,
    target: Option<String>,
    access_permission: Option<String>,
    access_description: Option<String>,
}

fn show_access<R: Ask>(request: &R, id: &str) -> Result<Value, R::Error> {
    one(request, id, as_it_is, |document| &document.accesses, View::access)
}

/// Lists the accesses.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn accesses<R: Ask>(request: &R) -> Done<R> {
    let [group, target] = filters(request, ["group", "target"])?;
    let fits = |access: &auth::records::Access| {
        passes(&group, &access.group, ids::group) && passes(&target, &access.target, ids::target)
    };
    list(request, "accesses", |document| &document.accesses, fits, View::access)
}

/// Makes a access.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn create_access<R: Ask>(request: &R) -> Done<R> {
    let editor = editor(request)?;
    let body: AccessBody = read(request)?;
    let AccessBody { group, target, access_permission, access_description } = &body;
    let (group, target, permission) = (group.as_ref(), target.as_ref(), access_permission.as_ref());
    let id = editor.create_access(group, target, permission, access_description.as_ref())?;
    Ok(Answer::Created(show_access(request, &id)?))
}

/// Reads one by its id: access.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn access<R: Ask>(request: &R) -> Done<R> {
    Ok(Answer::Ok(show_access(request, &request.id()?)?))
}

/// Changes a access.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn update_access<R: Ask>(request: &R) -> Done<R> {
    let editor = editor(request)?;
    let body: AccessBody = read(request)?;
    let id = editor.update_access(&request.id()?, body.access_description.as_ref())?;
    Ok(Answer::Ok(show_access(request, &id)?))
}

/// Removes a access.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn delete_access<R: Ask>(request: &R) -> Done<R> {
    editor(request)?.delete_access(&request.id()?)?;
    Ok(Answer::NoContent)
}
