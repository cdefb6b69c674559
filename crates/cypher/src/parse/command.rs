//! Commands about the schema and the server.

use super::Parser;
use crate::ast::{Command, Expr, Name, Requirement};
use crate::error::{Result, Span};
use crate::token::Kind;

impl Parser<'_> {
    /// A command, if it is one.
    pub(super) fn command(&mut self) -> Result<Option<Command>> {
        if self.is_word("SHOW") {
            return self.show().map(Some);
        }
        let start = self.span();
        if self.is_word("CREATE") {
            for kind in ["RANGE", "TEXT", "FULLTEXT", "VECTOR", "POINT", "LOOKUP", "BTREE"] {
                if self.peek_word(1, kind) && self.peek_word(2, "INDEX") {
                    self.at += 3;
                    return self.create_index(kind, start).map(Some);
                }
            }
            if self.peek_word(1, "INDEX") {
                self.at += 2;
                return self.create_index("RANGE", start).map(Some);
            }
            if self.peek_word(1, "CONSTRAINT") {
                self.at += 2;
                return self.create_constraint(start).map(Some);
            }
        }
        if self.is_word("DROP") && (self.peek_word(1, "INDEX") || self.peek_word(1, "CONSTRAINT")) {
            self.bump()?;
            let is_index = self.take_word("INDEX");
            if !is_index {
                self.want_word("CONSTRAINT")?;
            }
            let name = self.name("a name")?;
            let if_exists = self.take_words(&["IF", "EXISTS"]);
            return Ok(Some(Command::Drop { is_index, name, if_exists }));
        }
        Ok(None)
    }

    fn show(&mut self) -> Result<Command> {
        self.want_word("SHOW")?;
        let mut what = String::new();
        while let Kind::Word(word) = self.kind() {
            let word = word.to_ascii_uppercase();
            if ["YIELD", "WHERE", "RETURN"].contains(&word.as_str()) {
                break;
            }
            if !what.is_empty() {
                what.push(' ');
            }
            what.push_str(&word);
            self.bump()?;
        }
        if what.is_empty() {
            return Err(self.unexpected("INDEXES, CONSTRAINTS, PROCEDURES, FUNCTIONS or DATABASES"));
        }
        // `SHOW DATABASE name`
        if matches!(self.kind(), Kind::Quoted(_)) {
            let name = self.name("a name")?;
            what = what + " " + &name.text;
        }
        let (mut yields, mut filter, mut projections) = (None, None, Vec::new());
        if self.take_word("YIELD") {
            let mut taken = self.yields()?;
            let mut bounds = self.plain_projection(self.span());
            self.order_and_bounds(&mut bounds)?;
            if self.take_word("WHERE") {
                taken.filter = Some(self.expr()?);
            }
            yields = Some(taken);
            projections.push(bounds);
        } else if self.take_word("WHERE") {
            filter = Some(self.expr()?);
        }
        if self.is_word("RETURN") {
            let span = self.span();
            self.bump()?;
            projections.push(self.projection(span)?);
        }
        Ok(Command::Show { what, yields, filter, projections })
    }

    /// `[name] [IF NOT EXISTS] FOR`
    fn new_name(&mut self) -> Result<(Option<Name>, bool)> {
        let is_unnamed = self.is_words(&["IF", "NOT"]) || self.is_word("FOR") || self.is_word("ON");
        let name = if is_unnamed { None } else { Some(self.name("a name")?) };
        let if_not_exists = self.take_words(&["IF", "NOT", "EXISTS"]);
        if !self.take_word("FOR") {
            self.want_word("ON")?;
        }
        Ok((name, if_not_exists))
    }

    /// `(n:Label)` or `()-[r:TYPE]-()`.
    fn subject(&mut self) -> Result<(Option<Name>, Vec<Name>, bool)> {
        self.want_sign("(")?;
        let is_node = !self.is_sign(")");
        if !is_node {
            self.want_sign(")")?;
            self.take_sign("<");
            self.want_sign("-")?;
            self.want_sign("[")?;
        }
        let name = if self.is_name() { Some(self.name("a name")?) } else { None };
        let mut labels = Vec::new();
        if self.take_sign(":") {
            labels.push(self.name("a label")?);
            while self.take_sign("|") {
                labels.push(self.name("a label")?);
            }
        }
        if is_node {
            self.want_sign(")")?;
        } else {
            self.want_sign("]")?;
            self.want_sign("-")?;
            self.take_sign(">");
            self.want_sign("(")?;
            self.want_sign(")")?;
        }
        Ok((name, labels, is_node))
    }

    fn keys(&mut self, close: &str) -> Result<Vec<Name>> {
        let keys = self.list(|parser| {
            parser.name("a name")?;
            parser.want_sign(".")?;
            parser.name("a key")
        })?;
        self.want_sign(close)?;
        Ok(keys)
    }

    fn options(&mut self) -> Result<Option<Expr>> {
        if self.take_word("OPTIONS") { self.expr().map(Some) } else { Ok(None) }
    }

    fn create_index(&mut self, kind: &str, start: Span) -> Result<Command> {
        let (name, if_not_exists) = self.new_name()?;
        let (_, labels, is_node) = self.subject()?;
        self.want_word("ON")?;
        let keys = if kind == "LOOKUP" {
            self.take_word("EACH");
            self.expr()?;
            Vec::new()
        } else if self.take_word("EACH") {
            self.want_sign("[")?;
            self.keys("]")?
        } else {
            self.want_sign("(")?;
            self.keys(")")?
        };
        let (options, kind) = (self.options()?, kind.to_owned());
        let span = start.to(self.last_span());
        Ok(Command::CreateIndex { kind, name, if_not_exists, is_node, labels, keys, options, span })
    }

    fn create_constraint(&mut self, start: Span) -> Result<Command> {
        let (name, if_not_exists) = self.new_name()?;
        let (_, mut labels, is_node) = self.subject()?;
        let label = match labels.pop() {
            Some(label) if labels.is_empty() => label,
            _ => return Err(self.unexpected("one label")),
        };
        if !self.take_word("REQUIRE") {
            self.want_word("ASSERT")?;
        }
        let keys = if self.take_sign("(") {
            self.keys(")")?
        } else {
            self.name("a name")?;
            self.want_sign(".")?;
            vec![self.name("a key")?]
        };
        self.want_word("IS")?;
        let requirement = if self.take_words(&["NOT", "NULL"]) {
            Requirement::NotNull
        } else if self.take_sign(":") {
            self.want_sign(":")?;
            Requirement::Type(self.type_name()?)
        } else if self.take_word("TYPED") {
            Requirement::Type(self.type_name()?)
        } else {
            let _about = self.take_word("NODE") || self.take_word("RELATIONSHIP") || self.take_word("REL");
            if self.take_word("UNIQUE") {
                Requirement::Unique
            } else {
                self.want_word("KEY")?;
                Requirement::Key
            }
        };
        self.options()?;
        let span = start.to(self.last_span());
        Ok(Command::CreateConstraint { name, if_not_exists, is_node, label, keys, requirement, span })
    }
}
