//! `call()`: services by their names.
//!
//! There are two, those that TinkerPop's own graph has: a search for texts, and how many edges vertices have. Both read
//! what they need at each call.

use std::collections::VecDeque;

use query_plan::{Argument, Call, Expand, Node, Op, Pipeline, PropertyRead, Scan};
use query_value::{Direction, Enum, Map, Scope, Text, Value};

use crate::context::{Build, Cx, Stage};
use crate::error::{ExecError, Result};
use crate::pipe::Pipe;
use crate::traverser::Traverser;

/// The list of services.
const LIST: &str = "--list";
/// Properties whose value contains a text. Parameters: `search`, and `type` for those of `Vertex`, of `Edge` or of
/// `VertexProperty` alone.
const SEARCH: &str = "tinker.search";
/// How many edges each vertex has. Parameter: `direction`, `IN` unless it is given.
const DEGREE: &str = "tinker.degree.centrality";

pub(super) fn stage<'g>(call: &Call, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let parameters = Parameters::new(call, build)?;
    match call.service.as_deref().unwrap_or(LIST) {
        DEGREE if call.is_start => {
            Err(ExecError::evaluation(format!("{DEGREE} takes vertices: it cannot begin a query")))
        }
        DEGREE => {
            let pipe = |direction| Pipe::new(&degree(direction), build);
            let pipes = [pipe(Direction::Out)?, pipe(Direction::In)?, pipe(Direction::Both)?];
            Ok(Box::new(Degree { parameters, pipes }))
        }
        name @ (LIST | SEARCH) if !call.is_start => {
            Err(ExecError::evaluation(format!("{name} takes nothing: it must begin the query")))
        }
        LIST => Ok(Box::new(List { parameters, is_given: false })),
        SEARCH => Ok(Box::new(Search { parameters, build, text: None, pipes: VecDeque::new() })),
        other => Err(ExecError::evaluation(format!("Unrecognized service: {other}; call() lists those there are"))),
    }
}

/// What a service is told: by a map, by what a pipeline yields, and by options, which win in this order.
struct Parameters<'g> {
    map: Vec<(Value, Value)>,
    child: Option<Pipe<'g>>,
    options: Vec<(Text, Given<'g>)>,
}

enum Given<'g> {
    Value(Value),
    Child(Box<Pipe<'g>>),
}

impl<'g> Parameters<'g> {
    fn new(call: &Call, build: Build<'g>) -> Result<Self> {
        let option = |(key, argument): &(Text, Argument)| {
            let given = match argument {
                Argument::Value(value) => Given::Value(value.clone()),
                Argument::Child(child) => Given::Child(Box::new(Pipe::new(child, build)?)),
            };
            Ok((key.clone(), given))
        };
        Ok(Self {
            map: call.parameters.clone(),
            child: call.child.as_ref().map(|child| Pipe::new(child, build)).transpose()?,
            options: call.options.iter().map(option).collect::<Result<_>>()?,
        })
    }

    fn get(&mut self, cx: &mut Cx<'g>, traverser: &Traverser) -> Result<Map> {
        let mut all: Map = self.map.iter().cloned().collect();
        if let Some(child) = &mut self.child {
            match child.first(cx, traverser.single())?.map(|result| result.value) {
                None => {}
                Some(Value::Map(more)) => all.extend(more.iter().map(|(key, value)| (key.clone(), value.clone()))),
                Some(other) => {
                    let kind = other.kind();
                    return Err(ExecError::evaluation(format!("call() takes parameters as a map, found {kind}")));
                }
            }
        }
        for (key, given) in &mut self.options {
            let value = match given {
                Given::Value(value) => Some(value.clone()),
                Given::Child(pipe) => pipe.first(cx, traverser.single())?.map(|result| result.value),
            };
            if let Some(value) = value {
                all.insert(Value::String(key.clone()), value);
            }
        }
        Ok(all)
    }
}

fn parameter<'m>(map: &'m Map, key: &str) -> Option<&'m Value> {
    map.get(&Value::from(key))
}

/// The names of services.
struct List<'g> {
    parameters: Parameters<'g>,
    is_given: bool,
}

impl<'g> Stage<'g> for List<'g> {
    fn process(&mut self, _: &mut Cx<'g>, input: &mut VecDeque<Traverser>, _: &mut Vec<Traverser>) -> Result<()> {
        input.clear();
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        if !self.is_given {
            self.is_given = true;
            let start = cx.fresh(Value::Null);
            let map = self.parameters.get(cx, &start)?;
            let wanted = parameter(&map, "service").and_then(Value::as_text);
            let names = [SEARCH, DEGREE].into_iter().filter(|name| wanted.is_none_or(|wanted| wanted == *name));
            out.extend(names.map(|name| cx.fresh(Value::from(name))));
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.is_given = false;
    }
}

/// From a vertex to the number of its edges.
fn degree(direction: Direction) -> Pipeline {
    let expand = Expand { to_edges: true, properties: false, ..Expand::new(direction) };
    Pipeline::new(vec![Node::new(Op::Expand(expand), "call"), Node::new(Op::Count(Scope::Global), "call")])
}

struct Degree<'g> {
    parameters: Parameters<'g>,
    /// For edges that go out, that come in, and for both.
    pipes: [Pipe<'g>; 3],
}

impl<'g> Stage<'g> for Degree<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        for traverser in input.drain(..) {
            if !matches!(traverser.value, Value::Vertex(_)) {
                let kind = traverser.value.kind();
                return Err(ExecError::evaluation(format!("{DEGREE} takes vertices, found {kind}")));
            }
            let map = self.parameters.get(cx, &traverser)?;
            let [outgoing, incoming, both] = &mut self.pipes;
            let pipe = match parameter(&map, "direction") {
                Some(Value::Enum(Enum::Direction(Direction::Out))) => outgoing,
                None | Some(Value::Enum(Enum::Direction(Direction::In))) => incoming,
                Some(Value::Enum(Enum::Direction(Direction::Both))) => both,
                Some(other) => {
                    let kind = other.kind();
                    return Err(ExecError::evaluation(format!("{DEGREE} takes a direction, found {kind}")));
                }
            };
            let count = pipe.first(cx, traverser.single())?;
            out.extend(count.map(|count| traverser.with(count.value)));
        }
        Ok(())
    }
}

/// A search through all elements.
struct Search<'g> {
    parameters: Parameters<'g>,
    build: Build<'g>,
    /// What is looked for, once the search has begun.
    text: Option<Text>,
    /// What is left to be read.
    pipes: VecDeque<Pipe<'g>>,
}

impl<'g> Search<'g> {
    fn begin(&mut self, cx: &mut Cx<'g>) -> Result<()> {
        let start = cx.fresh(Value::Null);
        let map = self.parameters.get(cx, &start)?;
        let text = parameter(&map, "search").and_then(Value::as_text);
        let text = text.ok_or_else(|| ExecError::evaluation(format!("{SEARCH} needs the parameter search, a text")))?;
        let scan = |is_edges| Op::Scan(Scan { is_edges, is_start: true, ..Scan::default() });
        let properties = || Op::Properties(PropertyRead::Properties, Vec::new());
        let of_vertices = || vec![scan(false), properties()];
        let of_edges = || vec![scan(true), properties()];
        let of_properties = || vec![scan(false), properties(), properties()];
        let all = match parameter(&map, "type").map(Value::as_text) {
            None => vec![of_vertices(), of_edges(), of_properties()],
            Some(Some("Vertex")) => vec![of_vertices()],
            Some(Some("Edge")) => vec![of_edges()],
            Some(Some("VertexProperty")) => vec![of_properties()],
            Some(_) => {
                let message = format!("{SEARCH} takes the type Vertex, Edge or VertexProperty");
                return Err(ExecError::evaluation(message));
            }
        };
        self.text = Some(text.into());
        for ops in all {
            let nodes = ops.into_iter().map(|op| Node::new(op, "call")).collect();
            self.pipes.push_back(Pipe::new(&Pipeline::new(nodes), self.build)?);
        }
        Ok(())
    }
}

impl<'g> Stage<'g> for Search<'g> {
    fn process(&mut self, _: &mut Cx<'g>, input: &mut VecDeque<Traverser>, _: &mut Vec<Traverser>) -> Result<()> {
        input.clear();
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        if self.text.is_none() {
            self.begin(cx)?;
        }
        let Some(wanted) = &self.text else { return Ok(false) };
        while let Some(pipe) = self.pipes.front_mut() {
            while let Some(property) = pipe.next(cx)? {
                let value = match &property.value {
                    Value::VertexProperty(property) => property.value.as_text(),
                    Value::Property(property) => property.value.as_text(),
                    _ => None,
                };
                if value.is_some_and(|text| text.contains(wanted.as_str())) {
                    out.push(cx.fresh(property.value));
                    if out.len() >= cx.batch {
                        return Ok(true);
                    }
                }
            }
            self.pipes.pop_front();
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.text = None;
        self.pipes.clear();
    }
}
