//! `CREATE INDEX`.

use auth::{Permission, ResourceType};
use cypher_exec::ErrorKind;
use graph_schema::Catalogue;

use super::Commands;
use crate::arguments::Arguments;
use crate::effects::Note;
use crate::error::{Result, error, stored};
use crate::rule::{Kind, Rule};

impl Commands<'_> {
    pub(crate) fn create_index(&self, arguments: &Arguments<'_>) -> Result<()> {
        self.want_right(Permission::Write, ResourceType::IndexLabel, "INDEX_LABEL")?;
        let (kind, name) = (arguments.text(0)?, arguments.optional_text(1)?);
        let (if_not_exists, on_vertices) = (arguments.fact(2)?, arguments.fact(3)?);
        let (mut labels, keys) = (arguments.texts(4)?, arguments.texts(5)?);
        let kind = self.index_kind(kind)?;
        let (Some(label), true) = (labels.pop(), labels.is_empty()) else {
            let message = "an index is over exactly one label or type here: make one for each";
            return Err(error(ErrorKind::IndexCreationFailed, message));
        };
        if kind != Kind::Range && keys.len() != 1 {
            let message = format!("a {} index is over exactly one property here: make one for each", kind.name());
            return Err(error(ErrorKind::IndexCreationFailed, message));
        }
        let rule = Rule::new(name, kind, on_vertices, label, keys);
        let catalogue = self.graph.catalogue();
        self.check_names(&catalogue, &rule)?;
        if self.is_there(&catalogue, &rule, if_not_exists)? {
            return Ok(());
        }
        self.graph.jobs().create_index_label(&rule.stored(&catalogue)).map_err(|failure| stored(&failure))?;
        self.count(|counters| counters.indexes_added += 1);
        Ok(())
    }

    fn index_kind(&self, kind: &str) -> Result<Kind> {
        let why = match kind {
            "RANGE" => return Ok(Kind::Range),
            "TEXT" => return Ok(Kind::Text),
            "FULLTEXT" => return Ok(Kind::Fulltext),
            "LOOKUP" => "nodes and relationships are found by their labels and types without an index",
            "BTREE" => "write CREATE INDEX or CREATE TEXT INDEX",
            _ => "RANGE, TEXT and FULLTEXT indexes can be made",
        };
        Err(error(ErrorKind::IndexCreationFailed, format!("{kind} indexes are not supported: {why}")))
    }

    /// Refuses what an index or a constraint cannot be about.
    pub(crate) fn check_names(&self, catalogue: &Catalogue, rule: &Rule) -> Result<()> {
        let kind =
            if rule.is_constraint() { ErrorKind::ConstraintCreationFailed } else { ErrorKind::IndexCreationFailed };
        let refused = |message: String| Err(error(kind, message));
        let graph = self.graph.name();
        if catalogue.is_auto() {
            // Labels and keys come into being with the index.
            return match rule.kind {
                Kind::Fulltext => refused(format!(
                    "graph '{graph}' has schema.mode=auto, whose keys have no type: FULLTEXT indexes need a TEXT; \
                     RANGE and TEXT ones can be made"
                )),
                Kind::Range | Kind::Text | Kind::Unique => Ok(()),
            };
        }
        let (what, properties) = if rule.on_vertices {
            ("vertex label", catalogue.vertex_label_named(&rule.label).map(|label| &label.properties))
        } else {
            ("edge label", catalogue.edge_label_named(&rule.label).map(|label| &label.properties))
        };
        let Some(properties) = properties else {
            return refused(format!(
                "graph '{graph}' has a strict schema without the {what} '{}': create it first",
                rule.label
            ));
        };
        for key in &rule.keys {
            let is_one = catalogue.property_key_named(key).is_some_and(|key| properties.contains(&key.id));
            if !is_one {
                let label = &rule.label;
                return refused(format!("'{key}' is no property of the {what} '{label}': add it to the label first"));
            }
        }
        Ok(())
    }

    /// Whether a rule, or one that stands for it, is there, which may be; an error where it may not.
    pub(crate) fn is_there(&self, catalogue: &Catalogue, rule: &Rule, may_be: bool) -> Result<bool> {
        let all = Rule::all(catalogue);
        let alike = all.iter().find(|own| own.is_like(rule));
        let named = all.iter().find(|own| own.name == rule.name);
        let unique =
            all.iter().find(|own| own.is_constraint() && rule.kind == Kind::Range && own.is_over_the_same(rule));
        let Some(found) = alike.or(unique).or(named) else { return Ok(false) };
        if may_be {
            self.note(Note {
                code: "Neo.ClientNotification.Schema.IndexOrConstraintAlreadyExists",
                status: "00NA0",
                title: format!("`CREATE {}` has no effect.", with_condition(rule)),
                description: format!("`{}` already exists.", found.command()),
            });
            return Ok(true);
        }
        let (what, schema) = (if rule.is_constraint() { "constraint" } else { "index" }, rule.schema());
        Err(match (alike, unique) {
            (Some(alike), _) if alike.name == rule.name => {
                let kind = rule.kind.name();
                let whole = format!("( name='{}', type='{kind}', schema={schema} )", rule.name);
                let title = if rule.is_constraint() { "Constraint" } else { "Index" };
                error(ErrorKind::EquivalentRule, format!("An equivalent {what} already exists, '{title}{whole}'."))
            }
            (Some(alike), _) => {
                let kind = if rule.is_constraint() { ErrorKind::ConstraintExists } else { ErrorKind::IndexExists };
                error(kind, format!("There already exists {what} '{}' over {schema}.", alike.name))
            }
            (None, Some(_)) => {
                let message = format!(
                    "There is a uniqueness constraint on {schema}, so an index is already created that matches this."
                );
                error(ErrorKind::ConstraintExists, message)
            }
            (None, None) if found.is_constraint() => error(
                ErrorKind::ConstraintNameExists,
                format!("There already exists a constraint called '{}'.", rule.name),
            ),
            (None, None) => {
                error(ErrorKind::IndexNameExists, format!("There already exists an index called '{}'.", rule.name))
            }
        })
    }
}

/// A command with its `IF NOT EXISTS`.
fn with_condition(rule: &Rule) -> String {
    rule.command().replacen(" FOR ", " IF NOT EXISTS FOR ", 1)
}
