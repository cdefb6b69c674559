package rhizome.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rhizome.client.Server.graph;
import static rhizome.client.Server.name;
import static rhizome.client.Server.schema;

import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import org.apache.hugegraph.structure.constant.T;
import org.apache.hugegraph.structure.graph.Vertex;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Vertices: every id strategy and data type, single and batch inserts, lists, changes, deletion, refusals. */
class VertexTest {

    static final String NAME = name("v_name");
    static final String AGE = name("v_age");
    static final String TAGS = name("v_tags");
    static final String LOG = name("v_log");
    static final String PERSON = name("v_person");
    static final String AUTOMATIC = name("v_automatic");
    static final String STRING = name("v_string");
    static final String NUMBER = name("v_number");
    static final String UUID_LABEL = name("v_uuid");

    @BeforeAll
    static void create() {
        schema().propertyKey(NAME).asText().create();
        schema().propertyKey(AGE).asInt().create();
        schema().propertyKey(TAGS).asText().valueSet().create();
        schema().propertyKey(LOG).asInt().valueList().create();
        schema().vertexLabel(PERSON).properties(NAME, AGE, TAGS, LOG).primaryKeys(NAME)
                .nullableKeys(AGE, TAGS, LOG).create();
        schema().vertexLabel(AUTOMATIC).useAutomaticId().properties(NAME).create();
        schema().vertexLabel(STRING).useCustomizeStringId().properties(NAME, AGE).nullableKeys(AGE).create();
        schema().vertexLabel(NUMBER).useCustomizeNumberId().properties(NAME).create();
        schema().vertexLabel(UUID_LABEL).useCustomizeUuidId().properties(NAME).create();
    }

    @Test
    void primaryKeyId() {
        Vertex added = graph().addVertex(T.LABEL, PERSON, NAME, "ann", AGE, 29);
        long label = schema().getVertexLabel(PERSON).id();
        assertEquals(label + ":ann", added.id());
        Vertex read = graph().getVertex(added.id());
        assertEquals(PERSON, read.label());
        assertEquals("vertex", read.type());
        assertEquals(Map.of(NAME, "ann", AGE, 29), read.properties());
    }

    @Test
    void compositePrimaryKeyId() {
        String label = name("v_composite");
        schema().vertexLabel(label).properties(NAME, AGE).primaryKeys(NAME, AGE).create();
        Vertex added = graph().addVertex(T.LABEL, label, NAME, "ann", AGE, 29);
        // Numbers inside a primary key id are written in a sortable base 64 code.
        assertEquals(schema().getVertexLabel(label).id() + ":ann!1T", added.id());
        assertEquals(29, graph().getVertex(added.id()).property(AGE));
        Vertex escaped = graph().addVertex(T.LABEL, label, NAME, "a!b:c", AGE, -1);
        assertEquals("a!b:c", graph().getVertex(escaped.id()).property(NAME));
    }

    @Test
    void automaticId() {
        Vertex first = graph().addVertex(T.LABEL, AUTOMATIC, NAME, "one");
        Vertex second = graph().addVertex(T.LABEL, AUTOMATIC, NAME, "one");
        assertTrue(first.id() instanceof Number);
        assertNotEquals(first.id(), second.id());
        assertEquals("one", graph().getVertex(first.id()).property(NAME));
    }

    @Test
    void numberIds() {
        for (long id : new long[] {0, 1, 123456, 4_000_000_000L, Long.MAX_VALUE, -7}) {
            Vertex added = graph().addVertex(T.LABEL, NUMBER, T.ID, id, NAME, "n" + id);
            assertEquals(id, ((Number) added.id()).longValue());
            assertEquals("n" + id, graph().getVertex(id).property(NAME));
        }
    }

    @Test
    void uuidId() {
        UUID id = UUID.randomUUID();
        Vertex added = graph().addVertex(T.LABEL, UUID_LABEL, T.ID, id, NAME, "u");
        assertEquals(id.toString(), added.id());
        assertEquals("u", graph().getVertex(id).property(NAME));
    }

    @Test
    void numberAndTextIdsDiffer() {
        String text = "77123";
        graph().addVertex(T.LABEL, STRING, T.ID, text, NAME, "text");
        graph().addVertex(T.LABEL, NUMBER, T.ID, 77123L, NAME, "number");
        assertEquals("text", graph().getVertex(text).property(NAME));
        assertEquals("number", graph().getVertex(77123L).property(NAME));
    }

    /** Characters that mean something in a URL, in JSON or in ids, and text of several languages. */
    @ParameterizedTest
    @ValueSource(strings = {"plain", "with blank", "a:b", "a!b", "a>b", "a&b=c", "a+b", "a'b",
            "\u00e9t\u00e9", "\u4e2d\u6587", "\ud83d\ude80", "a,b", "(a)", "a@b.c", "~a", "`a`"})
    void idsWithSpecialCharacters(String id) {
        Vertex added = graph().addVertex(T.LABEL, STRING, T.ID, id, NAME, "s " + id);
        assertEquals(id, added.id());
        assertEquals("s " + id, graph().getVertex(id).property(NAME));
        graph().removeVertex(id);
        Server.assertRefused(404, Server.NOT_FOUND, () -> graph().getVertex(id));
    }

    /** HugeGraph takes what follows a semicolon for a parameter, and refuses raw brackets and bars in a path. */
    @Tag(Server.BEYOND_HUGEGRAPH)
    @ParameterizedTest
    @ValueSource(strings = {"a;b", "[a]", "a|b"})
    void idsThatHugeGraphCannotRead(String id) {
        idsWithSpecialCharacters(id);
    }

    @Test
    void everyDataTypeRoundTrips() {
        UUID uuid = UUID.randomUUID();
        String blob = Base64.getEncoder().encodeToString(new byte[] {0, 1, 2, -1});
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("boolean", true);
        values.put("byte", -128);
        values.put("int", Integer.MIN_VALUE);
        values.put("long", Long.MAX_VALUE);
        values.put("float", 0.5);
        values.put("double", -1.0e-300);
        values.put("text", "\u00fc \" \\ \n");
        values.put("date", "2020-02-29 23:59:58.123");
        values.put("uuid", uuid.toString());
        values.put("blob", blob);
        schema().propertyKey(name("d_boolean")).asBoolean().create();
        schema().propertyKey(name("d_byte")).asByte().create();
        schema().propertyKey(name("d_int")).asInt().create();
        schema().propertyKey(name("d_long")).asLong().create();
        schema().propertyKey(name("d_float")).asFloat().create();
        schema().propertyKey(name("d_double")).asDouble().create();
        schema().propertyKey(name("d_text")).asText().create();
        schema().propertyKey(name("d_date")).asDate().create();
        schema().propertyKey(name("d_uuid")).asUUID().create();
        schema().propertyKey(name("d_blob")).asBlob().create();
        String[] keys = values.keySet().stream().map(key -> name("d_" + key)).toArray(String[]::new);
        String label = name("v_every_type");
        schema().vertexLabel(label).useCustomizeStringId().properties(keys).create();

        Vertex vertex = new Vertex(label);
        vertex.id(name("every"));
        values.forEach((key, value) -> vertex.property(name("d_" + key), value));
        graph().addVertex(vertex);
        Vertex read = graph().getVertex(name("every"));
        values.forEach((key, value) -> assertEquals(value, read.property(name("d_" + key)), key));
    }

    @Test
    void collections() {
        Vertex added = graph().addVertex(T.LABEL, PERSON, NAME, "collector", TAGS, List.of("a", "b", "a"),
                LOG, List.of(1, 2, 1));
        Vertex read = graph().getVertex(added.id());
        assertEquals(Set.of("a", "b"), new HashSet<>((List<?>) read.property(TAGS)));
        assertEquals(2, ((List<?>) read.property(TAGS)).size());
        assertEquals(List.of(1, 2, 1), read.property(LOG));
    }

    @Test
    void sameIdOverwrites() {
        Vertex first = graph().addVertex(T.LABEL, PERSON, NAME, "twice", AGE, 1);
        graph().addVertex(T.LABEL, PERSON, NAME, "twice");
        assertNull(graph().getVertex(first.id()).property(AGE));
    }

    @Test
    void appendAndEliminate() {
        Vertex added = graph().addVertex(T.LABEL, PERSON, NAME, "changes", TAGS, List.of("a"));
        added.property(AGE, 5);
        added.property(TAGS, List.of("b"));
        Vertex read = graph().getVertex(added.id());
        assertEquals(5, read.property(AGE));
        assertEquals(Set.of("a", "b"), new HashSet<>((List<?>) read.property(TAGS)));

        read.removeProperty(AGE);
        assertNull(graph().getVertex(added.id()).property(AGE));
        assertEquals("changes", graph().getVertex(added.id()).property(NAME));
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT,
                () -> graph().getVertex(added.id()).property(name("no_such_key"), 1));
    }

    @Test
    void batch() {
        List<Vertex> vertices = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Vertex vertex = new Vertex(STRING);
            vertex.id("batch " + i);
            vertex.property(NAME, "name " + i);
            vertices.add(vertex);
        }
        List<Vertex> added = graph().addVertices(vertices);
        assertEquals(500, added.size());
        assertEquals("batch 0", added.get(0).id());
        assertEquals("batch 499", added.get(499).id());
        assertEquals("name 250", graph().getVertex("batch 250").property(NAME));
    }

    @Test
    void batchIsAllOrNothing() {
        Vertex good = new Vertex(STRING);
        good.id(name("half_good"));
        good.property(NAME, "good");
        Vertex bad = new Vertex(STRING);
        bad.id(name("half_bad"));
        bad.property(NAME, "bad");
        bad.property(AGE, "not a number");
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> graph().addVertices(List.of(good, bad)));
        Server.assertRefused(404, Server.NOT_FOUND, () -> graph().getVertex(name("half_good")));
    }

    @Test
    void batchLimits() {
        List<Vertex> vertices = new ArrayList<>();
        for (int i = 0; i < 501; i++) {
            Vertex vertex = new Vertex(STRING);
            vertex.id("too many " + i);
            vertex.property(NAME, "x");
            vertices.add(vertex);
        }
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> graph().addVertices(vertices));
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> graph().addVertices(List.of()));
    }

    @Test
    void listByLabelWithOffsetLimitAndPages() {
        String label = name("v_listed");
        schema().vertexLabel(label).useCustomizeNumberId().properties(NAME).create();
        Set<Long> all = new HashSet<>();
        for (long id = 9000; id < 9025; id++) {
            graph().addVertex(T.LABEL, label, T.ID, id, NAME, "x");
            all.add(id);
        }
        assertEquals(all, ids(graph().listVertices(label)));
        assertEquals(10, graph().listVertices(label, 10).size());

        Set<Long> byOffset = ids(graph().listVertices(label, Map.of(), 0, 10));
        byOffset.addAll(ids(graph().listVertices(label, Map.of(), 10, 10)));
        List<Vertex> last = graph().listVertices(label, Map.of(), 20, 10);
        assertEquals(5, last.size());
        byOffset.addAll(ids(last));
        assertEquals(all, byOffset);

        List<Vertex> paged = new ArrayList<>();
        Iterator<Vertex> pages = graph().iterateVertices(label, 10);
        pages.forEachRemaining(paged::add);
        assertEquals(25, paged.size());
        assertEquals(all, ids(paged));
    }

    @Test
    void listAll() {
        Vertex added = graph().addVertex(T.LABEL, PERSON, NAME, "listed");
        boolean found = false;
        for (Iterator<Vertex> pages = graph().iterateVertices(50); pages.hasNext();) {
            found |= pages.next().id().equals(added.id());
        }
        assertTrue(found);
        assertEquals(1, graph().listVertices(1).size());
        assertFalse(graph().listVertices(0, 5).isEmpty());
    }

    @Test
    void delete() {
        Vertex added = graph().addVertex(T.LABEL, PERSON, NAME, "deleted");
        graph().removeVertex(added.id());
        Server.assertRefused(404, Server.NOT_FOUND, () -> graph().getVertex(added.id()));
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> graph().removeVertex(added.id()));
    }

    @Test
    void refusals() {
        refuse("unknown label", T.LABEL, name("no_such_label"), NAME, "x");
        refuse("unknown key", T.LABEL, PERSON, NAME, "x", name("no_such_key"), 1);
        refuse("missing primary key", T.LABEL, PERSON, AGE, 1);
        refuse("missing mandatory property", T.LABEL, STRING, T.ID, "no name");
        refuse("number as text", T.LABEL, PERSON, NAME, "x", AGE, "29");
        refuse("fraction as int", T.LABEL, PERSON, NAME, "x", AGE, 1.5);
        refuse("text from number", T.LABEL, PERSON, NAME, 5);
        refuse("id for automatic", T.LABEL, AUTOMATIC, T.ID, 5, NAME, "x");
        refuse("id for primary key", T.LABEL, PERSON, T.ID, "1:x", NAME, "x");
        refuse("no id", T.LABEL, STRING, NAME, "x");
        refuse("number id for text", T.LABEL, STRING, T.ID, 5, NAME, "x");
        refuse("text id for number", T.LABEL, NUMBER, T.ID, "5", NAME, "x");
        refuse("not a UUID", T.LABEL, UUID_LABEL, T.ID, "not-a-uuid", NAME, "x");
    }

    private static void refuse(String what, Object... keyValues) {
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> {
            Vertex added = graph().addVertex(keyValues);
            throw new AssertionError(what + " was accepted: " + added);
        });
    }

    private static Set<Long> ids(List<Vertex> vertices) {
        Set<Long> ids = new HashSet<>();
        vertices.forEach(vertex -> ids.add(((Number) vertex.id()).longValue()));
        return ids;
    }
}
