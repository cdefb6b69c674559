//! Clauses.

use cypher_value::Detail;

use super::Parser;
use crate::ast::{
    Clause, Expr, ExprKind, Imports, Item, Match, Name, OnError, Part, ProcedureCall, Projection, PropertyKey, Query,
    RemoveItem, SetItem, SortItem, Subquery, Transactions, Yield,
};
use crate::error::{Error, Result, Span};
use crate::token::Kind;

impl Parser<'_> {
    /// Parts joined by UNION.
    pub(super) fn query(&mut self, is_inner: bool) -> Result<Query> {
        self.nested(|parser| {
            let start = parser.span();
            let mut parts = vec![parser.part(is_inner)?];
            let mut keeps: Option<bool> = None;
            while parser.is_word("UNION") {
                let span = parser.span();
                parser.bump()?;
                let is_all = parser.take_word("ALL");
                if !is_all {
                    parser.take_word("DISTINCT");
                }
                if keeps.is_some_and(|before| before != is_all) {
                    let message = "UNION and UNION ALL cannot be mixed in one query";
                    return Err(Error::syntax(Detail::InvalidClauseComposition, span, message));
                }
                keeps = Some(is_all);
                parts.push(parser.part(is_inner)?);
            }
            let span = start.to(parser.last_span());
            Ok(Query { parts, keeps_duplicates: keeps.unwrap_or(true), span })
        })
    }

    fn part(&mut self, is_inner: bool) -> Result<Part> {
        let mut clauses = Vec::new();
        loop {
            let is_end = match self.kind() {
                Kind::End => true,
                Kind::Sign(";") => !is_inner,
                Kind::Sign("}") => is_inner,
                _ => self.is_word("UNION"),
            };
            if is_end {
                break;
            }
            self.count_clause()?;
            if self.take_word("NEXT") {
                match clauses.pop() {
                    Some(Clause::Return(projection)) => clauses.push(Clause::With(projection)),
                    _ => return Err(self.unexpected("RETURN before NEXT")),
                }
                continue;
            }
            clauses.push(self.clause()?);
        }
        if clauses.is_empty() { Err(self.unexpected("a clause")) } else { Ok(Part { clauses }) }
    }

    fn clause(&mut self) -> Result<Clause> {
        let span = self.span();
        let Kind::Word(word) = self.kind() else { return Err(self.unexpected("a clause")) };
        match word.to_ascii_uppercase().as_str() {
            "MATCH" => self.match_clause(),
            "OPTIONAL" if self.peek_word(1, "CALL") => {
                self.bump()?;
                self.call_clause(true)
            }
            "OPTIONAL" => self.match_clause(),
            "UNWIND" => {
                self.bump()?;
                let list = self.expr()?;
                self.want_word("AS")?;
                Ok(Clause::Unwind { list, name: self.name("a name")? })
            }
            "FOR" => {
                self.bump()?;
                let name = self.name("a name")?;
                self.want_word("IN")?;
                Ok(Clause::Unwind { list: self.expr()?, name })
            }
            "WITH" => {
                self.bump()?;
                self.projection(span).map(Clause::With)
            }
            "RETURN" => {
                self.bump()?;
                self.projection(span).map(Clause::Return)
            }
            "ORDER" | "SKIP" | "OFFSET" | "LIMIT" => {
                let mut projection = self.plain_projection(span);
                self.order_and_bounds(&mut projection)?;
                Ok(Clause::With(projection))
            }
            "FILTER" => {
                self.bump()?;
                self.take_word("WHERE");
                let filter = Some(self.expr()?);
                Ok(Clause::With(Projection { filter, ..self.plain_projection(span) }))
            }
            "LET" => self.let_clause(span),
            "FINISH" => {
                self.bump()?;
                Ok(Clause::Finish(span))
            }
            _ => self.writing_clause(),
        }
    }

    fn writing_clause(&mut self) -> Result<Clause> {
        let Kind::Word(word) = self.kind() else { return Err(self.unexpected("a clause")) };
        match word.to_ascii_uppercase().as_str() {
            "CREATE" | "INSERT" => {
                self.bump()?;
                self.list(Self::pattern).map(Clause::Create)
            }
            "MERGE" => self.merge(),
            "SET" => {
                self.bump()?;
                self.list(Self::set_item).map(Clause::Set)
            }
            "REMOVE" => {
                self.bump()?;
                self.list(Self::remove_item).map(Clause::Remove)
            }
            "DETACH" | "NODETACH" | "DELETE" => {
                let is_detach = self.take_word("DETACH");
                self.take_word("NODETACH");
                self.want_word("DELETE")?;
                Ok(Clause::Delete { is_detach, items: self.list(Self::expr)? })
            }
            "CALL" => self.call_clause(false),
            "FOREACH" => self.nested(Self::foreach),
            "LOAD" => self.load_csv(),
            _ => Err(self.unexpected("a clause: MATCH, RETURN, WITH, CREATE, MERGE, SET, DELETE, ..")),
        }
    }

    fn match_clause(&mut self) -> Result<Clause> {
        let start = self.span();
        let is_optional = self.take_word("OPTIONAL");
        self.want_word("MATCH")?;
        if self.take_words(&["REPEATABLE", "ELEMENTS"]) {
            return self.refused("REPEATABLE ELEMENTS");
        }
        let _is_spelled_out =
            self.take_words(&["DIFFERENT", "RELATIONSHIPS"]) || self.take_words(&["DIFFERENT", "RELATIONSHIP"]);
        let patterns = self.list(Self::pattern)?;
        while self.is_word("USING") {
            self.hint()?;
        }
        let filter = if self.take_word("WHERE") { Some(self.expr()?) } else { None };
        Ok(Clause::Match(Match { is_optional, patterns, filter, span: start.to(self.last_span()) }))
    }

    /// `USING INDEX n:Label(key)`: which index to use is decided by what there is.
    fn hint(&mut self) -> Result<()> {
        self.want_word("USING")?;
        while !self.is_sign("(") && self.is_name() || self.is_sign(":") {
            if self.is_word("WHERE") || self.is_word("USING") || self.is_word("MATCH") || self.is_word("RETURN") {
                return Ok(());
            }
            self.bump()?;
        }
        if self.take_sign("(") {
            while !self.take_sign(")") {
                if *self.kind() == Kind::End {
                    return Err(self.unexpected("')'"));
                }
                self.bump()?;
            }
        }
        Ok(())
    }

    /// What follows WITH and RETURN.
    pub(super) fn projection(&mut self, start: Span) -> Result<Projection> {
        let mut projection = Projection { has_star: false, ..self.plain_projection(start) };
        projection.is_distinct = self.take_word("DISTINCT");
        if !projection.is_distinct && self.is_word("ALL") && !self.peek_sign(1, "(") {
            self.bump()?;
        }
        if self.take_sign("*") {
            projection.has_star = true;
            if self.take_sign(",") {
                projection.items = self.list(Self::item)?;
            }
        } else {
            projection.items = self.list(Self::item)?;
        }
        self.order_and_bounds(&mut projection)?;
        if self.take_word("WHERE") {
            projection.filter = Some(self.expr()?);
        }
        projection.span = start.to(self.last_span());
        Ok(projection)
    }

    pub(super) fn order_and_bounds(&mut self, projection: &mut Projection) -> Result<()> {
        if self.take_words(&["ORDER", "BY"]) {
            projection.order = self.list(Self::sort_item)?;
        }
        if self.take_word("SKIP") || self.take_word("OFFSET") {
            projection.skip = Some(self.expr()?);
        }
        if self.take_word("LIMIT") {
            projection.limit = Some(self.expr()?);
        }
        Ok(())
    }

    fn sort_item(&mut self) -> Result<SortItem> {
        let expr = self.expr()?;
        let is_descending = self.take_word("DESC") || self.take_word("DESCENDING");
        if !is_descending && !self.take_word("ASC") {
            self.take_word("ASCENDING");
        }
        Ok(SortItem { expr, is_descending })
    }

    fn let_clause(&mut self, span: Span) -> Result<Clause> {
        self.bump()?;
        let items = self.list(|parser| {
            let name = parser.name("a name")?.text;
            parser.want_sign("=")?;
            Ok(Item { expr: parser.expr()?, name, has_alias: true })
        })?;
        Ok(Clause::With(Projection { items, is_let: true, ..self.plain_projection(span) }))
    }

    fn merge(&mut self) -> Result<Clause> {
        self.want_word("MERGE")?;
        let pattern = self.pattern()?;
        let (mut on_create, mut on_match) = (Vec::new(), Vec::new());
        while self.take_word("ON") {
            let is_create = self.take_word("CREATE");
            if !is_create {
                self.want_word("MATCH")?;
            }
            self.want_word("SET")?;
            let mut items = self.list(Self::set_item)?;
            if is_create { on_create.append(&mut items) } else { on_match.append(&mut items) }
        }
        Ok(Clause::Merge { pattern, on_create, on_match })
    }

    fn set_item(&mut self) -> Result<SetItem> {
        if self.is_name() {
            match self.token(1) {
                Kind::Sign("=" | "+=") => {
                    let target = self.name("a name")?;
                    let is_added = self.take_sign("+=");
                    if !is_added {
                        self.want_sign("=")?;
                    }
                    return Ok(SetItem::Map { target, value: self.expr()?, is_added });
                }
                Kind::Sign(":") => {
                    let target = self.name("a name")?;
                    return Ok(SetItem::Labels { target, labels: self.label_names()? });
                }
                Kind::Word(word) if word.eq_ignore_ascii_case("IS") => {
                    let target = self.name("a name")?;
                    return Ok(SetItem::Labels { target, labels: self.label_names()? });
                }
                _ => {}
            }
        }
        let (target, key) = self.property_target()?;
        self.want_sign("=")?;
        Ok(SetItem::Property { target: Box::new(target), key, value: self.expr()? })
    }

    fn remove_item(&mut self) -> Result<RemoveItem> {
        let next_is = matches!(self.token(1), Kind::Word(word) if word.eq_ignore_ascii_case("IS"));
        if self.is_name() && (self.peek_sign(1, ":") || next_is) {
            let target = self.name("a name")?;
            return Ok(RemoveItem::Labels { target, labels: self.label_names()? });
        }
        let (target, key) = self.property_target()?;
        Ok(RemoveItem::Property { target, key })
    }

    /// An element and one of its keys.
    fn property_target(&mut self) -> Result<(Expr, PropertyKey)> {
        let target = self.target()?;
        match target.kind {
            ExprKind::Property(owner, key) => Ok((*owner, PropertyKey::Name(key))),
            ExprKind::Index(owner, key) => Ok((*owner, PropertyKey::Dynamic(key))),
            _ => Err(self.unexpected("a property such as n.key")),
        }
    }

    fn call_clause(&mut self, is_optional: bool) -> Result<Clause> {
        let start = self.span();
        self.want_word("CALL")?;
        if self.is_sign("{") || self.is_sign("(") {
            return self.subquery(start, is_optional);
        }
        let mut name = self.name("the name of a procedure")?.text;
        while self.take_sign(".") {
            name = name + "." + &self.name("the name of a procedure")?.text;
        }
        let arguments = if self.take_sign("(") {
            let arguments = if self.is_sign(")") { Vec::new() } else { self.list(Self::expr)? };
            self.want_sign(")")?;
            Some(arguments)
        } else {
            None
        };
        let yields = if self.take_word("YIELD") { Some(self.yields()?) } else { None };
        let span = start.to(self.last_span());
        Ok(Clause::Call(ProcedureCall { name, arguments, yields, is_optional, span }))
    }

    pub(super) fn yields(&mut self) -> Result<Yield> {
        let mut yields = Yield { has_star: false, items: Vec::new(), filter: None };
        if self.take_sign("*") {
            yields.has_star = true;
        } else if self.is_sign("-") {
            // `YIELD -`: nothing of the rows.
            self.bump()?;
        } else {
            yields.items = self.list(|parser| {
                let column = parser.name("a column")?;
                let name = if parser.take_word("AS") { parser.name("a name")? } else { column.clone() };
                Ok((column, name))
            })?;
        }
        if self.take_word("WHERE") {
            yields.filter = Some(self.expr()?);
        }
        Ok(yields)
    }

    fn subquery(&mut self, start: Span, is_optional: bool) -> Result<Clause> {
        let mut imports = Imports::With;
        if self.take_sign("(") {
            imports = if self.take_sign("*") {
                Imports::All
            } else if self.is_sign(")") {
                Imports::Names(Vec::new())
            } else {
                Imports::Names(self.list(|parser| parser.name("a name"))?)
            };
            self.want_sign(")")?;
        }
        self.want_sign("{")?;
        let query = self.query(true)?;
        self.want_sign("}")?;
        let transactions = if self.take_word("IN") { Some(self.transactions()?) } else { None };
        let span = start.to(self.last_span());
        Ok(Clause::Subquery(Box::new(Subquery { query, imports, is_optional, transactions, span })))
    }

    fn transactions(&mut self) -> Result<Transactions> {
        if !self.is_word("TRANSACTIONS") {
            if !self.is_word("CONCURRENT") {
                self.expr()?;
            }
            self.take_word("CONCURRENT");
        }
        self.want_word("TRANSACTIONS")?;
        let mut transactions = Transactions { rows: None, on_error: OnError::Fail, report: None };
        loop {
            if self.take_word("OF") {
                transactions.rows = Some(self.expr()?);
                if !self.take_word("ROWS") {
                    self.want_word("ROW")?;
                }
            } else if self.take_words(&["ON", "ERROR"]) {
                transactions.on_error = if self.take_word("CONTINUE") {
                    OnError::Continue
                } else if self.take_word("BREAK") {
                    OnError::Break
                } else {
                    self.want_word("FAIL")?;
                    OnError::Fail
                };
            } else if self.take_words(&["REPORT", "STATUS", "AS"]) {
                transactions.report = Some(self.name("a name")?);
            } else {
                return Ok(transactions);
            }
        }
    }

    fn foreach(&mut self) -> Result<Clause> {
        self.want_word("FOREACH")?;
        self.want_sign("(")?;
        let name = self.name("a name")?;
        self.want_word("IN")?;
        let list = self.expr()?;
        self.want_sign("|")?;
        let mut clauses = Vec::new();
        while !self.take_sign(")") {
            self.count_clause()?;
            clauses.push(self.writing_clause()?);
        }
        if clauses.is_empty() {
            return Err(self.unexpected("a clause that writes"));
        }
        Ok(Clause::Foreach { name, list, clauses })
    }

    fn load_csv(&mut self) -> Result<Clause> {
        self.want_word("LOAD")?;
        self.want_word("CSV")?;
        let has_headers = self.take_words(&["WITH", "HEADERS"]);
        self.want_word("FROM")?;
        let source = self.expr()?;
        self.want_word("AS")?;
        let name: Name = self.name("a name")?;
        let separator = if self.take_word("FIELDTERMINATOR") {
            let Kind::Text(text) = self.bump()?.kind else { return Err(self.unexpected("a text")) };
            Some(text)
        } else {
            None
        };
        Ok(Clause::LoadCsv { has_headers, source, name, separator })
    }
}
