package rhizome.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rhizome.client.Server.assertRefused;
import static rhizome.client.Server.graph;
import static rhizome.client.Server.name;
import static rhizome.client.Server.schema;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.apache.hugegraph.structure.constant.Direction;
import org.apache.hugegraph.structure.constant.HugeType;
import org.apache.hugegraph.structure.constant.IndexType;
import org.apache.hugegraph.structure.constant.T;
import org.apache.hugegraph.structure.graph.Edge;
import org.apache.hugegraph.structure.graph.Vertex;
import org.apache.hugegraph.structure.schema.IndexLabel;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Index labels of every type: creation over existing data, queries by property, upkeep, refusals, removal. */
class IndexTest {

    static final String NO_INDEX = "class org.apache.hugegraph.exception.NoIndexException";

    static final String NAME = name("i_name");
    static final String CITY = name("i_city");
    static final String AGE = name("i_age");
    static final String BIO = name("i_bio");
    static final String MAIL = name("i_mail");
    static final String SINCE = name("i_since");
    static final String PERSON = name("i_person");
    static final String KNOWS = name("i_knows");

    @BeforeAll
    static void create() {
        for (String text : List.of(NAME, CITY, BIO, MAIL)) {
            schema().propertyKey(text).asText().create();
        }
        schema().propertyKey(AGE).asInt().create();
        schema().propertyKey(SINCE).asDate().create();
        schema().vertexLabel(PERSON).useCustomizeStringId().properties(NAME, CITY, AGE, BIO, MAIL)
                .nullableKeys(CITY, AGE, BIO, MAIL).create();
        Server.createEdgeLabel(schema().edgeLabel(KNOWS).link(PERSON, PERSON).properties(SINCE, AGE)
                .nullableKeys(SINCE, AGE));
        // Before any index exists: these are found through indexes that are built over them.
        person("i ann", "Ann", "Rome", 20, "likes green tea", "a@x");
        person("i bob", "Bob", "Rome", 30, "likes black coffee", "b@x");
        person("i cid", "Cid", "Oslo", 40, "drinks tea and coffee", "c@x");
        person("i dan", "Dan", "Oslo", 50, null, "d@x");
        schema().indexLabel(name("i_byCityAge")).onV(PERSON).by(CITY, AGE).secondary().create();
        schema().indexLabel(name("i_byAge")).onV(PERSON).by(AGE).range().create();
        schema().indexLabel(name("i_byBio")).onV(PERSON).by(BIO).search().create();
        schema().indexLabel(name("i_byMail")).onV(PERSON).by(MAIL).unique().create();
        schema().indexLabel(name("i_bySince")).onE(KNOWS).by(SINCE).range().create();
    }

    private static Vertex person(String id, String name, String city, Integer age, String bio, String mail) {
        Vertex vertex = new Vertex(PERSON);
        vertex.id(id);
        vertex.property(NAME, name);
        if (city != null) {
            vertex.property(CITY, city);
        }
        if (age != null) {
            vertex.property(AGE, age);
        }
        if (bio != null) {
            vertex.property(BIO, bio);
        }
        if (mail != null) {
            vertex.property(MAIL, mail);
        }
        return graph().addVertex(vertex);
    }

    private static Set<Object> found(Map<String, Object> properties) {
        return ids(graph().listVertices(PERSON, properties, -1));
    }

    private static Set<Object> ids(List<Vertex> vertices) {
        Set<Object> ids = vertices.stream().map(Vertex::id).filter(id -> id.toString().startsWith("i "))
                .collect(Collectors.toCollection(TreeSet::new));
        assertTrue(ids.size() <= vertices.size());
        return ids;
    }

    @Test
    void definitionsAreShown() {
        IndexLabel label = schema().getIndexLabel(name("i_byCityAge"));
        assertEquals(HugeType.VERTEX_LABEL, label.baseType());
        assertEquals(PERSON, label.baseValue());
        assertEquals(IndexType.SECONDARY, label.indexType());
        assertEquals(List.of(CITY, AGE), label.indexFields());
        assertEquals("CREATED", label.status());
        assertEquals(IndexType.RANGE, schema().getIndexLabel(name("i_byAge")).indexType());
        assertTrue(schema().getVertexLabel(PERSON).indexLabels().contains(name("i_byBio")));
        List<String> names = schema().getIndexLabels().stream().map(IndexLabel::name).toList();
        assertTrue(names.contains(name("i_byMail")) && names.contains(name("i_bySince")), names.toString());
    }

    @Test
    void equalityOnAPrefixAndOnAllFields() {
        assertEquals(Set.of("i ann", "i bob"), found(Map.of(CITY, "Rome")));
        assertEquals(Set.of("i bob"), found(Map.of(CITY, "Rome", AGE, 30)));
        assertEquals(Set.of(), found(Map.of(CITY, "Paris")));
    }

    @Test
    void comparisons() {
        assertEquals(Set.of("i bob", "i cid", "i dan"), found(Map.of(AGE, "P.gte(30)")));
        assertEquals(Set.of("i ann"), found(Map.of(AGE, "P.lt(30)")));
        assertEquals(Set.of("i bob"), found(Map.of(AGE, "P.between(30,40)")));
        assertEquals(Set.of("i bob", "i cid"), found(Map.of(AGE, "P.inside(20,50)")));
        assertEquals(Set.of("i cid"), found(Map.of(AGE, "P.eq(40)")));
    }

    @Test
    void severalIndexesTogether() {
        assertEquals(Set.of("i bob"), found(Map.of(CITY, "Rome", AGE, "P.gt(25)")));
        assertEquals(Set.of("i cid"), found(Map.of(CITY, "Oslo", BIO, "P.textcontains(\"tea\")")));
    }

    @Test
    void wordsOfAText() {
        assertEquals(Set.of("i ann", "i cid"), found(Map.of(BIO, "P.textcontains(\"tea\")")));
        assertEquals(Set.of("i bob", "i cid"), found(Map.of(BIO, "P.textcontains(\"coffee\")")));
    }

    @Test
    void indexesFollowTheirElements() {
        Vertex eve = person("i eve", "Eve", "Lima", 77, "plays chess", "e@x");
        assertEquals(Set.of("i eve"), found(Map.of(CITY, "Lima")));
        Vertex change = new Vertex(PERSON);
        change.id("i eve");
        change.property(CITY, "Kyiv");
        graph().appendVertexProperty(change);
        assertEquals(Set.of(), found(Map.of(CITY, "Lima")));
        assertEquals(Set.of("i eve"), found(Map.of(CITY, "Kyiv", AGE, 77)));
        graph().removeVertex(eve.id());
        assertEquals(Set.of(), found(Map.of(CITY, "Kyiv")));
    }

    @Test
    @Tag(Server.BEYOND_HUGEGRAPH)
    void nothingOfAnOverwrittenElementIsLeft() {
        person("i eva", "Eva", "Lodz", 78, "plays chess", "v@x");
        person("i eva", "Eva", "Bonn", null, null, "w@x");
        assertEquals(Set.of(), found(Map.of(CITY, "Lodz")));
        assertEquals(Set.of(), found(Map.of(AGE, 78)));
        assertEquals(Set.of(), found(Map.of(BIO, "P.textcontains(\"chess\")")));
        assertEquals(Set.of("i eva"), found(Map.of(CITY, "Bonn")));
        person("i evi", "Evi", null, null, null, "v@x");
        graph().removeVertex("i eva");
        graph().removeVertex("i evi");
    }

    @Test
    void uniqueValuesStayUnique() {
        assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> person("i fay", "Fay", null, null, null, "a@x"));
        person("i gus", "Gus", null, null, null, "g@x");
        graph().removeVertex("i gus");
        person("i hal", "Hal", null, null, null, "g@x");
        graph().removeVertex("i hal");
    }

    @Test
    @Tag(Server.BEYOND_HUGEGRAPH)
    void theHolderOfAUniqueValueMayBeWrittenAgain() {
        person("i ida", "Ida", null, null, null, "i@x");
        person("i ida", "Ida", "Nice", null, null, "i@x");
        assertEquals(Set.of("i ida"), found(Map.of(CITY, "Nice")));
        // Elements without the value do not stand in each other's way.
        person("i jon", "Jon", null, null, null, null);
        person("i joy", "Joy", null, null, null, null);
        for (String id : List.of("i ida", "i jon", "i joy")) {
            graph().removeVertex(id);
        }
    }

    @Test
    void edgesByProperty() {
        Edge old = graph().addEdge("i ann", KNOWS, "i bob", SINCE, "2020-01-01", AGE, 1);
        Edge young = graph().addEdge("i ann", KNOWS, "i cid", SINCE, "2025-01-01", AGE, 2);
        List<Edge> found = graph().listEdges(KNOWS, Map.of(SINCE, "P.gt(\"2022-01-01\")"), -1);
        assertEquals(List.of(young.id()), found.stream().map(Edge::id).toList());
        found = graph().getEdges("i ann", Direction.OUT, KNOWS, Map.of(AGE, 1), 0, 10);
        assertEquals(List.of(old.id()), found.stream().map(Edge::id).toList());
    }

    @Test
    void pagesThroughAnIndex() {
        for (int i = 0; i < 25; i++) {
            person("p" + i, "P", "Paged", 1000 + i, null, "p" + i);
        }
        Set<Object> seen = new TreeSet<>();
        List<Object> all = new ArrayList<>();
        Iterator<Vertex> vertices = graph().iterateVertices(PERSON, Map.of(CITY, "Paged"), 4);
        while (vertices.hasNext()) {
            Object id = vertices.next().id();
            seen.add(id);
            all.add(id);
        }
        assertEquals(25, seen.size());
        assertEquals(25, all.size());
        assertEquals(25, graph().listVertices(PERSON, Map.of(AGE, "P.gte(1000)"), -1).size());
    }

    @Test
    void withoutAnIndexTheQueryIsRefused() {
        assertRefused(400, NO_INDEX, () -> graph().listVertices(PERSON, Map.of(NAME, "Ann"), 10));
    }

    @Test
    void wrongDefinitionsAreRefused() {
        assertRefused(400, Server.ILLEGAL_ARGUMENT,
                () -> schema().indexLabel(name("i_bad1")).onV(PERSON).by(NAME).range().create());
        assertRefused(400, Server.ILLEGAL_ARGUMENT,
                () -> schema().indexLabel(name("i_bad2")).onV(PERSON).by(AGE).search().create());
        assertRefused(400, Server.ILLEGAL_ARGUMENT,
                () -> schema().indexLabel(name("i_bad3")).onV(PERSON).by(name("nosuch")).secondary().create());
        assertRefused(400, Server.EXISTED,
                () -> schema().indexLabel(name("i_byAge")).onV(PERSON).by(AGE).range().create());
        schema().indexLabel(name("i_byAge")).onV(PERSON).by(AGE).range().ifNotExist().create();
        assertRefused(404, Server.NOT_FOUND, () -> schema().getIndexLabel(name("nosuch")));
    }

    @Test
    void userDataAndRemoval() {
        String label = name("i_byName");
        IndexLabel created = schema().indexLabel(label).onV(PERSON).by(NAME).secondary().userdata("why", "test").create();
        assertEquals("test", created.userdata().get("why"));
        assertEquals(Set.of("i ann"), found(Map.of(NAME, "Ann")));
        schema().indexLabel(label).userdata("more", 1).append();
        assertTrue(schema().getIndexLabel(label).userdata().containsKey("more"));
        schema().indexLabel(label).userdata("why", "").eliminate();
        assertFalse(schema().getIndexLabel(label).userdata().containsKey("why"));
        schema().removeIndexLabel(label);
        assertRefused(404, Server.NOT_FOUND, () -> schema().getIndexLabel(label));
        assertRefused(400, NO_INDEX, () -> graph().listVertices(PERSON, Map.of(NAME, "Ann"), 10));
    }

    @Test
    void rebuiltAsAJob() {
        String label = name("i_rebuilt");
        String index = name("i_rebuiltByAge");
        schema().vertexLabel(label).useCustomizeStringId().properties(AGE).create();
        graph().addVertex(T.LABEL, label, T.ID, "rebuilt", AGE, 5);
        schema().indexLabel(index).onV(label).by(AGE).range().rebuild(false).create();
        assertTrue(graph().listVertices(label, Map.of(AGE, 5), 10).isEmpty(), "what was there is not indexed");
        Server.jobs().rebuild(schema().getIndexLabel(index));
        assertEquals(1, graph().listVertices(label, Map.of(AGE, 5), 10).size());
        Server.jobs().rebuild(schema().getVertexLabel(label));
        assertEquals(1, graph().listVertices(label, Map.of(AGE, 5), 10).size());
        Server.jobs().rebuild(schema().getEdgeLabel(KNOWS));
    }

    @Test
    void aRemovedLabelTakesItsIndexesAlong() {
        String label = name("i_gone");
        schema().vertexLabel(label).useCustomizeNumberId().properties(NAME).create();
        schema().indexLabel(name("i_goneByName")).onV(label).by(NAME).secondary().create();
        graph().addVertex(T.LABEL, label, T.ID, 99001, NAME, "x");
        schema().removeVertexLabel(label);
        assertRefused(404, Server.NOT_FOUND, () -> schema().getIndexLabel(name("i_goneByName")));
    }
}
