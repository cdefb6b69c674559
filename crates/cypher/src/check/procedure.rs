//! CALL: procedures and subqueries.

use cypher_value::{Detail, ErrorKind};

use super::clause::{Columns, same_columns};
use super::scope::{Scope, already_bound, undefined, wrong_type};
use super::transactions::writes;
use super::{Checker, Signature, Type};
use crate::ast::{Clause, Expr, Imports, Name, Part, ProcedureCall, Subquery, Yield};
use crate::error::{Error, Result, Span};

impl Checker<'_> {
    /// Checks the call of a procedure; answers the columns it yields.
    pub(super) fn call(&mut self, call: &ProcedureCall, scope: &mut Scope) -> Result<Columns> {
        let is_standalone = self.is_standalone;
        let Some(signature) = self.callables.procedure(&call.name) else {
            let message = format!("There is no procedure with the name `{}`", call.name);
            return Err(Error::new(ErrorKind::ProcedureError, Detail::ProcedureNotFound, call.span, message));
        };
        self.facts.is_write |= signature.is_write;
        self.facts.adds |= signature.is_write;
        self.facts.is_read = true;
        match &call.arguments {
            Some(arguments) => self.arguments(call, arguments, &signature, scope)?,
            None if !is_standalone && !signature.arguments.is_empty() => {
                let message = "arguments can be left out only where the call is the whole query";
                return Err(Error::syntax(Detail::InvalidArgumentPassingMode, call.span, message));
            }
            None => {
                let names = signature.arguments.iter().filter(|(_, _, is_optional)| !is_optional);
                self.facts.parameters.extend(names.map(|(name, _, _)| name.clone()));
            }
        }
        match &call.yields {
            None if is_standalone => Ok(signature.columns),
            None => Ok(Vec::new()),
            Some(yields) => self.yields(yields, &signature.columns, scope, is_standalone, call.span),
        }
    }

    fn arguments(
        &mut self,
        call: &ProcedureCall,
        arguments: &[Expr],
        signature: &Signature,
        scope: &Scope,
    ) -> Result<()> {
        let least = signature.arguments.iter().filter(|(_, _, is_optional)| !is_optional).count();
        if arguments.len() < least || arguments.len() > signature.arguments.len() {
            let message = format!("`{}` takes {least} arguments, but {} are given", call.name, arguments.len());
            return Err(Error::syntax(Detail::InvalidNumberOfArguments, call.span, message));
        }
        for (argument, (_, wanted, _)) in arguments.iter().zip(&signature.arguments) {
            let of = self.plain(argument, scope)?;
            if !of.may_be(wanted) {
                return Err(wrong_type(argument.span, wanted.name(), &of));
            }
        }
        Ok(())
    }

    fn yields(
        &mut self,
        yields: &Yield,
        columns: &Columns,
        scope: &mut Scope,
        is_standalone: bool,
        span: Span,
    ) -> Result<Columns> {
        let mut taken = Vec::new();
        if yields.has_star {
            if !is_standalone {
                let message = "YIELD * can be used only where the call is the whole query";
                return Err(Error::syntax(Detail::UnexpectedSyntax, span, message));
            }
            taken.clone_from(columns);
            for (name, of) in columns {
                scope.set(name, of.clone());
            }
        }
        for (column, name) in &yields.items {
            let found = columns.iter().find(|(own, _)| *own == column.text);
            let Some((_, of)) = found else { return Err(undefined(&column.text, column.span)) };
            scope.add(name, of.clone())?;
            taken.push((name.text.clone(), of.clone()));
        }
        if let Some(filter) = &yields.filter {
            self.condition(filter, scope)?;
        }
        Ok(taken)
    }

    pub(super) fn subquery(&mut self, subquery: &Subquery, scope: &mut Scope) -> Result<()> {
        let inner = match &subquery.imports {
            Imports::All => scope.clone(),
            Imports::Names(names) => {
                let mut inner = Scope::default();
                for name in names {
                    inner.set(&name.text, scope.want(&name.text, name.span)?.clone());
                }
                inner
            }
            Imports::With => Scope::default(),
        };
        let mut columns: Option<Columns> = None;
        for part in &subquery.query.parts {
            let own = match (&subquery.imports, part.clauses.split_first()) {
                (Imports::With, Some((Clause::With(first), rest))) => {
                    let imported = self.projection(first, scope, false, &Scope::default())?;
                    let rest = Part { clauses: rest.to_vec() };
                    self.part(&rest, imported, &Scope::default(), false)?
                }
                _ => self.part(part, inner.clone(), &inner, false)?,
            };
            same_columns(columns.as_ref().unwrap_or(&own), &own, subquery.span)?;
            columns.get_or_insert(own);
        }
        for (name, of) in columns.unwrap_or_default() {
            let name = Name { text: name, span: subquery.span };
            if scope.get(&name.text).is_some() {
                return Err(already_bound(&name));
            }
            scope.set(&name.text, of);
        }
        if let Some(transactions) = &subquery.transactions {
            self.facts.commits_between = true;
            if let Some(rows) = &transactions.rows {
                self.plain(rows, &Scope::default())?;
            }
            if let Some(report) = &transactions.report {
                scope.add(report, Type::Map)?;
            }
        }
        self.facts.is_write |= writes(&subquery.query);
        Ok(())
    }
}
