package rhizome.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static rhizome.client.Server.assertRefused;
import static rhizome.client.Server.graph;
import static rhizome.client.Server.name;
import static rhizome.client.Server.schema;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.hugegraph.structure.graph.BatchEdgeRequest;
import org.apache.hugegraph.structure.graph.BatchVertexRequest;
import org.apache.hugegraph.structure.graph.Edge;
import org.apache.hugegraph.structure.graph.UpdateStrategy;
import org.apache.hugegraph.structure.graph.Vertex;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Updating many elements in one request, with every strategy. */
class BatchUpdateTest {

    static final String NAME = name("u_name");
    static final String COUNT = name("u_count");
    static final String SCORE = name("u_score");
    static final String DAY = name("u_day");
    static final String TAGS = name("u_tags");
    static final String LOG = name("u_log");
    static final String PERSON = name("u_person");
    static final String KNOWS = name("u_knows");

    @BeforeAll
    static void create() {
        schema().propertyKey(NAME).asText().create();
        schema().propertyKey(COUNT).asInt().create();
        schema().propertyKey(SCORE).asDouble().create();
        schema().propertyKey(DAY).asDate().create();
        schema().propertyKey(TAGS).asText().valueSet().create();
        schema().propertyKey(LOG).asText().valueList().create();
        schema().vertexLabel(PERSON).properties(NAME, COUNT, SCORE, DAY, TAGS, LOG).primaryKeys(NAME)
                .nullableKeys(COUNT, SCORE, DAY, TAGS, LOG).create();
        Server.createEdgeLabel(schema().edgeLabel(KNOWS).link(PERSON, PERSON).properties(COUNT, NAME)
                .nullableKeys(COUNT, NAME));
    }

    private static Vertex person(String name, Object... properties) {
        Vertex vertex = new Vertex(PERSON);
        vertex.property(NAME, name);
        for (int i = 0; i < properties.length; i += 2) {
            vertex.property((String) properties[i], properties[i + 1]);
        }
        return vertex;
    }

    private static Vertex updated(UpdateStrategy strategy, String key, Object before, Object now) {
        String name = "u " + strategy + " " + key;
        graph().addVertex(person(name, key, before));
        List<Vertex> answer = graph().updateVertices(new BatchVertexRequest.Builder()
                .vertices(List.of(person(name, key, now))).updatingStrategies(Map.of(key, strategy)).createIfNotExist(true)
                .build());
        assertEquals(1, answer.size());
        Vertex stored = graph().getVertex(answer.get(0).id());
        assertEquals(stored.properties().keySet(), answer.get(0).properties().keySet());
        return stored;
    }

    @Test
    void numbers() {
        assertEquals(7, updated(UpdateStrategy.SUM, COUNT, 3, 4).property(COUNT));
        assertEquals(0.75, updated(UpdateStrategy.SUM, SCORE, 0.5, 0.25).property(SCORE));
        assertEquals(4, updated(UpdateStrategy.BIGGER, COUNT, 3, 4).property(COUNT));
        assertEquals(3, updated(UpdateStrategy.SMALLER, COUNT, 3, 4).property(COUNT));
        assertEquals(4, updated(UpdateStrategy.OVERRIDE, COUNT, 3, 4).property(COUNT));
    }

    @Test
    @Tag(Server.BEYOND_HUGEGRAPH)
    void datesGivenAsText() {
        Vertex later = updated(UpdateStrategy.BIGGER, DAY, "2020-01-01", "2021-01-01");
        assertEquals("2021-01-01 00:00:00.000", later.property(DAY));
        Vertex earlier = updated(UpdateStrategy.SMALLER, DAY, "2020-01-01", "2021-01-01");
        assertEquals("2020-01-01 00:00:00.000", earlier.property(DAY));
    }

    @Test
    void sets() {
        Set<String> before = Set.of("a", "b");
        Set<String> now = Set.of("b", "c");
        assertEquals(Set.of("a", "b", "c"), tags(updated(UpdateStrategy.UNION, TAGS, before, now)));
        assertEquals(Set.of("b"), tags(updated(UpdateStrategy.INTERSECTION, TAGS, before, now)));
        assertEquals(Set.of("a", "b", "c"), tags(updated(UpdateStrategy.APPEND, TAGS, before, now)));
        assertEquals(Set.of("a"), tags(updated(UpdateStrategy.ELIMINATE, TAGS, before, now)));
        assertEquals(now, tags(updated(UpdateStrategy.OVERRIDE, TAGS, before, now)));
    }

    private static Set<Object> tags(Vertex vertex) {
        return new HashSet<>((List<?>) vertex.property(TAGS));
    }

    @Test
    void listsKeepDuplicates() {
        Vertex appended = updated(UpdateStrategy.APPEND, LOG, List.of("a", "b"), List.of("b", "c"));
        assertEquals(List.of("a", "b", "b", "c"), appended.property(LOG));
        Vertex eliminated = updated(UpdateStrategy.ELIMINATE, LOG, List.of("a", "b", "b"), List.of("b"));
        assertEquals(List.of("a"), eliminated.property(LOG));
    }

    @Test
    void recordsOfOneRequestAreMergedAndMissingOnesCreated() {
        List<Vertex> records = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            records.add(person("u many " + i % 2, COUNT, 1));
        }
        List<Vertex> answer = graph().updateVertices(new BatchVertexRequest.Builder().vertices(records)
                .updatingStrategies(Map.of(COUNT, UpdateStrategy.SUM)).createIfNotExist(true).build());
        assertEquals(2, answer.size());
        for (Vertex vertex : answer) {
            assertEquals(5, graph().getVertex(vertex.id()).property(COUNT));
        }
    }

    @Test
    @Tag(Server.BEYOND_HUGEGRAPH)
    void whatIsNotNamedStays() {
        graph().addVertex(person("u keep", COUNT, 1, SCORE, 2.5));
        graph().updateVertices(new BatchVertexRequest.Builder().vertices(List.of(person("u keep", COUNT, 1)))
                .updatingStrategies(Map.of(COUNT, UpdateStrategy.SUM)).createIfNotExist(true).build());
        Vertex kept = graph().getVertex(id("u keep"));
        assertEquals(Map.of(NAME, "u keep", COUNT, 2, SCORE, 2.5), kept.properties());
    }

    private static String id(String name) {
        return schema().getVertexLabel(PERSON).id() + ":" + name;
    }

    @Test
    void edges() {
        Vertex ann = graph().addVertex(person("u ann"));
        Vertex bob = graph().addVertex(person("u bob"));
        Edge added = graph().addEdge(ann, KNOWS, bob, COUNT, 1, NAME, "x");
        Edge record = new Edge(KNOWS).source(ann).target(bob);
        record.property(COUNT, 5);
        record.property(NAME, "y");
        List<Edge> answer = graph().updateEdges(new BatchEdgeRequest.Builder().edges(List.of(record))
                .updatingStrategies(Map.of(COUNT, UpdateStrategy.SUM, NAME, UpdateStrategy.OVERRIDE)).checkVertex(true)
                .createIfNotExist(true).build());
        assertEquals(List.of(added.id()), answer.stream().map(Edge::id).toList());
        assertEquals(Map.of(COUNT, 6, NAME, "y"), graph().getEdge(added.id()).properties());
    }

    @Test
    void refusals() {
        graph().addVertex(person("u text", COUNT, 1, TAGS, Set.of("a")));
        assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> graph().updateVertices(new BatchVertexRequest.Builder()
                .vertices(List.of(person("u text", TAGS, Set.of("b")))).updatingStrategies(Map.of(TAGS, UpdateStrategy.SUM))
                .createIfNotExist(true).build()));
        assertEquals(Set.of("a"), tags(graph().getVertex(id("u text"))));
    }
}
