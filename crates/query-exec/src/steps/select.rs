//! What looks at labels, maps and paths.

use query_plan::{By, Op, Text};
use query_value::{Map, Path, Pop, Value};

use super::each::each;
use super::filter::part;
use crate::by::{ByEval, by_turn, column, scoped};
use crate::context::{Build, Cx, Stage};
use crate::error::{ExecError, Result};
use crate::pipe::Pipe;
use crate::traverser::Traverser;

pub(super) fn stage<'g>(op: &Op, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    Ok(match op {
        Op::Select(pop, labels, by) => select(*pop, labels, by, build)?,
        Op::SelectColumn(side) => {
            let side = *side;
            each(false, move |_, traverser, out| {
                out.push(traverser.with(column(side, &traverser.value)?));
                Ok(())
            })
        }
        Op::SelectChild(pop, child, by) => {
            let (pop, mut pipe, mut by) = (*pop, Pipe::new(child, build)?, ByEval::all(by, build)?);
            each(false, move |cx, traverser, out| {
                let Some(key) = pipe.first(cx, traverser.single())? else { return Ok(()) };
                let found = match (&traverser.value, &key.value) {
                    (Value::Map(map), key) if map.contains_key(key) => map.get(key).cloned(),
                    (_, Value::String(label)) => scoped(cx, pop.or(Some(Pop::Last)), label, &traverser)?,
                    _ => None,
                };
                if let Some(value) = found
                    && let Some(value) = by_turn(&mut by, 0, cx, &traverser, value)?
                {
                    out.push(traverser.with(value));
                }
                Ok(())
            })
        }
        Op::Project(keys, by) => project(keys, by, build)?,
        Op::Path(place, by) => {
            let (place, mut by) = (place.clone(), ByEval::all(by, build)?);
            each(false, move |cx, traverser, out| {
                let mut path = Path::default();
                for (at, node) in part(traverser.path(), &place).into_iter().enumerate() {
                    let value = by_turn(&mut by, at, cx, &traverser, node.value.clone())?;
                    let Some(value) = value else { return Ok(()) };
                    let labels = node.labels.as_ref().map(|labels| labels.to_vec()).unwrap_or_default();
                    path.push(value, labels);
                }
                out.push(traverser.with(Value::from(path)));
                Ok(())
            })
        }
        _ => return Err(ExecError::unsupported("not a selection")),
    })
}

fn select<'g>(pop: Option<Pop>, labels: &[Text], by: &[By], build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let (labels, mut by) = (labels.to_vec(), ByEval::all(by, build)?);
    let pop = pop.or(Some(Pop::Last));
    Ok(each(false, move |cx, traverser, out| {
        if let [label] = labels.as_slice() {
            if let Some(value) = scoped(cx, pop, label, &traverser)?
                && let Some(value) = by_turn(&mut by, 0, cx, &traverser, value)?
            {
                out.push(traverser.with(value));
            }
            return Ok(());
        }
        let mut map = Map::new();
        for (at, label) in labels.iter().enumerate() {
            let Some(value) = scoped(cx, pop, label, &traverser)? else { return Ok(()) };
            let Some(value) = by_turn(&mut by, at, cx, &traverser, value)? else { return Ok(()) };
            map.insert(Value::String(label.clone()), value);
        }
        out.push(traverser.with(Value::from(map)));
        Ok(())
    }))
}

fn project<'g>(keys: &[Text], by: &[By], build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let (keys, mut by) = (keys.to_vec(), ByEval::all(by, build)?);
    let loads = by.iter().any(ByEval::reads);
    let make = move |cx: &mut Cx<'g>, traverser: Traverser, out: &mut Vec<Traverser>| {
        let mut map = Map::new();
        for (at, key) in keys.iter().enumerate() {
            let value = match crate::by::turn(&mut by, at) {
                None => Some(traverser.value.clone()),
                Some(by) => by.get(cx, &traverser)?,
            };
            if let Some(value) = value {
                map.insert(Value::String(key.clone()), value);
            }
        }
        out.push(traverser.with(Value::from(map)));
        Ok(())
    };
    Ok(each(loads, make))
}
