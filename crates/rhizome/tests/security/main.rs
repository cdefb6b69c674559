//! What is guarded, by the real process over all of its protocols: records and quotas, tokens of an issuer, and rights
//! that are taken back while connections work.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "test code")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../oidc/tests/issuer/mod.rs"]
mod issuer;
mod oidc;
mod protocols;
mod revoked;
mod watched;

use std::path::PathBuf;

use common::Server;
use protocols::{Login, Reply, http};
use serde_json::{Value, json};

/// The password of the administrator.
const ADMIN_PASSWORD: &str = "SECRET-of-the-administrator";

/// A server with users and a record of events.
struct Guarded {
    folder: tempfile::TempDir,
    server: Server,
}

impl Guarded {
    /// Starts one with these settings (`section.key=value`), and makes a graph of one person.
    fn start(settings: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let audit = format!("audit.file={}", folder.path().join("audit.log").display());
        let mut arguments = Vec::new();
        for setting in ["auth.enabled=true", "audit.chain=true", "log.level=debug", &*audit].iter().chain(settings) {
            arguments.extend(["--set", *setting]);
        }
        let variables = [("RHIZOME_ADMIN_PASSWORD", ADMIN_PASSWORD)];
        let server = Server::start_with(&folder.path().join("data"), &arguments, &variables);
        let guarded = Self { folder, server };
        guarded.made("/graphs/hugegraph/schema/propertykeys", &json!({ "name": "name", "data_type": "TEXT" }));
        let label = json!({
            "name": "person", "properties": ["name"], "primary_keys": ["name"], "id_strategy": "PRIMARY_KEY",
        });
        guarded.made("/graphs/hugegraph/schema/vertexlabels", &label);
        let person = json!({ "label": "person", "properties": { "name": "marko" } });
        guarded.made("/graphs/hugegraph/graph/vertices", &person);
        guarded
    }

    fn audit_file(&self) -> PathBuf {
        self.folder.path().join("audit.log")
    }

    /// A request of the administrator.
    fn admin(&self, method: &str, path: &str, body: &str) -> Reply {
        http(self.server.rest(), Some(&admin()), method, path, body)
    }

    /// Has the administrator make something; its id.
    fn made(&self, path: &str, body: &Value) -> String {
        let made = self.admin("POST", path, &body.to_string());
        assert!((200..=202).contains(&made.status), "{path}: {} {}", made.status, made.body);
        made.json()["id"].as_str().unwrap_or_default().to_owned()
    }

    fn add_user(&self, name: &str, password: &str) {
        self.made("/auth/users", &json!({ "user_name": name, "user_password": password }));
    }

    /// Makes a group that may read everything and query; the ids of the group and of its rights.
    fn add_readers(&self, group: &str) -> (String, Vec<String>) {
        let id = self.made("/auth/groups", &json!({ "group_name": group }));
        let mut rights = Vec::new();
        for (permission, kind) in [("READ", "ALL"), ("EXECUTE", "GREMLIN"), ("WRITE", "TASK"), ("READ", "TASK")] {
            let name = format!("{group}-{permission}-{kind}");
            let resources = json!([{ "type": kind }]);
            let target = json!({
                "target_name": name, "target_graph": "hugegraph", "target_url": "x", "target_resources": resources,
            });
            let target = self.made("/auth/targets", &target);
            let access = json!({ "group": id, "target": target, "access_permission": permission });
            rights.push(self.made("/auth/accesses", &access));
        }
        (id, rights)
    }

    /// Adds a user to a group; the id of that.
    fn add_to(&self, user: &str, group: &str) -> String {
        self.made("/auth/belongs", &json!({ "user": format!("-31:{user}"), "group": group }))
    }

    /// The lines of the record once one of them fits.
    fn records_until(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut lines: Vec<Value> = Vec::new();
        for _ in 0..600 {
            let text = std::fs::read_to_string(self.audit_file()).unwrap();
            lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            if lines.iter().any(&fits) {
                return lines;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("{what} is not recorded: {lines:#?}")
    }

    /// Checks that nothing of these texts is in the record or in the log.
    fn assert_nothing_of(&self, secrets: &[&str]) {
        let record = std::fs::read_to_string(self.audit_file()).unwrap();
        for secret in secrets {
            assert!(!record.contains(secret), "{secret} is in the record of events");
            let log = self.server.log();
            let line = log.lines().find(|line| line.contains(secret));
            assert!(line.is_none(), "{secret} is in the log: {line:?}");
        }
    }
}

fn admin() -> Login {
    Login::password("admin", ADMIN_PASSWORD)
}

/// An id as a segment of an address.
fn segment(id: &str) -> String {
    id.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
