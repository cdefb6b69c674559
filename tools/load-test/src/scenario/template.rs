//! Texts with placeholders: `${seq}`, `${vertex_id}`, `${random:1:100}` and so on.
//!
//! A template is parsed once; names that are fixed for a run are put in once ([`Template::bind`]); what is left is a
//! short list of parts that is copied together for each request.

use rand::RngExt as _;

use crate::data::{DataSet, Name, Needs};

/// Every placeholder, for error texts.
const PLACEHOLDERS: &str = "seq, run, random:LOW:HIGH, vertex_id, vertex_number, other_vertex_id, edge_id, \
     new_vertex_id, vertex_label, edge_label, link_label, name_key, indexed_name_key, age_key, city_key, date_key, \
     weight_key, check_vertex, within:STEPS, path_vertices:STEPS, rings_of_3";

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// As it stands.
    Text(Vec<u8>),
    /// A name that is fixed once the data set is known.
    Name(Name),
    /// A number that no other element of the run has.
    Seq,
    /// A random whole number, both ends included.
    Random(u64, u64),
    /// Id of a prepared vertex; the same one within an element.
    Vertex,
    /// Number of the same prepared vertex, which its properties are made from.
    VertexNumber,
    /// Id of another draw of a prepared vertex.
    OtherVertex,
    /// Id of a prepared edge.
    Edge,
    /// Number of vertices within so many steps of any vertex.
    Within(u64),
    /// Number of vertices of a shortest path from the one to the other drawn vertex, if it has at most so many steps.
    PathVertices(u64),
    /// Number of rings of three edges through any vertex.
    RingsOf3,
}

/// What was drawn for one element, so that the expected answer can refer to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Drawn {
    pub(crate) seq: u64,
    pub(crate) vertex: u64,
    pub(crate) other_vertex: u64,
    pub(crate) edge: u64,
}

/// A parsed text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Template {
    parts: Vec<Part>,
}

impl Template {
    /// Parses a text. The error says what is wrong with which placeholder.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            push_text(&mut parts, before.as_bytes());
            let Some((placeholder, after)) = after.split_once('}') else {
                return Err(format!("\"${{{after}\" has no closing brace"));
            };
            parse_placeholder(placeholder, &mut parts)?;
            rest = after;
        }
        push_text(&mut parts, rest.as_bytes());
        Ok(Self { parts })
    }

    /// What it wants to find on the server.
    pub(crate) fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        for part in &self.parts {
            match part {
                Part::Text(_) | Part::Seq | Part::Random(..) | Part::Name(Name::Run | Name::CheckVertex) => {}
                Part::Name(Name::IndexedNameKey) => {
                    needs = Needs { schema: true, vertices: true, index: true, ..needs }
                }
                Part::Name(_) => needs.schema = true,
                Part::Vertex | Part::VertexNumber | Part::OtherVertex => {
                    needs = Needs { schema: true, vertices: true, ..needs }
                }
                Part::Edge => needs = Needs { schema: true, vertices: true, edges: true, ..needs },
                Part::Within(_) | Part::PathVertices(_) | Part::RingsOf3 => {
                    needs = Needs { schema: true, vertices: true, edges: true, network: true, ..needs }
                }
            }
        }
        needs
    }

    /// Puts in the names of a data set.
    pub(crate) fn bind(&self, data: &DataSet) -> Self {
        let mut parts = Vec::new();
        for part in &self.parts {
            match part {
                Part::Name(name) => push_text(&mut parts, data.name(*name).as_bytes()),
                Part::Text(text) => push_text(&mut parts, text),
                other => parts.push(other.clone()),
            }
        }
        Self { parts }
    }

    pub(crate) fn uses(&self, wanted: &Part) -> bool {
        self.parts.contains(wanted)
    }

    /// The same with a fixed text before it.
    pub(crate) fn after(self, prefix: &[u8]) -> Self {
        let mut parts = Vec::with_capacity(self.parts.len() + 1);
        push_text(&mut parts, prefix);
        for part in self.parts {
            match part {
                Part::Text(text) => push_text(&mut parts, &text),
                other => parts.push(other),
            }
        }
        Self { parts }
    }

    /// The text itself, if there is nothing to put in.
    pub(crate) fn constant(&self) -> Option<&[u8]> {
        match self.parts.as_slice() {
            [] => Some(b""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Appends the text with everything put in. With `in_path`, ids are escaped.
    pub(crate) fn render(
        &self,
        drawn: Drawn,
        data: &DataSet,
        in_path: bool,
        rng: &mut impl rand::Rng,
        out: &mut Vec<u8>,
    ) {
        let mut digits = itoa::Buffer::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => out.extend_from_slice(text),
                Part::Seq => out.extend_from_slice(digits.format(drawn.seq).as_bytes()),
                Part::Random(low, high) => {
                    out.extend_from_slice(digits.format(rng.random_range(*low..=*high)).as_bytes());
                }
                Part::Vertex => data.vertex_id(drawn.vertex, out),
                Part::VertexNumber => out.extend_from_slice(digits.format(drawn.vertex).as_bytes()),
                Part::OtherVertex => data.vertex_id(drawn.other_vertex, out),
                Part::Edge => data.edge_id(drawn.edge, in_path, out),
                Part::Within(_) | Part::PathVertices(_) | Part::RingsOf3 => {
                    let known = data.network().map_or(0, |network| match part {
                        Part::Within(steps) => network.within(*steps),
                        Part::PathVertices(steps) => network.path_vertices(drawn.vertex, drawn.other_vertex, *steps),
                        _ => network.rings_of_3(),
                    });
                    out.extend_from_slice(digits.format(known).as_bytes());
                }
                // Bound templates have none.
                Part::Name(_) => {}
            }
        }
    }
}

fn push_text(parts: &mut Vec<Part>, text: &[u8]) {
    match parts.last_mut() {
        Some(Part::Text(last)) => last.extend_from_slice(text),
        _ if text.is_empty() => {}
        _ => parts.push(Part::Text(text.to_vec())),
    }
}

fn parse_placeholder(text: &str, parts: &mut Vec<Part>) -> Result<(), String> {
    let part = match text {
        "seq" => Part::Seq,
        "vertex_id" => Part::Vertex,
        "vertex_number" => Part::VertexNumber,
        "other_vertex_id" => Part::OtherVertex,
        "edge_id" => Part::Edge,
        "new_vertex_id" => {
            parts.push(Part::Name(Name::NewVertexPrefix));
            Part::Seq
        }
        "run" => Part::Name(Name::Run),
        "vertex_label" => Part::Name(Name::VertexLabel),
        "edge_label" => Part::Name(Name::EdgeLabel),
        "link_label" => Part::Name(Name::LinkLabel),
        "name_key" => Part::Name(Name::PersonNameKey),
        "indexed_name_key" => Part::Name(Name::IndexedNameKey),
        "rings_of_3" => Part::RingsOf3,
        "age_key" => Part::Name(Name::AgeKey),
        "city_key" => Part::Name(Name::CityKey),
        "date_key" => Part::Name(Name::DateKey),
        "weight_key" => Part::Name(Name::WeightKey),
        "check_vertex" => Part::Name(Name::CheckVertex),
        _ if text.starts_with("within:") || text.starts_with("path_vertices:") => {
            let (name, steps) = text.split_once(':').unwrap_or_default();
            let steps =
                steps.parse().map_err(|_| format!("${{{text}}}: expected a number of steps, as ${{{name}:2}}"))?;
            if name == "within" { Part::Within(steps) } else { Part::PathVertices(steps) }
        }
        _ => match text.strip_prefix("random:").and_then(|range| range.split_once(':')) {
            Some((low, high)) => match (low.parse(), high.parse()) {
                (Ok(low), Ok(high)) if low <= high => Part::Random(low, high),
                _ => {
                    return Err(format!(
                        "${{{text}}}: expected two whole numbers, the lower one first, as ${{random:1:100}}"
                    ));
                }
            },
            None => return Err(format!("${{{text}}} is no placeholder; there are {PLACEHOLDERS}")),
        },
    };
    parts.push(part);
    Ok(())
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rand::rngs::SmallRng;

    use super::*;

    fn render(text: &str, in_path: bool) -> String {
        let data = DataSet::for_tests();
        let drawn = Drawn { seq: 7, vertex: 3, other_vertex: 4, edge: 5 };
        let mut out = Vec::new();
        Template::parse(text).unwrap().bind(&data).render(
            drawn,
            &data,
            in_path,
            &mut SmallRng::seed_from_u64(1),
            &mut out,
        );
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn everything_is_put_in() {
        assert_eq!(render("a ${seq} ${run}b{}$", false), "a 7 r1b{}$");
        assert_eq!(render("${vertex_id}/${other_vertex_id}/${new_vertex_id}", false), "r1v3/r1v4/r1n7");
        assert_eq!(render("${random:5:5} ${vertex_number}", false), "5 3");
        assert_eq!(render("${vertex_label}${check_vertex}", false), "person_r1true");
    }

    #[test]
    fn ids_are_escaped_in_paths_only() {
        assert_eq!(render("${edge_id}", false), "Sr1v5>1>1>>Sr1v6");
        assert_eq!(render("x?${edge_id}", true), "x?Sr1v5%3E1%3E1%3E%3ESr1v6");
    }

    #[test]
    fn mistakes_are_explained() {
        assert!(Template::parse("${random:9:1}").unwrap_err().contains("lower one first"));
        assert!(Template::parse("${random:a:1}").unwrap_err().contains("whole numbers"));
        assert!(Template::parse("${within:x}").unwrap_err().contains("${within:2}"));
        assert!(Template::parse("${").unwrap_err().contains("closing brace"));
        assert!(Template::parse("${id}").unwrap_err().contains("vertex_id"));
    }
}
