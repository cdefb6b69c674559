//! Procedures of client libraries that say what clauses say: a call of one is the clauses it stands for.
//!
//! They are those by which LangChain, GraphRAG and others write to Neo4j: `apoc.merge.node`, `apoc.merge.relationship`,
//! `apoc.create.addLabels`, `db.create.setNodeVectorProperty`, `db.create.setRelationshipVectorProperty`. What they do
//! is what `MERGE` and `SET` do, locks and counters included.

use crate::ast::{
    Body, Clause, Direction, Expr, ExprKind, Imports, Item, LabelExpr, LabelName, Name, NodePattern, Part, Pattern,
    ProcedureCall, Projection, PropertyKey, Query, RelationshipPattern, SetItem, Statement, Subquery,
};
use crate::error::Span;

/// Puts clauses in the place of the calls of a statement that say the same.
pub fn inline(statement: &mut Statement) {
    if let Body::Query(query) = &mut statement.body {
        inline_query(query);
    }
}

fn inline_query(query: &mut Query) {
    for part in &mut query.parts {
        let is_alone = part.clauses.len() == 1;
        let mut clauses = Vec::with_capacity(part.clauses.len());
        for mut clause in std::mem::take(&mut part.clauses) {
            match &mut clause {
                Clause::Call(call) => match clauses_of(call, is_alone) {
                    Some(own) => clauses.extend(own),
                    None => clauses.push(clause),
                },
                Clause::Subquery(subquery) => {
                    inline_query(&mut subquery.query);
                    clauses.push(clause);
                }
                _ => clauses.push(clause),
            }
        }
        part.clauses = clauses;
    }
}

/// Makes parts of a tree that all stand where the call stands.
#[derive(Clone, Copy)]
struct Maker {
    span: Span,
}

impl Maker {
    fn name(self, text: &str) -> Name {
        Name { text: text.to_owned(), span: self.span }
    }

    fn expr(self, kind: ExprKind) -> Expr {
        Expr { kind, span: self.span, height: 1 }
    }

    fn variable(self, name: &str) -> Expr {
        self.expr(ExprKind::Variable(name.to_owned()))
    }

    fn projection(self, items: Vec<Item>, has_star: bool, filter: Option<Expr>) -> Projection {
        Projection {
            is_distinct: false,
            has_star,
            items,
            order: Vec::new(),
            skip: None,
            limit: None,
            filter,
            is_let: false,
            span: self.span,
        }
    }

    fn node(self, name: &str, labels: Option<Expr>, properties: Option<Expr>) -> NodePattern {
        let labels = labels.map(|labels| LabelExpr::Dynamic(Box::new(labels)));
        NodePattern { name: Some(self.name(name)), labels, properties, filter: None, span: self.span }
    }

    fn add(self, target: &str, value: Expr) -> SetItem {
        SetItem::Map { target: self.name(target), value, is_added: true }
    }
}

/// The arguments of a call, named for the clauses inside.
struct Arguments {
    maker: Maker,
    items: Vec<Item>,
}

impl Arguments {
    fn import(&mut self, name: String, expr: Expr) -> Expr {
        let own = self.maker.variable(&name);
        self.items.push(Item { expr, name, has_alias: true });
        own
    }

    /// An argument as a whole.
    fn whole(&mut self, at: usize, expr: &Expr) -> Expr {
        self.import(format!("~{at}"), expr.clone())
    }

    /// A map: where its keys are written out they stay so, and nodes are found by them.
    fn map(&mut self, at: usize, expr: &Expr) -> Expr {
        let ExprKind::Map(pairs) = &expr.kind else { return self.whole(at, expr) };
        let pairs = pairs.iter().map(|(key, value)| (key.clone(), self.import(format!("~{at}.{key}"), value.clone())));
        let pairs = pairs.collect();
        self.maker.expr(ExprKind::Map(pairs))
    }
}

/// The clauses that a call stands for; none where it stands for itself.
fn clauses_of(call: &ProcedureCall, is_alone: bool) -> Option<Vec<Clause>> {
    let maker = Maker { span: call.span };
    let given = call.arguments.as_deref()?;
    let mut arguments = Arguments { maker, items: Vec::new() };
    let (column, mut inner) = match (call.name.to_lowercase().as_str(), given) {
        ("apoc.merge.node" | "apoc.merge.node.eager", [labels, identity, rest @ ..]) if rest.len() <= 2 => {
            let labels = arguments.whole(0, labels);
            let identity = arguments.map(1, identity);
            let pattern = Pattern {
                name: None,
                shortest: None,
                start: maker.node("~made", Some(labels), Some(identity)),
                steps: Vec::new(),
                span: call.span,
            };
            ("node", vec![merge(pattern, &mut arguments, rest.first(), rest.get(1))])
        }
        (
            "apoc.merge.relationship" | "apoc.merge.relationship.eager",
            [start, kind, identity, made, end, rest @ ..],
        ) if rest.len() <= 1 => {
            let kind = arguments.whole(1, kind);
            let identity = arguments.map(2, identity);
            arguments.import("~start".to_owned(), start.clone());
            arguments.import("~end".to_owned(), end.clone());
            let step = RelationshipPattern {
                name: Some(maker.name("~made")),
                types: Some(LabelExpr::Dynamic(Box::new(kind))),
                direction: Direction::Right,
                is_double: false,
                length: None,
                repeated: None,
                properties: Some(identity),
                filter: None,
                span: call.span,
            };
            let pattern = Pattern {
                name: None,
                shortest: None,
                start: maker.node("~start", None, None),
                steps: vec![(step, maker.node("~end", None, None))],
                span: call.span,
            };
            ("rel", vec![merge(pattern, &mut arguments, Some(made), rest.first())])
        }
        ("apoc.create.addlabels", [nodes, labels]) => {
            let (nodes, labels) = (arguments.whole(0, nodes), arguments.whole(1, labels));
            let item = SetItem::Labels { target: maker.name("~made"), labels: vec![LabelName::Dynamic(labels)] };
            let each = Clause::Unwind { list: nodes, name: maker.name("~made") };
            ("node", vec![each, Clause::Set(vec![item])])
        }
        ("db.create.setnodevectorproperty" | "db.create.setrelationshipvectorproperty", [element, key, vector]) => {
            let target = arguments.import("~made".to_owned(), element.clone());
            let (key, value) = (arguments.whole(1, key), arguments.whole(2, vector));
            let key = PropertyKey::Dynamic(Box::new(key));
            ("", vec![Clause::Set(vec![SetItem::Property { target: Box::new(target), key, value }])])
        }
        _ => return None,
    };
    let mut yielded: Vec<String> = Vec::new();
    match &call.yields {
        Some(yields) if yields.has_star => yielded.push(column.to_owned()),
        Some(yields) => {
            if yields.items.iter().any(|(own, _)| own.text != column) {
                return None;
            }
            yielded.extend(yields.items.iter().map(|(_, name)| name.text.clone()));
        }
        None if is_alone && !column.is_empty() => yielded.push(column.to_owned()),
        None => {}
    }
    let items = |of: &str| {
        let own = yielded.iter().map(|name| Item { expr: maker.variable(of), name: name.clone(), has_alias: true });
        own.collect::<Vec<Item>>()
    };
    if !yielded.is_empty() {
        inner.push(Clause::Return(maker.projection(items("~made"), false, None)));
    }
    let mut clauses = vec![Clause::With(maker.projection(arguments.items, false, None))];
    clauses.append(&mut inner);
    let query = Query { parts: vec![Part { clauses }], keeps_duplicates: true, span: call.span };
    let (imports, is_optional, transactions) = (Imports::With, call.is_optional, None);
    let mut all =
        vec![Clause::Subquery(Box::new(Subquery { query, imports, is_optional, transactions, span: call.span }))];
    if let Some(filter) = call.yields.as_ref().and_then(|yields| yields.filter.clone()) {
        all.push(Clause::With(maker.projection(Vec::new(), true, Some(filter))));
    }
    if is_alone && !yielded.is_empty() {
        let own = yielded.iter().map(|name| Item { expr: maker.variable(name), name: name.clone(), has_alias: false });
        all.push(Clause::Return(maker.projection(own.collect(), false, None)));
    }
    Some(all)
}

/// `MERGE` of a pattern, with maps of what is set where it was made and where it was found.
fn merge(pattern: Pattern, arguments: &mut Arguments, made: Option<&Expr>, found: Option<&Expr>) -> Clause {
    let mut set = |at: usize, expr: Option<&Expr>| {
        let value = expr.map(|expr| arguments.whole(at, expr));
        value.map(|value| arguments.maker.add("~made", value)).into_iter().collect::<Vec<SetItem>>()
    };
    Clause::Merge { pattern, on_create: set(10, made), on_match: set(11, found) }
}
