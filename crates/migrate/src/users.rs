//! Users, groups, targets and what connects them. The hashes of passwords are taken over as they are: a login is
//! checked against the hash of bcrypt, and hashed anew then, so nobody needs a new password.

use std::collections::HashMap;

use api_client::{Client, ClientError};
use auth::{AccountError, Accounts, Caller, Editor, Permission, Resource, TargetInput, UserInput};
use serde_json::{Map, Value, json};

use crate::error::MigrateError;
use crate::target::Target;

/// The kinds of records, in the order they must be made in.
const LISTS: [&str; 5] = ["users", "groups", "targets", "belongs", "accesses"];

/// What an answer of HugeGraph says where it has no users.
const NO_USERS: &str = "Unconfigured authenticator";

/// What a server of this project shows in place of a hash.
const HIDDEN: &str = "******";

/// Takes all records over; returns how many were made, and what was left out.
pub(crate) async fn read(client: &Client) -> Result<Option<Records>, MigrateError> {
    let mut records = Records::default();
    for (list, into) in LISTS.into_iter().zip(&mut records.0) {
        match client.user_records(list).await {
            Ok(read) => *into = read,
            Err(ClientError::Server { message, .. } | ClientError::Refused { message, .. })
                if message.contains(NO_USERS) =>
            {
                return Ok(None);
            }
            Err(source) => return Err(MigrateError::source(format!("reading the {list}"))(source)),
        }
    }
    Ok(Some(records))
}

/// All records of the source, in the order of [`LISTS`].
#[derive(Debug, Default)]
pub(crate) struct Records([Vec<Value>; 5]);

impl Records {
    /// Those read from files.
    pub(crate) fn of(lists: [Vec<Value>; 5]) -> Self {
        Self(lists)
    }

    /// Makes them in the target.
    pub(crate) fn add_to(&self, target: &mut dyn Target, warnings: &mut Vec<String>) -> Result<usize, MigrateError> {
        let names = self.names();
        let mut made = 0;
        for (list, records) in LISTS.into_iter().zip(&self.0) {
            for record in records {
                let body = match body_of(list, record, &names) {
                    Ok(body) => body,
                    Err(reason) => {
                        warnings.push(format!("{list} {} left out: {reason}", text(record, "id")));
                        continue;
                    }
                };
                if let Some(label) = odd_label(&body) {
                    warnings.push(format!(
                        "target {} names labels by '{label}': here * and ? stand for characters, and a regular \
                         expression matches nothing",
                        text(record, "target_name")
                    ));
                }
                match target.add_user_record(list, &body)? {
                    true => made += 1,
                    false if list == "users" => {
                        warnings.push(format!(
                            "user {} is there already and keeps its password",
                            text(record, "user_name")
                        ));
                    }
                    false => {}
                }
            }
        }
        Ok(made)
    }

    /// Names of users, groups and targets by their ids, which differ between stores.
    fn names(&self) -> HashMap<&str, &str> {
        let [users, groups, targets, ..] = &self.0;
        let mut names = HashMap::new();
        for (records, field) in [(users, "user_name"), (groups, "group_name"), (targets, "target_name")] {
            names.extend(records.iter().map(|record| (text(record, "id"), text(record, field))));
        }
        names
    }
}

fn text<'r>(record: &'r Value, field: &str) -> &'r str {
    record.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The body that makes a record. The error says why it is left out.
fn body_of(list: &str, record: &Value, names: &HashMap<&str, &str>) -> Result<Value, String> {
    let fields: &[&str] = match list {
        "users" => &["user_name", "user_password", "user_phone", "user_email", "user_avatar", "user_description"],
        "groups" => &["group_name", "group_description"],
        "targets" => &["target_name", "target_graph", "target_url"],
        "belongs" => &["belong_description"],
        _ => &["access_permission", "access_description"],
    };
    let taken = fields.iter().filter_map(|field| Some(((*field).to_owned(), record.get(*field)?.clone())));
    let mut body: Map<String, Value> = taken.filter(|(_, value)| !value.is_null()).collect();
    let ends: &[&str] = match list {
        "belongs" => &["user", "group"],
        "accesses" => &["group", "target"],
        _ => &[],
    };
    for end in ends {
        let id = text(record, end);
        let name = names.get(id).ok_or_else(|| format!("its {end} '{id}' is not among the records read"))?;
        body.insert((*end).to_owned(), json!(name));
    }
    match list {
        "users" if text(record, "user_password") == HIDDEN => {
            return Err("the source does not show the hash of its password".to_owned());
        }
        "users" if text(record, "user_password").is_empty() => return Err("it has no password".to_owned()),
        "targets" => {
            body.insert("target_resources".to_owned(), Value::Array(resources_of(record)));
        }
        "accesses" => {
            let permission = text(record, "access_permission");
            if Permission::from_name(permission).is_none() {
                return Err(format!("there is no permission {permission} here"));
            }
        }
        _ => {}
    }
    Ok(Value::Object(body))
}

/// The resources of a target: 1.7 answers a map of lists, older servers a list.
fn resources_of(record: &Value) -> Vec<Value> {
    match record.get("target_resources") {
        Some(Value::Array(list)) => list.clone(),
        Some(Value::Object(map)) => map.values().filter_map(Value::as_array).flatten().cloned().collect(),
        _ => Vec::new(),
    }
}

/// A label of a target that is meant as a regular expression.
fn odd_label(body: &Value) -> Option<&str> {
    let resources = body.get("target_resources")?.as_array()?;
    let mut labels = resources.iter().map(|resource| text(resource, "label"));
    labels
        .find(|label| label.contains(['|', '[', ']', '(', ')', '{', '}', '+', '^', '$', '\\']) || label.contains(".*"))
}

/// Makes a record among the users of an open store; false where there is one of its name.
pub(crate) fn add_to_accounts(accounts: &Accounts, list: &str, body: &Value) -> Result<bool, MigrateError> {
    // Nobody asks: the store is open here, which is the right of an administrator.
    let caller = Caller::anonymous();
    let editor = Editor::new(accounts, &caller);
    let field = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    let made = match list {
        "users" => editor.create_user(&UserInput {
            name: field("user_name"),
            password: field("user_password"),
            phone: field("user_phone"),
            email: field("user_email"),
            avatar: field("user_avatar"),
            description: field("user_description"),
        }),
        "groups" => editor.create_group(field("group_name").as_ref(), field("group_description").as_ref()),
        "targets" => {
            let resources = body.get("target_resources").cloned().unwrap_or_default();
            match serde_json::from_value::<Vec<Resource>>(resources) {
                Ok(resources) => editor.create_target(&TargetInput {
                    name: field("target_name"),
                    graph: field("target_graph"),
                    url: field("target_url").or_else(|| Some(String::new())),
                    resources: Some(resources),
                }),
                Err(error) => Err(AccountError::Invalid(format!("its resources are not understood: {error}"))),
            }
        }
        "belongs" => {
            let (user, group) = (field("user"), field("group"));
            editor.create_belong(user.as_ref(), group.as_ref(), field("belong_description").as_ref())
        }
        _ => {
            let (group, target, permission) = (field("group"), field("target"), field("access_permission"));
            let description = field("access_description");
            editor.create_access(group.as_ref(), target.as_ref(), permission.as_ref(), description.as_ref())
        }
    };
    match made {
        Ok(_) => Ok(true),
        Err(AccountError::Invalid(message)) if message.contains("already exists") => Ok(false),
        Err(error) => {
            let (what, source) = (format!("one of the {list} ({})", name(body)), Box::new(error));
            Err(MigrateError::Users { what, source })
        }
    }
}

/// What a body is called in an error; never its password.
fn name(body: &Value) -> &str {
    let fields = ["user_name", "group_name", "target_name", "user", "group"];
    fields.iter().map(|field| text(body, field)).find(|name| !name.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_become_names_and_hashes_stay() {
        let records = Records([
            vec![json!({"id": "-63:bob", "user_name": "bob", "user_password": "$2a$04$x", "user_creator": "admin"})],
            vec![json!({"id": "-69:grp", "group_name": "grp"})],
            vec![json!({"id": "-77:tg", "target_name": "tg", "target_graph": "g", "target_url": "u",
                "target_resources": {"VERTEX#person": [{"type": "VERTEX", "label": "person", "properties": null}],
                    "GREMLIN": [{"type": "GREMLIN", "label": "*", "properties": null}]}})],
            Vec::new(),
            Vec::new(),
        ]);
        let names = records.names();
        let user = body_of("users", &records.0[0][0], &names).unwrap();
        assert_eq!(user, json!({"user_name": "bob", "user_password": "$2a$04$x"}));
        let belong = body_of("belongs", &json!({"user": "-63:bob", "group": "-69:grp"}), &names).unwrap();
        assert_eq!(belong, json!({"user": "bob", "group": "grp"}));
        let target = body_of("targets", &records.0[2][0], &names).unwrap();
        assert_eq!(target["target_resources"].as_array().unwrap().len(), 2);
        let access = json!({"group": "-69:grp", "target": "-77:tg", "access_permission": "SPACE"});
        assert_eq!(body_of("accesses", &access, &names).unwrap_err(), "there is no permission SPACE here");
        let stranger = json!({"user": "-63:eve", "group": "-69:grp"});
        assert!(body_of("belongs", &stranger, &names).unwrap_err().contains("-63:eve"));
    }

    #[test]
    fn regular_expressions_are_noticed() {
        let target = |label: &str| json!({"target_resources": [{"type": "VERTEX", "label": label}]});
        assert_eq!(odd_label(&target("person|city")), Some("person|city"));
        assert_eq!(odd_label(&target("per.*")), Some("per.*"));
        assert_eq!(odd_label(&target("per*")), None);
    }
}
