//! `DROP INDEX` and `DROP CONSTRAINT`.

use auth::{Permission, ResourceType};
use cypher_exec::ErrorKind;

use super::Commands;
use super::required::Required;
use crate::arguments::Arguments;
use crate::effects::Note;
use crate::error::{Result, error};
use crate::rule::{INDEX_OWNER, Rule};

impl Commands<'_> {
    pub(crate) fn drop_rule(&self, arguments: &Arguments<'_>) -> Result<()> {
        let (is_index, name, may_be_missing) = (arguments.fact(0)?, arguments.text(1)?, arguments.fact(2)?);
        let catalogue = self.graph.catalogue();
        let rule = Rule::all(&catalogue).into_iter().find(|rule| rule.name == name);
        if let Some(rule) = &rule
            && rule.is_constraint() != is_index
        {
            self.want_right(Permission::Delete, ResourceType::IndexLabel, "INDEX_LABEL")?;
            self.remove_index_label(name)?;
            if is_index {
                self.count(|counters| counters.indexes_removed += 1);
                return Ok(());
            }
            self.count(|counters| counters.constraints_removed += 1);
            let owner = format!("\"{name}\"");
            let own = catalogue.index_labels().find(|index| index.user_data.get(INDEX_OWNER) == Some(&owner));
            return own.map_or(Ok(()), |own| self.remove_index_label(&own.name));
        }
        if is_index && rule.is_some() {
            let message =
                format!("Unable to drop index: it belongs to constraint '{name}'; use DROP CONSTRAINT {name}");
            return Err(error(ErrorKind::ForbiddenOnConstraintIndex, message));
        }
        if !is_index && let Some(required) = Required::named(&catalogue, name) {
            self.drop_required(&required)?;
            self.count(|counters| counters.constraints_removed += 1);
            return Ok(());
        }
        let (what, kind) = if is_index {
            ("INDEX", ErrorKind::IndexDropFailed)
        } else {
            ("CONSTRAINT", ErrorKind::ConstraintDropFailed)
        };
        if may_be_missing {
            self.note(Note {
                code: "Neo.ClientNotification.Schema.IndexOrConstraintDoesNotExist",
                status: "00NA1",
                title: format!("`DROP {what} {name} IF EXISTS` has no effect."),
                description: format!("`{name}` does not exist."),
            });
            return Ok(());
        }
        let what = what.to_lowercase();
        Err(error(kind, format!("Unable to drop {what} called `{name}`. There is no such {what}.")))
    }
}
