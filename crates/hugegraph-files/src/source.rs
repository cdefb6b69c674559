//! A graph in the files of a stopped server.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use graph_model::{Edge, Vertex};
use jiff::Timestamp;
use kv::{ForeignRows, ForeignStore, KvError};
use serde_json::Value;

use crate::bytes::{Layout, Reader};
use crate::elements::{Decoder, Found};
use crate::error::FilesError;
use crate::limits::{BYTES_PER_TURN, ROWS_PER_TURN};
use crate::places::{Place, Places};
use crate::schema::Schema;
use crate::{system, users};

/// The three stores, opened.
pub struct Stores {
    /// Definitions.
    pub schema: Box<dyn ForeignStore>,
    /// Elements.
    pub graph: Box<dyn ForeignStore>,
    /// Users.
    pub system: Box<dyn ForeignStore>,
}

impl Stores {
    /// Opens all of them.
    ///
    /// # Errors
    /// What `open` reports.
    pub fn open(
        places: &Places,
        open: impl Fn(&Place) -> Result<Box<dyn ForeignStore>, KvError>,
    ) -> Result<Self, KvError> {
        Ok(Self { schema: open(&places.schema)?, graph: open(&places.graph)?, system: open(&places.system)? })
    }
}

/// A table of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementTable {
    /// Vertices.
    Vertices,
    /// Edges, each once.
    Edges,
}

/// A graph of a stopped server.
pub struct Source {
    stores: Stores,
    prefix: String,
    schema: Schema,
    decoder: Decoder,
}

impl Source {
    /// Looks a graph up and reads its definitions.
    ///
    /// # Errors
    /// [`FilesError`].
    pub fn new(stores: Stores, graphspace: &str, graph: &str) -> Result<Self, FilesError> {
        let prefix = prefix_of(&*stores.graph, graphspace, graph)?;
        let schema = Schema::read(&*stores.schema, &prefix)?;
        let layout = match schema.layout {
            Some(layout) => layout,
            None => layout_of_ids(&*stores.graph, &prefix)?,
        };
        let decoder = Decoder::new(&schema, layout, Timestamp::now().as_millisecond());
        Ok(Self { stores, prefix, schema, decoder })
    }

    /// Its definitions.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// What tells it from other graphs, and from itself after a change.
    #[must_use]
    pub fn identity(&self) -> String {
        let graph = &self.stores.graph;
        format!("{}, {}, after {} writes", graph.folder().display(), self.prefix, graph.sequence())
    }

    /// Bytes of all elements and indexes, of all graphs in the same store.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.stores.graph.bytes()
    }

    /// Its variables.
    ///
    /// # Errors
    /// That the store cannot be read.
    pub fn variables(&self) -> Result<BTreeMap<String, Value>, FilesError> {
        let mut variables = BTreeMap::new();
        let mut rows = self.stores.graph.rows(&format!("{}v", self.prefix))?;
        while let Some((key, value)) = rows.next()? {
            variables.extend(system::variable(key, value, self.decoder.layout));
        }
        Ok(variables)
    }

    /// Users, groups, targets, belongs and accesses as the REST API answers them; `None` where there are none, since
    /// authentication was never on. They are kept with one graph of the server, whichever that is.
    ///
    /// # Errors
    /// [`FilesError`].
    pub fn users(&self) -> Result<Option<[Vec<Value>; 5]>, FilesError> {
        let store = &*self.stores.system;
        for prefix in prefixes(store) {
            let records = users::read(store, &prefix, self.decoder.layout)?;
            if records.first().is_some_and(|users| !users.is_empty()) {
                return Ok(Some(records));
            }
        }
        Ok(None)
    }

    /// The rows of a table from its beginning on, for several threads.
    ///
    /// # Errors
    /// That the store cannot be read.
    pub fn rows(&self, table: ElementTable) -> Result<Rows<'_>, FilesError> {
        let letters = match table {
            ElementTable::Vertices => "v",
            ElementTable::Edges => "oe",
        };
        let name = format!("{}{letters}", self.prefix);
        let rows = self.stores.graph.rows(&name)?;
        Ok(Rows { source: self, name, rows: Mutex::new(Some(rows)) })
    }
}

/// The names of graphs in a store, as the names of their tables begin.
fn prefixes(store: &dyn ForeignStore) -> BTreeSet<String> {
    let of_vertices = store.tables().iter().filter_map(|table| table.strip_suffix('v'));
    of_vertices.filter(|prefix| prefix.ends_with('+')).map(str::to_owned).collect()
}

fn prefix_of(store: &dyn ForeignStore, graphspace: &str, graph: &str) -> Result<String, FilesError> {
    let found = prefixes(store);
    let (space, lower) = (graphspace.to_lowercase(), graph.to_lowercase());
    let names = [format!("{space}/{lower}+"), format!("{graph}+"), format!("{lower}+")];
    if let Some(name) = names.into_iter().find(|name| found.contains(name)) {
        return Ok(name);
    }
    let folder = store.folder().to_owned();
    let found: Vec<&str> = found.iter().map(|name| name.trim_end_matches('+')).collect();
    match found.is_empty() {
        true => Err(FilesError::NotThere {
            folder,
            reason: "it has no tables of vertices; a HugeGraph whose setting rocksdb.data_disks spreads its tables \
                     over several folders is not read: migrate with --from URL"
                .to_owned(),
        }),
        false => Err(FilesError::NoGraph { graph: graph.to_owned(), folder, found: found.join(", ") }),
    }
}

/// How ids are laid out where no edge label shows it: by the first id for which it matters, a text of more than 64
/// bytes.
fn layout_of_ids(store: &dyn ForeignStore, prefix: &str) -> Result<Layout, FilesError> {
    let mut rows = store.rows(&format!("{prefix}v"))?;
    while let Some((key, _)) = rows.next()? {
        if matches!(key.first(), Some(0xc0..)) {
            let fits = |layout| {
                let mut reader = Reader::new(key, layout);
                reader.id().is_ok() && reader.is_empty()
            };
            return Ok(if fits(Layout::New) { Layout::New } else { Layout::Old });
        }
    }
    Ok(Layout::New)
}

/// Rows that threads share: each row is given to one of them.
pub struct Rows<'s> {
    source: &'s Source,
    name: String,
    /// Nothing once all were read.
    rows: Mutex<Option<Box<dyn ForeignRows + 's>>>,
}

/// What a thread takes at once.
#[derive(Default)]
struct Turn {
    bytes: Vec<u8>,
    /// Lengths of keys and values.
    rows: Vec<(usize, usize)>,
}

impl Rows<'_> {
    /// Gives vertices to `take`, as long as it says so and as long as there are any. The rows must be of vertices.
    ///
    /// # Errors
    /// [`FilesError`].
    pub fn vertices(&self, take: &mut dyn FnMut(Found<Vertex>) -> ControlFlow<()>) -> Result<(), FilesError> {
        self.each(&mut |key, value| Ok(take(self.source.decoder.vertex(key, value)?)))
    }

    /// Likewise for edges.
    ///
    /// # Errors
    /// [`FilesError`].
    pub fn edges(&self, take: &mut dyn FnMut(Found<Edge>) -> ControlFlow<()>) -> Result<(), FilesError> {
        self.each(&mut |key, value| Ok(take(self.source.decoder.edge(key, value)?)))
    }

    fn each(&self, row: &mut TakeRow<'_>) -> Result<(), FilesError> {
        let mut turn = Turn::default();
        while self.fill(&mut turn)? {
            let mut rest = turn.bytes.as_slice();
            for (key_len, value_len) in &turn.rows {
                let (key, behind) = rest.split_at_checked(*key_len).unwrap_or_default();
                let (value, behind) = behind.split_at_checked(*value_len).unwrap_or_default();
                rest = behind;
                let folder = self.source.stores.graph.folder();
                let go_on = row(key, value).map_err(|reason| FilesError::row(folder, &self.name, key, reason))?;
                if go_on.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Copies the next rows; false where there are none.
    fn fill(&self, turn: &mut Turn) -> Result<bool, KvError> {
        turn.bytes.clear();
        turn.rows.clear();
        let mut shared = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(rows) = shared.as_mut() else { return Ok(false) };
        while turn.rows.len() < ROWS_PER_TURN && turn.bytes.len() < BYTES_PER_TURN {
            let Some((key, value)) = rows.next()? else {
                *shared = None;
                break;
            };
            turn.bytes.extend_from_slice(key);
            turn.bytes.extend_from_slice(value);
            turn.rows.push((key.len(), value.len()));
        }
        Ok(!turn.rows.is_empty())
    }
}

/// Takes a row, key and value; or says what is wrong with it.
type TakeRow<'a> = dyn FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>, &'static str> + 'a;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use graph_model::VertexId;
    use kv::ForeignRow;

    use super::*;
    use crate::bytes::tests::hex;

    /// Tables in memory.
    struct Memory {
        names: Vec<String>,
        tables: BTreeMap<String, BTreeMap<Vec<u8>, Vec<u8>>>,
    }

    struct MemoryRows<'m>(std::collections::btree_map::Iter<'m, Vec<u8>, Vec<u8>>);

    impl ForeignRows for MemoryRows<'_> {
        fn next(&mut self) -> Result<Option<ForeignRow<'_>>, KvError> {
            Ok(self.0.next().map(|(key, value)| (key.as_slice(), value.as_slice())))
        }
    }

    impl ForeignStore for Memory {
        fn folder(&self) -> &Path {
            Path::new("/hugegraph")
        }

        fn tables(&self) -> &[String] {
            &self.names
        }

        fn bytes(&self) -> u64 {
            1_000
        }

        fn sequence(&self) -> u64 {
            7
        }

        fn rows(&self, table: &str) -> Result<Box<dyn ForeignRows + '_>, KvError> {
            let table = self.tables.get(table).ok_or_else(|| KvError::Other { detail: format!("no table {table}") })?;
            Ok(Box::new(MemoryRows(table.iter())))
        }
    }

    fn store(tables: &[(&str, &[(&str, &str)])]) -> Box<dyn ForeignStore> {
        let rows = |rows: &[(&str, &str)]| rows.iter().map(|(key, value)| (hex(key), hex(value))).collect();
        let tables: BTreeMap<_, _> = tables.iter().map(|(name, of)| ((*name).to_owned(), rows(of))).collect();
        Box::new(Memory { names: tables.keys().cloned().collect(), tables })
    }

    /// Definitions as HugeGraph 1.7 writes them: keys `name` (TEXT) and `rank` (INT), a label `p`, edges `e`.
    fn definitions(edge: &[(&str, &str)]) -> Box<dyn ForeignStore> {
        let label = [
            ("080102", "70"),
            ("08010a", "7b7d"),
            ("08010b", "01"),
            ("080132", "03"),
            ("080133", "000208010802"),
            ("080134", "0000"),
            ("080136", "00010802"),
            ("080137", "01"),
            ("080155", "a999b800"),
            ("080156", "0800"),
        ];
        let key = |id: &str, name: &str, data_type: &str| {
            [("02", name), ("0a", "7b7d"), ("0b", "01"), ("33", "0000"), ("78", data_type), ("79", "01"), ("7a", "00")]
                .map(|(field, value)| (format!("{id}{field}"), value.to_owned()))
        };
        let keys: Vec<_> = [key("0801", "6e616d65", "08"), key("0802", "72616e6b", "04")].concat();
        let keys: Vec<(&str, &str)> = keys.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        store(&[("default/g+pk", &keys), ("default/g+vl", &label), ("default/g+el", edge), ("default/g+il", &[])])
    }

    const EDGE_17: &[(&str, &str)] = &[
        ("080102", "65"),
        ("08010b", "01"),
        ("080133", "0000"),
        ("080136", "0000"),
        ("080137", "01"),
        ("080150", "000208010801"),
        ("080151", "01"),
        ("080154", "0000"),
        ("080155", "00"),
        ("080156", "0800"),
    ];

    fn source(edge: &[(&str, &str)], vertices: &[(&str, &str)], edges: &[(&str, &str)]) -> Source {
        let stores = Stores {
            schema: definitions(edge),
            graph: store(&[("default/g+v", vertices), ("default/g+oe", edges)]),
            system: store(&[]),
        };
        Source::new(stores, "DEFAULT", "g").unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn definitions_are_those_of_the_rest_api() {
        let source = source(EDGE_17, &[], &[]);
        let [keys, labels, edges, indexes] = &source.schema().lists;
        assert_eq!(keys[1]["name"], "rank");
        assert_eq!((&keys[1]["data_type"], &keys[0]["data_type"]), (&"INT".into(), &"TEXT".into()));
        assert_eq!((&labels[0]["name"], &labels[0]["ttl"]), (&"p".into(), &86_400_000.into()));
        assert_eq!(
            (&labels[0]["id_strategy"], &labels[0]["nullable_keys"]),
            (&"CUSTOMIZE_STRING".into(), &serde_json::json!(["rank"]))
        );
        assert_eq!((&edges[0]["source_label"], &edges[0]["links"]), (&"p".into(), &serde_json::json!([{"p": "p"}])));
        assert!(indexes.is_empty());
        assert!(source.identity().contains("after 7 writes"));
    }

    #[test]
    fn elements_are_given_once_to_several_threads() {
        let rows: Vec<(String, String)> = (0..10_000)
            .map(|n| {
                (
                    format!("83{}", format!("{n:04}").bytes().map(|b| format!("{b:02x}")).collect::<String>()),
                    "080100".to_owned(),
                )
            })
            .collect();
        let rows: Vec<(&str, &str)> = rows.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let source = source(EDGE_17, &rows, &[]);
        let shared = source.rows(ElementTable::Vertices).unwrap();
        let found = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    shared
                        .vertices(&mut |vertex| {
                            let Found::Element(vertex) = vertex else { panic!() };
                            found.lock().unwrap().push(vertex.id);
                            ControlFlow::Continue(())
                        })
                        .unwrap();
                });
            }
        });
        let mut found = found.into_inner().unwrap();
        found.sort();
        let expected: Vec<VertexId> = (0..10_000).map(|n| VertexId::String(format!("{n:04}").into())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn errors_name_folder_table_and_key() {
        let source = source(EDGE_17, &[("817031", "080101")], &[]);
        let error = source.rows(ElementTable::Vertices).unwrap().vertices(&mut |_| ControlFlow::Continue(()));
        let error = error.unwrap_err().to_string();
        assert_eq!(error, "table default/g+v in /hugegraph, key 817031: it ends too early");
        let stores = Stores { schema: definitions(EDGE_17), graph: store(&[("default/g+v", &[])]), system: store(&[]) };
        let error = Source::new(stores, "DEFAULT", "other").err().unwrap().to_string();
        assert_eq!(error, "there is no graph other in /hugegraph; it has default/g");
    }

    #[test]
    fn edge_labels_tell_old_stores_from_new_ones() {
        let old: Vec<(&str, &str)> = EDGE_17
            .iter()
            .copied()
            .filter(|(key, _)| *key != "080150")
            .chain([("080152", "0801"), ("080153", "0801")])
            .collect();
        let source_old = source(&old, &[], &[("817031 82 0801 00 817032", "00")]);
        let mut edges = Vec::new();
        let rows = source_old.rows(ElementTable::Edges).unwrap();
        rows.edges(&mut |edge| {
            edges.push(edge);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert!(matches!(edges.as_slice(), [Found::Element(_)]), "{edges:?}");
        assert_eq!(source_old.schema().lists[2][0]["target_label"], "p");
        // Without edge labels, a long id does.
        for (begin, layout) in [("e3", Layout::Old), ("c063", Layout::New)] {
            let key = format!("{begin}{}", "61".repeat(100));
            assert_eq!(source(&[], &[(key.as_str(), "080100")], &[]).decoder.layout, layout);
        }
    }

    #[test]
    fn variables_and_users_are_among_other_rows() {
        let variables = source(
            EDGE_17,
            &[("817031", "080100"), ("862D39393A765F6E", "079D038FFFFFFF308FFFFFFF7F8FFFFFFF3301498FFFFFFF3403765F6E")],
            &[],
        );
        assert_eq!(variables.variables().unwrap(), BTreeMap::from([("v_n".to_owned(), (-1).into())]));
        assert_eq!(variables.users().unwrap(), None);

        // As HugeGraph 1.7 has written them, with a project and a server among them.
        let vertices: &[(&str, &str)] = &[
            ("0801", "07F10A8FFFFFFF72087365727665722D31"),
            (
                "852D36363A7031",
                "07BE088FFFFFFF40B4A1A782DF6D8FFFFFFF41B4A1A782DF6D8FFFFFFF42122D34353A70726F6A65637\
                 45F7265735F70318FFFFFFF43\
                 01718FFFFFFF440270318FFFFFFF46092D33373A6F705F70318FFFFFFF470C2D33373A61646D696E5F7\
                 0318FFFFFFF3F0561646D69\
                 6E",
            ),
            (
                "862D33313A626F62",
                "07E1088FFFFFFF620561646D696E8FFFFFFF63B4A1A782973F8FFFFFFF64B4A1A782973F8FFFFFFF650\
                 1648FFFFFFF6707624078\
                 2E6F72678FFFFFFF68033132338FFFFFFF693C24326124303424344C5A46704E68396568374B426F6F6\
                 E393056587A6570625642\
                 314C464938432E376E45764B4F4648506D696F3375763355674F658FFFFFFF6A03626F62",
            ),
            ("877365727665722D31", "07EB048FFFFFFF6CB4A1A782E0338FFFFFFF6D008FFFFFFF6ECE108FFFFFFF6F01"),
            (
                "8A2D33373A72656164657273",
                "07DB058FFFFFFF6007726561646572738FFFFFFF5C0561646D696E8FFFFFFF5DB4A1A782994C8FFFFFF\
                 F5EB4A1A782994C8FFFFFFF\
                 5F03616C6C",
            ),
            (
                "8A2D34353A706572736F6E73",
                "07D3078FFFFFFF540561646D696E8FFFFFFF55B4A1A782DC368FFFFFFF56B4A1A782DC368FFFFFFF5704\
                 5B7B7D5D8FFFFFFF580E3132372E302E302E313A383038308FFFFFFF59096875676567726170688FFFF\
                 FFF5A07706572736F6E73",
            ),
        ];
        let edges: &[(&str, &str)] = &[
            (
                "862D33313A626F62 82 07CE 07CE 00 8A2D33373A72656164657273",
                "038FFFFFFF50B4A1A782DC5D8FFFFFFF51B4A1A782DC5D8FFFFFFF4F0561646D696E",
            ),
            (
                "8A2D33373A72656164657273 82 07C8 07C8 313800 8A2D34353A706572736F6E73",
                "058FFFFFFF490561646D696E8FFFFFFF4AB4A1A782DD488FFFFFFF4BB4A1A782DD488FFFFFFF4C01788FFFFFFF4D08",
            ),
        ];
        let stores = Stores {
            schema: definitions(EDGE_17),
            graph: store(&[("default/g+v", &[]), ("default/g+oe", &[])]),
            system: store(&[("default/hugegraph+v", vertices), ("default/hugegraph+oe", edges)]),
        };
        let records = Source::new(stores, "DEFAULT", "g").unwrap_or_else(|error| panic!("{error}")).users();
        let expected = [
            serde_json::json!([{"id": "-31:bob", "user_name": "bob", "user_email": "b@x.org", "user_phone": "123",
                "user_password": "$2a$04$4LZFpNh9eh7KBoon90VXzepbVB1LFI8C.7nEvKOFHPmio3uv3UgOe",
                "user_description": "d"}]),
            serde_json::json!([{"id": "-37:readers", "group_name": "readers", "group_description": "all"}]),
            serde_json::json!([{"id": "-45:persons", "target_name": "persons", "target_graph": "hugegraph",
                "target_url": "127.0.0.1:8080", "target_resources": [{}]}]),
            serde_json::json!([{"user": "-31:bob", "group": "-37:readers"}]),
            serde_json::json!([{"group": "-37:readers", "target": "-45:persons", "access_permission": "EXECUTE",
                "access_description": "x"}]),
        ];
        assert_eq!(records.unwrap().unwrap().map(Value::Array), expected);
    }
}
