//! A user at one state of the records: its rights, ready to be asked.

use std::collections::HashMap;
use std::sync::Arc;

use graph_access::{Allowed, ElementRights, GraphRights, LabelRights};
use graph_schema::{Catalogue, Conditions};
use graph_store::Graph;
use parking_lot::Mutex;

use crate::ids;
use crate::records::{Document, ManagerKind};
use crate::resource::{Permission, Resource, ResourceType, is_like};

/// The user who may do everything.
pub const ADMIN: &str = "admin";

/// Reads conditions on properties as clients write them, which is not known here.
#[derive(Clone, Copy)]
pub struct ConditionReader {
    /// Whether a JSON object of names and values or predicates can be read at all.
    pub check: fn(&str) -> Result<(), String>,
    /// What they mean in a graph; `None` where they mean nothing there, such as a property it does not have.
    pub read: fn(&str, &Graph, &Catalogue) -> Option<Conditions>,
}

impl std::fmt::Debug for ConditionReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ConditionReader")
    }
}

/// Something a user may do.
#[derive(Clone, Debug, PartialEq)]
pub struct Grant {
    /// What.
    pub permission: Permission,
    /// The name of a graph, which may end in `*`.
    pub graph: String,
    /// With what in the graph.
    pub resource: Resource,
}

/// The rights on a graph by one state of its schema.
struct Compiled {
    catalogue: Arc<Catalogue>,
    rights: Arc<GraphRights>,
}

/// A user at one state of the records.
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) is_admin: bool,
    /// Looks after the graph space.
    pub(crate) is_manager: bool,
    pub(crate) password_epoch: u64,
    /// The state of the records.
    pub(crate) epoch: u64,
    grants: Vec<Grant>,
    conditions: ConditionReader,
    compiled: Mutex<HashMap<String, Compiled>>,
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Identity").field("name", &self.name).field("epoch", &self.epoch).finish_non_exhaustive()
    }
}

/// What a user may do, by its groups.
#[must_use]
pub fn grants_of(document: &Document, user_id: &str) -> Vec<Grant> {
    let mut grants = Vec::new();
    for belong in document.belongs.values().filter(|belong| belong.user == user_id) {
        grants.extend(grants_of_group(document, &belong.group));
    }
    grants
}

/// What the members of a group may do.
#[must_use]
pub(crate) fn grants_of_group(document: &Document, group_id: &str) -> Vec<Grant> {
    let mut grants = Vec::new();
    for access in document.accesses.values().filter(|access| access.group == group_id) {
        let Some(target) = document.targets.get(&access.target) else { continue };
        grants.extend(target.resources.iter().map(|resource| Grant {
            permission: access.permission,
            graph: target.graph.clone(),
            resource: resource.clone(),
        }));
    }
    grants
}

impl Identity {
    /// A user of the records; `None` where there is none of the name.
    pub(crate) fn of(document: &Document, name: &str, conditions: ConditionReader) -> Option<Self> {
        let id = ids::user(name);
        let user = document.users.get(&id)?;
        let manages = |kind| document.managers.get(&id).is_some_and(|kinds| kinds.contains(&kind));
        Some(Self {
            name: user.name.clone(),
            is_admin: name == ADMIN || manages(ManagerKind::Admin),
            is_manager: manages(ManagerKind::Space),
            password_epoch: user.password_epoch,
            epoch: document.epoch,
            grants: grants_of(document, &id),
            conditions,
            compiled: Mutex::default(),
        })
    }

    /// A user that is not in the records, with the rights of some of their groups, by the names of these. It looks
    /// after nothing.
    pub(crate) fn of_groups(document: &Document, name: &str, groups: &[String], conditions: ConditionReader) -> Self {
        let mut named: Vec<String> = groups.iter().map(|group| ids::group(group)).collect();
        named.sort_unstable();
        named.dedup();
        let groups = named.iter().filter(|id| document.groups.contains_key(*id));
        let grants = groups.flat_map(|id| grants_of_group(document, id)).collect();
        let epoch = document.epoch;
        Self { name: name.to_owned(), epoch, grants, conditions, ..Self::nobody() }
    }

    /// A user without a name and without rights.
    pub(crate) fn nobody() -> Self {
        let conditions = ConditionReader { check: |_| Ok(()), read: |_, _, _| None };
        Self {
            name: String::new(),
            is_admin: false,
            is_manager: false,
            password_epoch: 0,
            epoch: 0,
            grants: Vec::new(),
            conditions,
            compiled: Mutex::default(),
        }
    }

    /// Whether it is the same user with the same rights as another one, at whatever state of the records.
    pub(crate) fn may_as(&self, other: &Self) -> bool {
        let what = |of: &Self| (of.is_admin, of.is_manager);
        self.name == other.name && what(self) == what(other) && self.grants == other.grants
    }

    /// Whether it has a right of a kind on any graph.
    pub(crate) fn has_anywhere(&self, permission: Permission, kind: ResourceType) -> bool {
        let fits = |grant: &Grant| {
            grant.permission == permission && (grant.resource.kind == kind || grant.resource.kind.covers(kind))
        };
        self.is_admin || self.is_manager || self.grants.iter().any(fits)
    }

    /// What it may do with resources of a kind in a graph.
    pub(crate) fn grants(
        &self,
        graph: &str,
        permission: Permission,
        kind: ResourceType,
    ) -> impl Iterator<Item = &Resource> {
        static EVERYTHING: std::sync::LazyLock<Resource> =
            std::sync::LazyLock::new(|| Resource::whole(ResourceType::Root));
        let all = self.has_everything().then(|| &*EVERYTHING);
        let given = self.grants.iter().filter(move |grant| {
            grant.permission == permission
                && (grant.resource.kind == kind || grant.resource.kind.covers(kind))
                && is_like(graph, &grant.graph)
        });
        all.into_iter().chain(given.map(|grant| &grant.resource))
    }

    /// Whether it may do anything at all on a graph.
    pub(crate) fn knows(&self, graph: &str) -> bool {
        self.is_admin || self.is_manager || self.grants.iter().any(|grant| is_like(graph, &grant.graph))
    }

    /// Whether it has every right on every graph, whatever its groups say.
    pub(crate) fn has_everything(&self) -> bool {
        self.is_admin || self.is_manager
    }

    /// What it may do with the elements of a graph; `None`: everything.
    pub(crate) fn rights(&self, graph: &Graph) -> Option<Arc<GraphRights>> {
        let catalogue = graph.catalogue();
        let mut compiled = self.compiled.lock();
        if let Some(found) = compiled.get(graph.name())
            && Arc::ptr_eq(&found.catalogue, &catalogue)
        {
            return Some(Arc::clone(&found.rights));
        }
        let rights = Arc::new(self.compile(graph, &catalogue));
        let entry = Compiled { catalogue, rights: Arc::clone(&rights) };
        compiled.insert(graph.name().to_owned(), entry);
        Some(rights)
    }

    fn compile(&self, graph: &Graph, catalogue: &Catalogue) -> GraphRights {
        let elements = |permission| {
            let mut vertices = LabelRights::default();
            for resource in self.grants(graph.name(), permission, ResourceType::Vertex) {
                let labels = catalogue.vertex_labels().map(|label| (&*label.name, label.id));
                self.add(&mut vertices, resource, ResourceType::Vertex, labels, graph, catalogue);
            }
            let mut edges = LabelRights::default();
            for resource in self.grants(graph.name(), permission, ResourceType::Edge) {
                let labels = catalogue.edge_labels().map(|label| (&*label.name, label.id));
                self.add(&mut edges, resource, ResourceType::Edge, labels, graph, catalogue);
            }
            ElementRights { vertices, edges }
        };
        GraphRights {
            read: elements(Permission::Read),
            write: elements(Permission::Write),
            delete: elements(Permission::Delete),
        }
    }

    fn add<'l>(
        &self,
        rights: &mut LabelRights,
        resource: &Resource,
        kind: ResourceType,
        labels: impl Iterator<Item = (&'l str, graph_model::LabelId)>,
        graph: &Graph,
        catalogue: &Catalogue,
    ) {
        if resource.kind.covers(kind) || resource.is_whole() {
            rights.grant_all();
            return;
        }
        let allowed = if resource.is_unconditional() {
            Allowed::Whole
        } else {
            let Ok(text) = serde_json::to_string(&resource.properties) else { return };
            // Conditions that mean nothing here are met by nothing.
            let Some(conditions) = (self.conditions.read)(&text, graph, catalogue) else { return };
            Allowed::Where(vec![conditions])
        };
        for (_, label) in labels.filter(|(name, _)| resource.is_about(name)) {
            rights.grant(label, allowed.clone());
        }
    }
}
