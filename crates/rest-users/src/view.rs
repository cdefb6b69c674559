//! Records as clients read them.

use auth::records::{Access, ApiKey, Belong, Group, Origin, Project, Target, User};
use auth::{Grant, HIDDEN_PASSWORD, Resource};
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};

use crate::ask::Ask;

/// How records are shown to a client.
pub(crate) struct View {
    zone: TimeZone,
    /// Whether it is one up to 1.5.
    pub(crate) is_old: bool,
}

impl View {
    /// As the client of a request reads them.
    pub(crate) fn of(request: &impl Ask) -> Self {
        Self { zone: request.zone().clone(), is_old: request.is_old() }
    }

    fn time(&self, ms: i64) -> Value {
        Value::from(graph_model::format_date(ms, &self.zone))
    }

    /// An object with the id, the fields that are there, and where it comes from.
    fn object(&self, kind: &str, id: &str, fields: &[(&str, Option<Value>)], origin: &Origin) -> Value {
        let mut object = Map::new();
        for (name, value) in fields {
            if let Some(value) = value {
                object.insert((*name).to_owned(), value.clone());
            }
        }
        object.insert(format!("{kind}_creator"), Value::from(origin.creator.as_str()));
        object.insert(format!("{kind}_create"), self.time(origin.created_ms));
        object.insert(format!("{kind}_update"), self.time(origin.updated_ms));
        object.insert("id".to_owned(), Value::from(id));
        Value::Object(object)
    }

    /// A user, never with the hash of its password.
    pub(crate) fn user(&self, id: &str, user: &User) -> Value {
        let fields = [
            ("user_name", text(&user.name)),
            ("user_password", text(HIDDEN_PASSWORD)),
            ("user_phone", may_be(&user.phone)),
            ("user_email", may_be(&user.email)),
            ("user_avatar", may_be(&user.avatar)),
            ("user_description", may_be(&user.description)),
        ];
        self.object("user", id, &fields, &user.origin)
    }

    pub(crate) fn group(&self, id: &str, group: &Group) -> Value {
        let fields = [("group_name", text(&group.name)), ("group_description", may_be(&group.description))];
        self.object("group", id, &fields, &group.origin)
    }

    pub(crate) fn target(&self, id: &str, target: &Target) -> Value {
        let resources = if self.is_old { resource_list(&target.resources) } else { resource_map(&target.resources) };
        let fields = [
            ("target_name", text(&target.name)),
            ("target_graph", text(&target.graph)),
            ("target_url", text(&target.url)),
            ("target_resources", Some(resources)),
        ];
        self.object("target", id, &fields, &target.origin)
    }

    pub(crate) fn belong(&self, id: &str, belong: &Belong) -> Value {
        let fields = [
            ("user", text(&belong.user)),
            ("group", text(&belong.group)),
            ("belong_description", may_be(&belong.description)),
            ("graphspace", self.current(space_name())),
            ("link", self.current(Value::from("ug"))),
        ];
        self.object("belong", id, &fields, &belong.origin)
    }

    pub(crate) fn access(&self, id: &str, access: &Access) -> Value {
        let fields = [
            ("group", text(&access.group)),
            ("target", text(&access.target)),
            ("access_permission", text(access.permission.name())),
            ("access_description", may_be(&access.description)),
            ("graphspace", self.current(space_name())),
        ];
        self.object("access", id, &fields, &access.origin)
    }

    pub(crate) fn project(&self, id: &str, project: &Project) -> Value {
        let fields = [
            ("project_name", text(&project.name)),
            ("project_description", may_be(&project.description)),
            ("project_admin_group", text(&project.admin_group)),
            ("project_op_group", text(&project.op_group)),
            ("project_target", text(&project.target)),
            ("project_graphs", (!project.graphs.is_empty()).then(|| json!(project.graphs))),
        ];
        self.object("project", id, &fields, &project.origin)
    }

    /// An API key, without the key.
    pub(crate) fn key(&self, id: &str, key: &ApiKey) -> Value {
        let fields = [
            ("key_user", text(&key.user)),
            ("key_description", may_be(&key.description)),
            ("key_ends", key.expires_ms.map(|ms| self.time(ms))),
            ("read_only", Some(Value::from(key.read_only))),
        ];
        self.object("key", id, &fields, &key.origin)
    }

    /// What only clients of this generation read.
    fn current(&self, value: Value) -> Option<Value> {
        (!self.is_old).then_some(value)
    }

    /// Rights by graph and permission, in 1.7 within their graph space.
    pub(crate) fn roles(&self, grants: &[Grant]) -> Value {
        let mut graphs = Map::new();
        for grant in grants {
            let Value::Object(permissions) = graphs.entry(&*grant.graph).or_insert_with(|| json!({})) else { continue };
            let empty = if self.is_old { json!([]) } else { json!({}) };
            let resources = permissions.entry(grant.permission.name()).or_insert(empty);
            let shown = resource(&grant.resource);
            match resources {
                Value::Array(list) if !list.contains(&shown) => list.push(shown),
                Value::Object(map) => {
                    let Value::Array(list) = map.entry(grant.resource.key()).or_insert_with(|| json!([])) else {
                        continue;
                    };
                    if !list.contains(&shown) {
                        list.push(shown);
                    }
                }
                _ => {}
            }
        }
        let roles = match (self.is_old, graphs.is_empty()) {
            (true, _) | (_, true) => Value::Object(graphs),
            (false, false) => json!({ SPACE: graphs }),
        };
        json!({ "roles": roles })
    }
}

/// The only graph space.
const SPACE: &str = "DEFAULT";

/// The graph space in answers.
pub(crate) fn space_name() -> Value {
    Value::from(SPACE)
}

fn text(text: &str) -> Option<Value> {
    Some(Value::from(text))
}

fn may_be(text: &Option<String>) -> Option<Value> {
    text.as_deref().map(Value::from)
}

fn resource(resource: &Resource) -> Value {
    json!({ "type": resource.kind.name(), "label": resource.label, "properties": resource.properties })
}

fn resource_list(resources: &[Resource]) -> Value {
    resources.iter().map(resource).collect()
}

fn resource_map(resources: &[Resource]) -> Value {
    let mut map = Map::new();
    for each in resources {
        if let Value::Array(list) = map.entry(each.key()).or_insert_with(|| json!([])) {
            list.push(resource(each));
        }
    }
    Value::Object(map)
}
