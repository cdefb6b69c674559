//! Lowering: from calls with generic arguments, as text and bytecode give them, to the step tree.

use crate::error::{Error, ErrorKind};
use crate::tree::argument::Arguments;
use crate::tree::flat::flat;
use crate::tree::{
    Bytecode, ElementReference, Expression, Instruction, Modulator, Op, Predicate, SourceOp, Step, Strategy, Traversal,
    Value,
};
use query_value::{Direction, Scope, Text};
use std::collections::BTreeMap;

use crate::limits::NESTING_MAX;

/// Gives the values of expressions that a traversal's arguments contain.
pub trait Resolve {
    /// The value of an expression; it contains no expressions itself.
    ///
    /// # Errors
    /// The expression has no value.
    fn resolve(&mut self, expression: &Expression) -> Result<Value, ErrorKind>;
}

/// Values of variables by their names: the bindings of a request.
#[derive(Clone, Debug, Default)]
pub struct Bindings(pub BTreeMap<Text, Value>);

impl Resolve for Bindings {
    fn resolve(&mut self, expression: &Expression) -> Result<Value, ErrorKind> {
        match expression {
            Expression::Value(value) => Ok(value.clone()),
            Expression::Variable(name) => {
                self.0.get(name).cloned().ok_or_else(|| ErrorKind::Unbound { name: name.to_string() })
            }
            other => Err(ErrorKind::NotEvaluated { what: other.kind() }),
        }
    }
}

/// Lowers a traversal. Errors name the call's place where it came from text.
///
/// # Errors
/// A step does not exist, its arguments are not those it takes, or a value is missing.
pub fn lower(bytecode: &Bytecode, resolver: &mut dyn Resolve) -> Result<Traversal, Error> {
    Lowering { resolver, depth: 0 }.traversal(bytecode)
}

struct Lowering<'r> {
    resolver: &'r mut dyn Resolve,
    depth: usize,
}

impl Lowering<'_> {
    fn traversal(&mut self, bytecode: &Bytecode) -> Result<Traversal, Error> {
        let mut traversal = Traversal::default();
        for call in &bytecode.source {
            let op = self.source_op(call).map_err(|error| error.or_at(call.span))?;
            traversal.source.push(op);
        }
        let mut builder = Builder::default();
        for call in &bytecode.steps {
            self.step(call, &mut builder).map_err(|error| error.or_at(call.span))?;
        }
        traversal.steps = builder.finish()?;
        Ok(traversal)
    }

    fn source_op(&mut self, call: &Instruction) -> Result<SourceOp, Error> {
        let arguments = Arguments::new(&call.name, self.values(&call.arguments)?, 0);
        let op = SourceOp::from_call(&call.name, arguments)?;
        op.ok_or_else(|| ErrorKind::UnknownStep { name: call.name.to_string() }.into())
    }

    fn step(&mut self, call: &Instruction, builder: &mut Builder) -> Result<(), Error> {
        let values = self.values(&call.arguments)?;
        let name = call.name.as_str();
        if name == "as" {
            return Ok(builder.label(values)?);
        }
        let is_to_step = name == "to" && matches!(values.first(), Some(Value::Enum(query_value::Enum::Direction(_))));
        if crate::names::is_modulator(name) && !is_to_step {
            let is_first = !builder.is_repeat();
            let modulator = Modulator::from_call(name, Arguments::new(name, values, 0), is_first)?;
            let unknown = || ErrorKind::UnknownStep { name: name.to_owned() };
            return Ok(builder.modulate(modulator.ok_or_else(unknown)?)?);
        }
        let (canonical, implied) = canonical(name, values.len());
        let implied_count = implied.iter().len();
        let values = implied.into_iter().chain(values).collect();
        let op = Op::from_call(canonical, Arguments::new(name, values, implied_count))?;
        let op = op.filter(|op| !matches!(op, Op::Start {}));
        builder.push(Step {
            span: call.span,
            ..Step::new(op.ok_or_else(|| ErrorKind::UnknownStep { name: name.to_owned() })?)
        })?;
        Ok(())
    }

    fn values(&mut self, values: &[Value]) -> Result<Vec<Value>, Error> {
        values.iter().map(|value| self.value(value)).collect()
    }

    fn value(&mut self, value: &Value) -> Result<Value, Error> {
        if self.depth >= NESTING_MAX {
            let kind = ErrorKind::TooLarge { what: "nested values", limit: "NESTING_MAX", max: NESTING_MAX };
            return Err(kind.into());
        }
        self.depth += 1;
        let lowered = self.value_inside(value);
        self.depth -= 1;
        lowered
    }

    fn value_inside(&mut self, value: &Value) -> Result<Value, Error> {
        Ok(match value {
            Value::Deferred(expression) => self.resolver.resolve(expression)?,
            Value::Bytecode(bytecode) => Value::Traversal(Box::new(self.traversal(bytecode)?)),
            Value::List(items) => Value::List(self.values(items)?),
            Value::Set(items) => Value::Set(self.values(items)?),
            Value::Map(pairs) => {
                let pairs = pairs.iter().map(|(key, value)| Ok((self.value(key)?, self.value(value)?)));
                Value::Map(pairs.collect::<Result<_, Error>>()?)
            }
            Value::WithCardinality(cardinality, value) => {
                Value::WithCardinality(*cardinality, Box::new(self.value(value)?))
            }
            Value::Predicate(predicate) => Value::Predicate(Box::new(self.predicate(predicate)?)),
            Value::Strategy(strategy) => {
                let options = strategy.options.iter().map(|(key, value)| Ok((key.clone(), self.value(value)?)));
                let options = options.collect::<Result<_, Error>>()?;
                Value::Strategy(Box::new(Strategy { name: strategy.name.clone(), options }))
            }
            Value::Element(element) => {
                let ElementReference { kind, id, label } = &**element;
                Value::Element(Box::new(ElementReference { kind: *kind, id: self.value(id)?, label: label.clone() }))
            }
            plain => plain.clone(),
        })
    }

    fn predicate(&mut self, predicate: &Predicate) -> Result<Predicate, Error> {
        let mut several = |predicates: &[Predicate]| -> Result<Vec<Predicate>, Error> {
            predicates.iter().map(|predicate| self.nested(predicate)).collect()
        };
        Ok(match predicate {
            Predicate::And(inner) => Predicate::and(several(inner)?),
            Predicate::Or(inner) => Predicate::or(several(inner)?),
            Predicate::Not(inner) => self.nested(inner)?.negated(),
            Predicate::Compare(comparison, value) => Predicate::Compare(*comparison, self.value(value)?),
            Predicate::Range(interval, low, high) => Predicate::Range(*interval, self.value(low)?, self.value(high)?),
            // A collection as the only argument is its items.
            Predicate::Within(values) => Predicate::Within(flat(self.values(values)?)),
            Predicate::Without(values) => Predicate::Without(flat(self.values(values)?)),
            Predicate::Text(test, value) => match self.value(value)? {
                value @ Value::Text(_) => Predicate::Text(*test, value),
                other => {
                    let step = test.name().to_owned();
                    let found = other.kind().to_owned();
                    return Err(ErrorKind::Argument { step, index: 1, expected: "a string", found }.into());
                }
            },
            Predicate::TypeOf(name) => Predicate::TypeOf(name.clone()),
        })
    }

    /// A predicate inside another, which counts as a level.
    fn nested(&mut self, predicate: &Predicate) -> Result<Predicate, Error> {
        if self.depth >= NESTING_MAX {
            let kind = ErrorKind::TooLarge { what: "nested predicates", limit: "NESTING_MAX", max: NESTING_MAX };
            return Err(kind.into());
        }
        self.depth += 1;
        let lowered = self.predicate(predicate);
        self.depth -= 1;
        lowered
    }
}

/// The operation's name for other spellings of it, and an argument that the spelling implies.
fn canonical(name: &str, given: usize) -> (&str, Option<Value>) {
    let direction = |direction: Direction| Some(Value::Enum(direction.into()));
    match name {
        "none" if given == 0 => ("discard", None),
        "store" => ("aggregate", Some(Value::Enum(Scope::Local.into()))),
        "out" => ("to", direction(Direction::Out)),
        "in" => ("to", direction(Direction::In)),
        "both" => ("to", direction(Direction::Both)),
        "outE" => ("toE", direction(Direction::Out)),
        "inE" => ("toE", direction(Direction::In)),
        "bothE" => ("toE", direction(Direction::Both)),
        "outV" => ("toV", direction(Direction::Out)),
        "inV" => ("toV", direction(Direction::In)),
        "bothV" => ("toV", direction(Direction::Both)),
        other => (other, None),
    }
}

/// Puts steps and their modulators together.
#[derive(Default)]
struct Builder {
    steps: Vec<Step>,
    /// `until()`, `emit()` and `times()` that wait for their `repeat()`.
    waiting: Vec<Modulator>,
}

impl Builder {
    fn is_repeat(&self) -> bool {
        self.waiting.is_empty() && matches!(self.steps.last(), Some(Step { op: Op::Repeat { .. }, .. }))
    }

    fn push(&mut self, mut step: Step) -> Result<(), ErrorKind> {
        if matches!(step.op, Op::Repeat { .. }) {
            step.modulators.append(&mut self.waiting);
        }
        self.no_waiting()?;
        self.steps.push(step);
        Ok(())
    }

    fn no_waiting(&self) -> Result<(), ErrorKind> {
        let missing = |modulator: &Modulator| ErrorKind::RepeatMissing { modulator: modulator.name().to_owned() };
        self.waiting.first().map_or(Ok(()), |modulator| Err(missing(modulator)))
    }

    fn label(&mut self, values: Vec<Value>) -> Result<(), ErrorKind> {
        self.no_waiting()?;
        let mut arguments = Arguments::new("as", values, 0);
        let first: Text = crate::tree::argument::Argument::take(&mut arguments)?;
        let others: Vec<Text> = crate::tree::argument::Argument::take(&mut arguments)?;
        if self.steps.is_empty() {
            self.steps.push(Step::new(Op::Start {}));
        }
        if let Some(step) = self.steps.last_mut() {
            step.labels.push(first);
            step.labels.extend(others);
        }
        Ok(())
    }

    fn modulate(&mut self, modulator: Modulator) -> Result<(), ErrorKind> {
        let is_loop = matches!(modulator, Modulator::Until { .. } | Modulator::Times { .. } | Modulator::Emit { .. });
        if is_loop && !self.is_repeat() {
            self.waiting.push(modulator);
            return Ok(());
        }
        self.no_waiting()?;
        let name = modulator.name().to_owned();
        // Properties of a new edge belong to it: its ends may come after them.
        let is_end = matches!(modulator, Modulator::From(_) | Modulator::To(_));
        let is_property = |step: &&mut Step| matches!(step.op, Op::Property { .. });
        let last = match self.steps.last_mut() {
            Some(step) if is_end && is_property(&step) => {
                let mut before = self.steps.iter_mut().rev().skip_while(is_property);
                before.next().filter(|step| matches!(step.op, Op::AddE { .. }))
            }
            last => last,
        };
        match last {
            Some(step) if modulator.fits(&step.op) => step.modulators.push(modulator),
            found => {
                let step = found.map_or("the step before".to_owned(), |step| format!("{}()", step.op.name()));
                return Err(ErrorKind::Modulator { modulator: name, step });
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Vec<Step>, ErrorKind> {
        self.no_waiting()?;
        Ok(self.steps)
    }
}
