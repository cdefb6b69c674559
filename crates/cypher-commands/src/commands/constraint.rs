//! `CREATE CONSTRAINT`.

use auth::{Permission, ResourceType};
use cypher_exec::{Error, ErrorKind};

use super::Commands;
use crate::arguments::Arguments;
use crate::error::{Result, error, stored};
use crate::rule::{Kind, Rule};

impl Commands<'_> {
    pub(crate) fn create_constraint(&self, arguments: &Arguments<'_>) -> Result<()> {
        let (name, may_be, on_vertices) = (arguments.optional_text(0)?, arguments.fact(1)?, arguments.fact(2)?);
        let (label, keys) = (arguments.text(3)?.to_owned(), arguments.texts(4)?);
        match arguments.text(5)? {
            "UNIQUE" => self.create_unique(&Rule::new(name, Kind::Unique, on_vertices, label, keys), may_be),
            "NOT NULL" => self.create_required(name, may_be, on_vertices, label, keys),
            "KEY" => {
                let message = "key constraints are not supported: a vertex label with primary keys has the keys of its \
                               vertices in their ids (POST {graph}/schema/vertexlabels); or require IS UNIQUE and \
                               IS NOT NULL";
                Err(error(ErrorKind::ConstraintCreationFailed, message))
            }
            of => {
                let message = format!(
                    "the type of a property ({of}) is that of its property key, which cannot be changed: declare it \
                     there (POST {{graph}}/schema/propertykeys)"
                );
                Err(error(ErrorKind::ConstraintCreationFailed, message))
            }
        }
    }

    /// A unique index label, and one by which its elements are found. It is there when all elements have been looked
    /// at, or not at all.
    fn create_unique(&self, rule: &Rule, may_be: bool) -> Result<()> {
        self.want_right(Permission::Write, ResourceType::IndexLabel, "INDEX_LABEL")?;
        let catalogue = self.graph.catalogue();
        self.check_names(&catalogue, rule)?;
        if self.is_there(&catalogue, rule, may_be)? {
            return Ok(());
        }
        let (schema, name) = (rule.schema(), &rule.name);
        let refused = |why: &str| -> Error {
            let whole = format!("Constraint( name='{name}', type='UNIQUENESS', schema={schema} )");
            error(ErrorKind::ConstraintCreationFailed, format!("Unable to create {whole}: {why}"))
        };
        let made = self.graph.jobs().create_index_label(&rule.stored(&catalogue));
        let (_, catalogue, task) = made.map_err(|failure| refused(&failure.to_string()))?;
        let failure = match task {
            0 => Ok(None),
            task => self.await_task(task).map(|task| Self::failure_of(&task)),
        };
        if !matches!(failure, Ok(None)) {
            // Nothing of it stays; where that fails too, SHOW INDEXES has it as FAILED.
            drop(self.remove_index_label(name));
        }
        if let Some(why) = failure? {
            return Err(refused(&why));
        }
        self.count(|counters| counters.constraints_added += 1);
        // One that serves for it, primary keys among them, is there already where this is refused.
        drop(self.graph.jobs().create_index_label(&rule.lookup(&catalogue)));
        Ok(())
    }

    /// Removes an index label and waits until it is gone.
    pub(crate) fn remove_index_label(&self, name: &str) -> Result<()> {
        let task = self.graph.jobs().remove_index_label(name).map_err(|failure| stored(&failure))?;
        match Self::failure_of(&self.await_task(task)?) {
            Some(why) => Err(error(ErrorKind::IndexDropFailed, format!("Unable to drop index `{name}`: {why}"))),
            None => Ok(()),
        }
    }
}
