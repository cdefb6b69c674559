//! Users, groups, targets, what connects them, and projects: making, changing and removing them, for somebody who may.
//! The texts of errors are HugeGraph's.

use graph_store::now_ms;

use crate::accounts::{Accounts, KEY_PREFIX, hash_of_key};
use crate::caller::Caller;
use crate::error::AccountError;
use crate::identity::{ADMIN, Grant, grants_of, grants_of_group};
use crate::issued::ISSUED_PREFIX;
use crate::records::{Access, ApiKey, Belong, Document, Group, ManagerKind, Origin, Project, Table, Target, User};
use crate::resource::{Permission, Resource, ResourceType, is_like};
use crate::{ids, limits, password, tokens};

type Changed<T> = Result<T, AccountError>;

/// What is shown in place of a password, and means "as it was" where it is sent back.
pub const HIDDEN_PASSWORD: &str = "******";

/// A user as a request gives it. What is `None` stays as it is.
#[derive(Clone, Debug, Default)]
pub struct UserInput {
    /// Its name.
    pub name: Option<String>,
    /// Its password, or a hash of it where an administrator sends one.
    pub password: Option<String>,
    /// Free text.
    pub phone: Option<String>,
    /// Free text.
    pub email: Option<String>,
    /// Free text.
    pub avatar: Option<String>,
    /// Free text.
    pub description: Option<String>,
}

/// A target as a request gives it. What is `None` stays as it is.
#[derive(Clone, Debug, Default)]
pub struct TargetInput {
    /// Its name.
    pub name: Option<String>,
    /// The name of a graph.
    pub graph: Option<String>,
    /// Where the graph is.
    pub url: Option<String>,
    /// What in it.
    pub resources: Option<Vec<Resource>>,
}

/// Changes records on behalf of somebody.
#[derive(Clone, Copy)]
pub struct Editor<'a> {
    accounts: &'a Accounts,
    caller: &'a Caller,
}

fn invalid<T>(message: impl Into<String>) -> Changed<T> {
    Err(AccountError::Invalid(message.into()))
}

fn forbidden<T>(message: impl Into<String>) -> Changed<T> {
    Err(AccountError::Forbidden(message.into()))
}

/// A name that a request must give.
fn name_of(given: Option<&String>, kind: &str) -> Changed<String> {
    let Some(name) = given.filter(|name| !name.is_empty()) else {
        return invalid(format!("The name of {kind} can't be null"));
    };
    if name.len() > limits::NAME_BYTES_MAX || name.chars().any(char::is_control) {
        let max = limits::NAME_BYTES_MAX;
        return invalid(format!("The name of {kind} may have {max} bytes and no control characters"));
    }
    Ok(name.clone())
}

fn check_text(text: Option<&String>) -> Changed<()> {
    if text.is_some_and(|text| text.len() > limits::TEXT_BYTES_MAX) {
        return invalid(format!("a text may have {} bytes", limits::TEXT_BYTES_MAX));
    }
    Ok(())
}

/// The id a request means: the id itself, or the name.
fn known<T>(table: &Table<T>, given: &str, id_of: fn(&str) -> String) -> Option<String> {
    [given.to_owned(), id_of(given)].into_iter().find(|id| table.contains_key(id))
}

fn insert<T>(table: &mut Table<T>, kind: &str, id: String, record: T) -> Changed<()> {
    if table.contains_key(&id) {
        return invalid(format!("Can't save {kind} '{id}' that already exists"));
    }
    table.insert(id, record);
    Ok(())
}

fn same_name(stored: &str, given: Option<&String>, kind: &str) -> Changed<()> {
    if given.is_some_and(|given| given != stored) {
        return invalid(format!("The name of {kind} can't be updated"));
    }
    Ok(())
}

impl<'a> Editor<'a> {
    /// Changes made by `caller`.
    #[must_use]
    pub fn new(accounts: &'a Accounts, caller: &'a Caller) -> Self {
        Self { accounts, caller }
    }

    fn origin(&self) -> Origin {
        let now = now_ms();
        Origin { creator: self.caller.name().to_owned(), created_ms: now, updated_ms: now }
    }

    /// Refuses to give away what the caller does not have itself.
    fn check_owns(&self, document: &Document, grants: &[Grant]) -> Changed<()> {
        if self.caller.is_manager() {
            return Ok(());
        }
        let own = grants_of(document, &ids::user(self.caller.name()));
        match grants.iter().find(|grant| !own.iter().any(|own| is_within(grant, own))) {
            None => Ok(()),
            Some(grant) => forbidden(format!(
                "Permission denied: nobody gives a right that they do not have: {} {} of graph {}",
                grant.permission.name(),
                grant.resource.key(),
                grant.graph
            )),
        }
    }

    /// Refuses to touch the account of somebody who may do more than the caller.
    fn check_account(&self, document: &Document, user_id: &str) -> Changed<()> {
        let manages = document.managers.get(user_id).is_some_and(|kinds| !kinds.is_empty());
        let is_admin = user_id == ids::user(ADMIN)
            || document.managers.get(user_id).is_some_and(|kinds| kinds.contains(&ManagerKind::Admin));
        if self.caller.is_admin() || (user_id == ids::user(self.caller.name()) && self.caller.proof_name() != "key") {
            return Ok(());
        }
        if is_admin || (manages && !self.caller.is_manager()) {
            return forbidden("Permission denied: the account of an administrator");
        }
        self.check_owns(document, &grants_of(document, user_id))
    }

    /// The stored form of a password.
    fn password_hash(&self, given: &str) -> Changed<String> {
        if self.caller.is_admin() && password::is_hash(given) {
            return Ok(given.to_owned());
        }
        if given == HIDDEN_PASSWORD {
            return invalid("The password of user can't be '******', which stands for one that is not shown");
        }
        self.accounts.hash(given)
    }

    /// Makes a user; returns its id.
    ///
    /// # Errors
    /// [`AccountError`]: what is missing or exists, a password that cannot be one.
    pub fn create_user(&self, input: &UserInput) -> Changed<String> {
        let name = name_of(input.name.as_ref(), "user")?;
        if name.starts_with(ISSUED_PREFIX) {
            return invalid(format!("The name of user can't begin with '{ISSUED_PREFIX}': so do those of an issuer"));
        }
        let Some(given) = &input.password else { return invalid("The password of user can't be null") };
        for text in [&input.phone, &input.email, &input.avatar, &input.description] {
            check_text(text.as_ref())?;
        }
        let id = ids::user(&name);
        let exists = |document: &Document| document.users.contains_key(&id);
        if self.accounts.read(exists) {
            return invalid(format!("Can't save user '{id}' that already exists"));
        }
        let (password_hash, origin) = (self.password_hash(given)?, self.origin());
        self.accounts.change(|document| {
            let user = User {
                name: name.clone(),
                password_hash: password_hash.clone(),
                password_epoch: document.epoch + 1,
                phone: input.phone.clone(),
                email: input.email.clone(),
                avatar: input.avatar.clone(),
                description: input.description.clone(),
                origin: origin.clone(),
            };
            insert(&mut document.users, "user", id.clone(), user)?;
            Ok(id.clone())
        })
    }

    /// Changes a user; returns its id. A new password ends its tokens.
    ///
    /// # Errors
    /// [`AccountError`].
    pub fn update_user(&self, given_id: &str, input: &UserInput) -> Changed<String> {
        let found = self.accounts.read(|document| {
            let id = known(&document.users, given_id, ids::user);
            let id = id.ok_or_else(|| AccountError::invalid(format!("Invalid user id: {given_id}")))?;
            if let Some(user) = document.users.get(&id) {
                same_name(&user.name, input.name.as_ref(), "user")?;
            }
            self.check_account(document, &id).map(|()| id)
        });
        let id = found?;
        for text in [&input.phone, &input.email, &input.avatar, &input.description] {
            check_text(text.as_ref())?;
        }
        let password = input.password.as_deref().filter(|password| *password != HIDDEN_PASSWORD);
        let password = password.map(|password| self.password_hash(password)).transpose()?;
        self.accounts.change(|document| {
            let epoch = document.epoch + 1;
            self.check_account(document, &id)?;
            let Some(user) = document.users.get_mut(&id) else {
                return invalid(format!("Invalid user id: {given_id}"));
            };
            if let Some(hash) = &password {
                (user.password_hash, user.password_epoch) = (hash.clone(), epoch);
            }
            set(&mut user.phone, &input.phone);
            set(&mut user.email, &input.email);
            set(&mut user.avatar, &input.avatar);
            set(&mut user.description, &input.description);
            user.origin.updated_ms = now_ms();
            Ok(id.clone())
        })
    }

    /// Removes a user with all that says what it belongs to.
    ///
    /// # Errors
    /// There is none; it is the administrator.
    pub fn delete_user(&self, given_id: &str) -> Changed<()> {
        self.accounts.change(|document| {
            let Some(id) = known(&document.users, given_id, ids::user) else {
                return invalid(format!("Invalid user id: {given_id}"));
            };
            if id == ids::user(ADMIN) {
                return invalid(format!("Can't delete user '{ADMIN}'"));
            }
            self.check_account(document, &id)?;
            let name = document.users.remove(&id).map(|user| user.name);
            document.belongs.retain(|_, belong| belong.user != id);
            document.managers.remove(&id);
            document.api_keys.retain(|_, key| Some(&key.user) != name.as_ref());
            Ok(())
        })
    }

    /// Makes a group; returns its id.
    ///
    /// # Errors
    /// [`AccountError`].
    pub fn create_group(&self, name: Option<&String>, description: Option<&String>) -> Changed<String> {
        let name = name_of(name, "group")?;
        check_text(description)?;
        let id = ids::group(&name);
        let group = Group { name, description: description.cloned(), origin: self.origin() };
        self.accounts.change(|document| {
            insert(&mut document.groups, "group", id.clone(), group.clone())?;
            Ok(id.clone())
        })
    }

    /// Changes a group; returns its id.
    ///
    /// # Errors
    /// [`AccountError`].
    pub fn update_group(&self, given_id: &str, name: Option<&String>, description: Option<&String>) -> Changed<String> {
        check_text(description)?;
        self.accounts.change(|document| {
            let Some(id) = known(&document.groups, given_id, ids::group) else {
                return invalid(format!("Invalid group id: {given_id}"));
            };
            let Some(group) = document.groups.get_mut(&id) else { return invalid("Invalid group id") };
            same_name(&group.name, name, "group")?;
            set(&mut group.description, &description.cloned());
            group.origin.updated_ms = now_ms();
            Ok(id)
        })
    }

    /// Removes a group with its rights and members.
    ///
    /// # Errors
    /// There is none.
    pub fn delete_group(&self, given_id: &str) -> Changed<()> {
        self.accounts.change(|document| {
            let Some(id) = known(&document.groups, given_id, ids::group) else {
                return invalid(format!("Invalid group id: {given_id}"));
            };
            self.check_owns(document, &grants_of_group(document, &id))?;
            remove_group(document, &id);
            Ok(())
        })
    }

    fn check_resources(&self, resources: &[Resource]) -> Changed<()> {
        if resources.len() > limits::RESOURCES_MAX {
            return invalid(format!("a target may have {} resources", limits::RESOURCES_MAX));
        }
        for resource in resources {
            if resource.label.is_empty() || resource.label.len() > limits::NAME_BYTES_MAX {
                return invalid("the label of a resource must be a name, or '*'");
            }
            if !resource.is_unconditional() {
                let text = serde_json::to_string(&resource.properties).unwrap_or_default();
                (self.accounts.options().conditions.check)(&text)
                    .map_err(|reason| AccountError::invalid(format!("Invalid format of resources: {reason}")))?;
            }
        }
        Ok(())
    }

    /// Makes a target; returns its id.
    ///
    /// # Errors
    /// [`AccountError`].
    pub fn create_target(&self, input: &TargetInput) -> Changed<String> {
        let name = name_of(input.name.as_ref(), "target")?;
        let Some(graph) = input.graph.clone() else { return invalid("The graph of target can't be null") };
        let Some(url) = input.url.clone() else { return invalid("The url of target can't be null") };
        let resources = input.resources.clone().unwrap_or_default();
        self.check_resources(&resources)?;
        check_text(Some(&graph))?;
        check_text(Some(&url))?;
        let id = ids::target(&name);
        let target = Target { name, graph, url, resources, origin: self.origin() };
        self.accounts.change(|document| {
            insert(&mut document.targets, "target", id.clone(), target.clone())?;
            Ok(id.clone())
        })
    }

    /// Changes a target; returns its id.
    ///
    /// # Errors
    /// [`AccountError`]; groups that would get a right which the caller does not have.
    pub fn update_target(&self, given_id: &str, input: &TargetInput) -> Changed<String> {
        self.check_resources(input.resources.as_deref().unwrap_or_default())?;
        check_text(input.graph.as_ref())?;
        check_text(input.url.as_ref())?;
        self.accounts.change(|document| {
            let Some(id) = known(&document.targets, given_id, ids::target) else {
                return invalid(format!("Invalid target id: {given_id}"));
            };
            let Some(target) = document.targets.get_mut(&id) else { return invalid("Invalid target id") };
            same_name(&target.name, input.name.as_ref(), "target")?;
            if let Some(graph) = &input.graph {
                target.graph.clone_from(graph);
            }
            if let Some(url) = &input.url {
                target.url.clone_from(url);
            }
            if let Some(resources) = &input.resources {
                target.resources.clone_from(resources);
            }
            target.origin.updated_ms = now_ms();
            let target = target.clone();
            let permissions: Vec<Permission> = document
                .accesses
                .values()
                .filter(|access| access.target == id)
                .map(|access| access.permission)
                .collect();
            for permission in permissions {
                self.check_owns(document, &grants(permission, &target))?;
            }
            Ok(id)
        })
    }

    /// Removes a target with the rights to it.
    ///
    /// # Errors
    /// There is none.
    pub fn delete_target(&self, given_id: &str) -> Changed<()> {
        self.accounts.change(|document| {
            let Some(id) = known(&document.targets, given_id, ids::target) else {
                return invalid(format!("Invalid target id: {given_id}"));
            };
            document.targets.remove(&id);
            document.accesses.retain(|_, access| access.target != id);
            Ok(())
        })
    }

    /// Adds a user to a group; returns the id of that.
    ///
    /// # Errors
    /// [`AccountError`]; a group with a right that the caller does not have.
    pub fn create_belong(
        &self,
        user: Option<&String>,
        group: Option<&String>,
        description: Option<&String>,
    ) -> Changed<String> {
        let Some(user) = user else { return invalid("The user of belong can't be null") };
        let Some(group) = group else { return invalid("The group of belong can't be null") };
        check_text(description)?;
        let origin = self.origin();
        self.accounts.change(|document| {
            let Some(user) = known(&document.users, user, ids::user) else {
                return invalid(format!("Not exists user '{user}'"));
            };
            let Some(group) = known(&document.groups, group, ids::group) else {
                return invalid(format!("Not exists group '{group}'"));
            };
            self.check_owns(document, &grants_of_group(document, &group))?;
            let id = ids::belong(&user, &group);
            let description = description.cloned();
            insert(
                &mut document.belongs,
                "belong",
                id.clone(),
                Belong { user, group, description, origin: origin.clone() },
            )?;
            Ok(id)
        })
    }

    /// Changes the text of what [`Self::create_belong`] made.
    ///
    /// # Errors
    /// There is none.
    pub fn update_belong(&self, id: &str, description: Option<&String>) -> Changed<String> {
        check_text(description)?;
        self.accounts.change(|document| {
            let Some(belong) = document.belongs.get_mut(id) else {
                return invalid(format!("Invalid belong id: {id}"));
            };
            set(&mut belong.description, &description.cloned());
            belong.origin.updated_ms = now_ms();
            Ok(id.to_owned())
        })
    }

    /// Takes a user out of a group.
    ///
    /// # Errors
    /// There is none.
    pub fn delete_belong(&self, id: &str) -> Changed<()> {
        self.accounts.change(|document| match document.belongs.remove(id) {
            Some(_) => Ok(()),
            None => invalid(format!("Invalid belong id: {id}")),
        })
    }

    /// Gives a group a right; returns the id of that.
    ///
    /// # Errors
    /// [`AccountError`]; a right that the caller does not have.
    pub fn create_access(
        &self,
        group: Option<&String>,
        target: Option<&String>,
        permission: Option<&String>,
        description: Option<&String>,
    ) -> Changed<String> {
        let Some(group) = group else { return invalid("The group of access can't be null") };
        let Some(target) = target else { return invalid("The target of access can't be null") };
        let Some(name) = permission else { return invalid("The permission of access can't be null") };
        let Some(permission) = Permission::from_name(name) else {
            return invalid(format!(
                "The permission of access must be READ, WRITE, DELETE or EXECUTE, but got '{name}'"
            ));
        };
        check_text(description)?;
        let origin = self.origin();
        self.accounts.change(|document| {
            let Some(group) = known(&document.groups, group, ids::group) else {
                return invalid(format!("Not exists group '{group}'"));
            };
            let Some(id_of_target) = known(&document.targets, target, ids::target) else {
                return invalid(format!("Not exists target '{target}'"));
            };
            if let Some(target) = document.targets.get(&id_of_target) {
                self.check_owns(document, &grants(permission, target))?;
            }
            let id = ids::access(&group, permission, &id_of_target);
            let description = description.cloned();
            let access = Access { group, target: id_of_target, permission, description, origin: origin.clone() };
            insert(&mut document.accesses, "access", id.clone(), access)?;
            Ok(id)
        })
    }

    /// Changes the text of what [`Self::create_access`] made.
    ///
    /// # Errors
    /// There is none.
    pub fn update_access(&self, id: &str, description: Option<&String>) -> Changed<String> {
        check_text(description)?;
        self.accounts.change(|document| {
            let Some(access) = document.accesses.get_mut(id) else {
                return invalid(format!("Invalid access id: {id}"));
            };
            set(&mut access.description, &description.cloned());
            access.origin.updated_ms = now_ms();
            Ok(id.to_owned())
        })
    }

    /// Takes a right from a group.
    ///
    /// # Errors
    /// There is none.
    pub fn delete_access(&self, id: &str) -> Changed<()> {
        self.accounts.change(|document| match document.accesses.remove(id) {
            Some(_) => Ok(()),
            None => invalid(format!("Invalid access id: {id}")),
        })
    }

    /// Makes a project with its two groups, its target and their rights; returns its id.
    ///
    /// # Errors
    /// [`AccountError`].
    pub fn create_project(&self, name: Option<&String>, description: Option<&String>) -> Changed<String> {
        let name = name_of(name, "project")?;
        check_text(description)?;
        let (id, origin) = (ids::project(&name), self.origin());
        let resource = Resource { label: name.clone(), ..Resource::whole(ResourceType::Project) };
        let target = Target {
            name: format!("project_res_{name}"),
            graph: "DEFAULT".to_owned(),
            url: "localhost:8080".to_owned(),
            resources: vec![resource],
            origin: origin.clone(),
        };
        self.accounts.change(|document| {
            if document.projects.contains_key(&id) {
                return invalid(format!("Can't save project '{id}' that already exists"));
            }
            let mut groups = Vec::new();
            for group in [format!("admin_{name}"), format!("op_{name}")] {
                let group_id = ids::group(&group);
                let group = Group { name: group, description: None, origin: origin.clone() };
                insert(&mut document.groups, "group", group_id.clone(), group)?;
                groups.push(group_id);
            }
            let target_id = ids::target(&target.name);
            insert(&mut document.targets, "target", target_id.clone(), target.clone())?;
            let [admin_group, op_group] = <[String; 2]>::try_from(groups).unwrap_or_default();
            for (group, permission) in
                [(&admin_group, Permission::Write), (&admin_group, Permission::Read), (&op_group, Permission::Read)]
            {
                let access = Access {
                    group: group.clone(),
                    target: target_id.clone(),
                    permission,
                    description: None,
                    origin: origin.clone(),
                };
                insert(&mut document.accesses, "access", ids::access(group, permission, &target_id), access)?;
            }
            let description = description.cloned();
            let (name, graphs, origin) = (name.clone(), Vec::new(), origin.clone());
            let project = Project { name, description, admin_group, op_group, target: target_id, graphs, origin };
            document.projects.insert(id.clone(), project);
            Ok(id.clone())
        })
    }

    /// Changes a project: its text, and the graphs in it; returns its id.
    ///
    /// # Errors
    /// There is none; a graph that is in it already, or is not.
    pub fn update_project(
        &self,
        given_id: &str,
        name: Option<&String>,
        description: Option<&String>,
        graphs: Graphs<'_>,
    ) -> Changed<String> {
        check_text(description)?;
        self.accounts.change(|document| {
            let Some(id) = known(&document.projects, given_id, ids::project) else {
                return invalid(format!("Invalid project id: {given_id}"));
            };
            let Some(project) = document.projects.get_mut(&id) else { return invalid("Invalid project id") };
            same_name(&project.name, name, "project")?;
            match graphs {
                Graphs::AsTheyAre => {}
                Graphs::Add(added) => {
                    if let Some(graph) = added.iter().find(|graph| project.graphs.contains(graph)) {
                        return invalid(format!("The project '{}' has graph '{graph}' already", project.name));
                    }
                    if project.graphs.len() + added.len() > limits::RESOURCES_MAX {
                        return invalid(format!("a project may have {} graphs", limits::RESOURCES_MAX));
                    }
                    project.graphs.extend_from_slice(added);
                }
                Graphs::Remove(removed) => project.graphs.retain(|graph| !removed.contains(graph)),
            }
            set(&mut project.description, &description.cloned());
            project.origin.updated_ms = now_ms();
            Ok(id)
        })
    }

    /// Removes a project with its groups and its target.
    ///
    /// # Errors
    /// There is none; it has graphs.
    pub fn delete_project(&self, given_id: &str) -> Changed<()> {
        self.accounts.change(|document| {
            let found = known(&document.projects, given_id, ids::project);
            let Some((id, project)) = found.and_then(|id| document.projects.get(&id).cloned().map(|found| (id, found)))
            else {
                return invalid(format!("Invalid project id: {given_id}"));
            };
            if !project.graphs.is_empty() {
                let (name, graphs) = (&project.name, project.graphs.join(", "));
                return invalid(format!(
                    "Can't delete project '{name}' that contains any graph, there are graphs: {graphs}"
                ));
            }
            document.projects.remove(&id);
            remove_group(document, &project.admin_group);
            remove_group(document, &project.op_group);
            document.targets.remove(&project.target);
            document.accesses.retain(|_, access| access.target != project.target);
            Ok(())
        })
    }

    /// Makes a user a manager, or takes that away. Only administrators make administrators.
    ///
    /// # Errors
    /// There is no such user; the caller is no manager.
    pub fn set_manager(&self, user: &str, kind: ManagerKind, is_one: bool) -> Changed<()> {
        if !self.caller.is_manager() || (kind == ManagerKind::Admin && !self.caller.is_admin()) {
            return forbidden("User not authorized.");
        }
        self.accounts.change(|document| {
            let Some(id) = known(&document.users, user, ids::user) else {
                return invalid(format!("Not exists user '{user}'"));
            };
            let kinds = document.managers.entry(id.clone()).or_default();
            kinds.retain(|other| *other != kind);
            if is_one {
                kinds.push(kind);
                kinds.sort_unstable();
            }
            if kinds.is_empty() {
                document.managers.remove(&id);
            }
            Ok(())
        })
    }

    /// Makes an API key of the caller; returns its id and the key, which is not shown again.
    ///
    /// # Errors
    /// A caller without a password of its own.
    pub fn create_key(
        &self,
        read_only: bool,
        seconds: Option<i64>,
        description: Option<&String>,
    ) -> Changed<(String, String)> {
        check_text(description)?;
        if matches!(self.caller.proof_name(), "key" | "oidc" | "none") {
            return forbidden("Permission denied: an API key is made by who shows a password or a token of a login");
        }
        let id = tokens::random_text(12);
        let key = format!("{KEY_PREFIX}{id}_{}", tokens::random_text(43));
        let origin = self.origin();
        let record = ApiKey {
            user: self.caller.name().to_owned(),
            hash: hash_of_key(&key),
            expires_ms: seconds.map(|seconds| origin.created_ms.saturating_add(seconds.saturating_mul(1_000))),
            read_only,
            description: description.cloned(),
            origin,
        };
        self.accounts.change(|document| insert(&mut document.api_keys, "key", id.clone(), record.clone()))?;
        Ok((id, key))
    }

    /// Takes an API key back: one of the caller's, or anybody's where the caller is an administrator.
    ///
    /// # Errors
    /// There is none.
    pub fn delete_key(&self, id: &str) -> Changed<()> {
        self.accounts.change(|document| {
            let user = document.api_keys.get(id).map(|key| key.user.as_str());
            if user.is_none_or(|user| user != self.caller.name() && !self.caller.is_admin()) {
                return Err(AccountError::NotFound(format!("there is no API key '{id}'")));
            }
            document.api_keys.remove(id);
            Ok(())
        })
    }
}

/// What becomes of the graphs of a project.
#[derive(Clone, Copy, Debug)]
pub enum Graphs<'a> {
    /// Nothing.
    AsTheyAre,
    /// These come to them.
    Add(&'a [String]),
    /// These leave them.
    Remove(&'a [String]),
}

fn set(field: &mut Option<String>, given: &Option<String>) {
    if given.is_some() {
        field.clone_from(given);
    }
}

fn grants(permission: Permission, target: &Target) -> Vec<Grant> {
    let each = |resource: &Resource| Grant { permission, graph: target.graph.clone(), resource: resource.clone() };
    target.resources.iter().map(each).collect()
}

fn remove_group(document: &mut Document, id: &str) {
    document.groups.remove(id);
    document.belongs.retain(|_, belong| belong.group != id);
    document.accesses.retain(|_, access| access.group != id);
}

/// Whether a right is a part of another. In doubt it is not.
fn is_within(grant: &Grant, own: &Grant) -> bool {
    let (wanted, had) = (&grant.resource, &own.resource);
    let is_same_graph = grant.graph == own.graph || own.graph == "*" || {
        !grant.graph.contains(['*', '?']) && is_like(&grant.graph, &own.graph)
    };
    let is_label = wanted.label == had.label || had.label == "*" || {
        !wanted.label.contains(['*', '?']) && is_like(&wanted.label, &had.label)
    };
    let is_kind =
        had.kind == wanted.kind && is_label && (had.is_unconditional() || had.properties == wanted.properties);
    own.permission == grant.permission && is_same_graph && (had.kind.covers(wanted.kind) || is_kind)
}
