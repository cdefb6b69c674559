package rhizome.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rhizome.client.Server.graph;
import static rhizome.client.Server.name;
import static rhizome.client.Server.schema;

import java.util.List;
import java.util.Set;

import org.apache.hugegraph.structure.constant.Frequency;
import org.apache.hugegraph.structure.constant.IdStrategy;
import org.apache.hugegraph.structure.constant.T;
import org.apache.hugegraph.structure.schema.EdgeLabel;
import org.apache.hugegraph.structure.schema.VertexLabel;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Vertex labels and edge labels: create, read, list, append, eliminate, delete with the task it starts. */
class LabelTest {

    static final String NAME = name("l_name");
    static final String AGE = name("l_age");
    static final String DAY = name("l_day");
    static final String NOTE = name("l_note");
    static final String PERSON = name("l_person");
    static final String CITY = name("l_city");

    @BeforeAll
    static void create() {
        schema().propertyKey(NAME).asText().create();
        schema().propertyKey(AGE).asInt().create();
        schema().propertyKey(DAY).asText().create();
        schema().propertyKey(NOTE).asText().create();
        schema().vertexLabel(PERSON).properties(NAME, AGE).primaryKeys(NAME).nullableKeys(AGE).create();
        schema().vertexLabel(CITY).useCustomizeStringId().properties(NAME).create();
    }

    @ParameterizedTest
    @EnumSource(value = IdStrategy.class, mode = EnumSource.Mode.EXCLUDE, names = {"DEFAULT", "PRIMARY_KEY"})
    void everyIdStrategy(IdStrategy strategy) {
        String name = name("strategy_" + strategy.name());
        schema().vertexLabel(name).idStrategy(strategy).properties(NAME).create();
        VertexLabel read = schema().getVertexLabel(name);
        assertEquals(strategy, read.idStrategy());
        assertTrue(read.primaryKeys().isEmpty());
        assertEquals("CREATED", read.status());
    }

    @Test
    void defaultStrategies() {
        assertEquals(IdStrategy.PRIMARY_KEY, schema().getVertexLabel(PERSON).idStrategy());
        VertexLabel plain = schema().vertexLabel(name("strategy_plain")).properties(NAME).create();
        assertEquals(IdStrategy.AUTOMATIC, plain.idStrategy());
    }

    @Test
    void vertexLabelKeepsWhatItWasGiven() {
        String name = name("full_label");
        schema().vertexLabel(name).usePrimaryKeyId().properties(NAME, AGE, DAY, NOTE).primaryKeys(NAME, DAY)
                .nullableKeys(AGE, NOTE).ttl(86_400_000L).enableLabelIndex(false).userdata("super", "animal").create();
        VertexLabel read = schema().getVertexLabel(name);
        assertEquals(Set.of(NAME, AGE, DAY, NOTE), read.properties());
        assertEquals(List.of(NAME, DAY), read.primaryKeys());
        assertEquals(Set.of(AGE, NOTE), read.nullableKeys());
        assertEquals(86_400_000L, read.ttl());
        assertFalse(read.enableLabelIndex());
        assertEquals("animal", read.userdata().get("super"));
        assertTrue(read.indexLabels().isEmpty());
    }

    @Test
    void vertexLabelRules() {
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> schema().vertexLabel(name("no_keys"))
                .usePrimaryKeyId().properties(NAME).create());
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> schema().vertexLabel(name("keys_and_custom"))
                .useCustomizeStringId().properties(NAME).primaryKeys(NAME).create());
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> schema().vertexLabel(name("unknown_key"))
                .properties(name("no_such_key")).create());
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> schema().vertexLabel(name("nullable_primary"))
                .properties(NAME, AGE).primaryKeys(NAME).nullableKeys(NAME).create());
        Server.assertRefused(400, Server.EXISTED, () -> schema().vertexLabel(PERSON)
                .properties(NAME).primaryKeys(NAME).create());
    }

    @Test
    void appendAndEliminateVertexLabel() {
        String name = name("grows");
        schema().vertexLabel(name).properties(NAME).primaryKeys(NAME).userdata("a", 1).create();
        VertexLabel appended =
                schema().vertexLabel(name).properties(AGE).nullableKeys(AGE).userdata("b", 2).append();
        assertEquals(Set.of(NAME, AGE), appended.properties());
        assertEquals(Set.of(AGE), appended.nullableKeys());
        VertexLabel eliminated = schema().vertexLabel(name).userdata("a", "").eliminate();
        assertFalse(eliminated.userdata().containsKey("a"));
        assertEquals(2, schema().getVertexLabel(name).userdata().get("b"));
        // A new property that is not nullable would make every stored vertex invalid.
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT,
                () -> schema().vertexLabel(name).properties(DAY).append());
    }

    @Test
    void listVertexLabels() {
        List<String> all = schema().getVertexLabels().stream().map(VertexLabel::name).toList();
        assertTrue(all.containsAll(List.of(PERSON, CITY)));
        assertEquals(2, schema().getVertexLabels(List.of(PERSON, CITY)).size());
    }

    @Test
    void deleteVertexLabelWithItsVertices() {
        String name = name("short_lived");
        schema().vertexLabel(name).useCustomizeStringId().properties(NAME).create();
        String id = name("gone");
        graph().addVertex(T.LABEL, name, T.ID, id, NAME, "x");
        // Waits for the task; an error of the task is thrown here.
        schema().removeVertexLabel(name);
        Server.assertRefused(404, Server.NOT_FOUND, () -> schema().getVertexLabel(name));
        Server.assertRefused(404, Server.NOT_FOUND, () -> graph().getVertex(id));
    }

    @Test
    void deleteTaskCanBeFollowed() {
        String name = name("by_task");
        schema().vertexLabel(name).useCustomizeStringId().properties(NAME).create();
        long task = schema().removeVertexLabelAsync(name);
        Server.tasks().waitUntilTaskCompleted(task, 60L);
        Server.assertRefused(404, Server.NOT_FOUND, () -> schema().getVertexLabel(name));
    }

    @Test
    void edgeLabelKeepsWhatItWasGiven() {
        String name = name("visited");
        Server.createEdgeLabel(schema().edgeLabel(name).link(PERSON, CITY).multiTimes().properties(DAY, NOTE)
                .sortKeys(DAY).nullableKeys(NOTE).enableLabelIndex(true).userdata("since", 2020));
        if (!Server.readsEdgeLabels()) {
            Server.assertEdgeLabelUnreadable(() -> schema().getEdgeLabel(name));
            Server.assertEdgeLabelUnreadable(() -> schema().getEdgeLabels());
            return;
        }
        EdgeLabel read = schema().getEdgeLabel(name);
        assertTrue(read.id() > 0);
        assertEquals(PERSON, read.sourceLabel());
        assertEquals(CITY, read.targetLabel());
        assertEquals(Frequency.MULTIPLE, read.frequency());
        assertEquals(List.of(DAY), read.sortKeys());
        assertEquals(Set.of(DAY, NOTE), read.properties());
        assertEquals(Set.of(NOTE), read.nullableKeys());
        assertEquals(2020, read.userdata().get("since"));
        assertTrue(schema().getEdgeLabels().stream().anyMatch(label -> label.name().equals(name)));
    }

    @Test
    void edgeLabelRules() {
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> schema().edgeLabel(name("no_sort_keys"))
                .link(PERSON, CITY).multiTimes().properties(DAY).create());
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> schema().edgeLabel(name("needless_sort_keys"))
                .link(PERSON, CITY).singleTime().properties(DAY).sortKeys(DAY).create());
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> schema().edgeLabel(name("unknown_end"))
                .link(PERSON, name("no_such_label")).create());
    }

    @Test
    void appendAndEliminateEdgeLabel() {
        String name = name("edge_grows");
        Server.createEdgeLabel(schema().edgeLabel(name).link(PERSON, CITY).properties(DAY).userdata("a", 1));
        if (!Server.readsEdgeLabels()) {
            Server.assertEdgeLabelUnreadable(
                    () -> schema().edgeLabel(name).properties(NOTE).nullableKeys(NOTE).append());
            return;
        }
        EdgeLabel appended = schema().edgeLabel(name).properties(NOTE).nullableKeys(NOTE).userdata("b", 2).append();
        assertEquals(Set.of(DAY, NOTE), appended.properties());
        EdgeLabel eliminated = schema().edgeLabel(name).userdata("a", "").eliminate();
        assertFalse(eliminated.userdata().containsKey("a"));
        assertEquals(2, eliminated.userdata().get("b"));
    }

    @Test
    void deleteEdgeLabelWithItsEdges() {
        String name = name("edge_short_lived");
        Server.createEdgeLabel(schema().edgeLabel(name).link(PERSON, PERSON));
        var ann = graph().addVertex(T.LABEL, PERSON, NAME, "ann del");
        var bob = graph().addVertex(T.LABEL, PERSON, NAME, "bob del");
        var edge = ann.addEdge(name, bob);
        schema().removeEdgeLabel(name);
        Server.assertRefused(404, Server.NOT_FOUND, () -> schema().getEdgeLabel(name));
        Server.assertRefused(404, Server.NOT_FOUND, () -> graph().getEdge(edge.id()));
        assertEquals("ann del", graph().getVertex(ann.id()).property(NAME));
    }
}
