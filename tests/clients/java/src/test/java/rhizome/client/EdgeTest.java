package rhizome.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rhizome.client.Server.graph;
import static rhizome.client.Server.name;
import static rhizome.client.Server.schema;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.hugegraph.structure.constant.Direction;
import org.apache.hugegraph.structure.constant.T;
import org.apache.hugegraph.structure.graph.Edge;
import org.apache.hugegraph.structure.graph.Vertex;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Edges: single and batch inserts with and without end checks, neighbourhoods, lists, changes, deletion, refusals. */
class EdgeTest {

    static final String NAME = name("e_name");
    static final String DAY = name("e_day");
    static final String SCORE = name("e_score");
    static final String PERSON = name("e_person");
    static final String CITY = name("e_city");
    static final String KNOWS = name("e_knows");
    static final String VISITED = name("e_visited");

    @BeforeAll
    static void create() {
        schema().propertyKey(NAME).asText().create();
        schema().propertyKey(DAY).asText().create();
        schema().propertyKey(SCORE).asInt().create();
        schema().vertexLabel(PERSON).useCustomizeStringId().properties(NAME).nullableKeys(NAME).create();
        schema().vertexLabel(CITY).useCustomizeNumberId().properties(NAME).nullableKeys(NAME).create();
        Server.createEdgeLabel(schema().edgeLabel(KNOWS).link(PERSON, PERSON).properties(SCORE).nullableKeys(SCORE));
        Server.createEdgeLabel(schema().edgeLabel(VISITED).link(PERSON, CITY).multiTimes().properties(DAY, SCORE)
                .sortKeys(DAY).nullableKeys(SCORE));
    }

    private static Vertex person(String id) {
        return graph().addVertex(T.LABEL, PERSON, T.ID, id);
    }

    private static Vertex city(long id) {
        return graph().addVertex(T.LABEL, CITY, T.ID, id);
    }

    @Test
    void addAndGet() {
        Vertex ann = person("e ann");
        Vertex bob = person("e bob");
        Edge added = ann.addEdge(KNOWS, bob, SCORE, 7);
        assertTrue(added.id().startsWith("Se ann>"), added.id());
        assertTrue(added.id().endsWith(">>Se bob"), added.id());
        Edge read = graph().getEdge(added.id());
        assertEquals("e ann", read.sourceId());
        assertEquals("e bob", read.targetId());
        assertEquals(PERSON, read.sourceLabel());
        assertEquals(PERSON, read.targetLabel());
        assertEquals(KNOWS, read.label());
        assertEquals("edge", read.type());
        assertEquals(Map.of(SCORE, 7), read.properties());
    }

    @Test
    void singleOverwritesAndMultipleKeeps() {
        Vertex ann = person("m ann");
        Vertex bob = person("m bob");
        Vertex rome = city(8001);
        Edge first = ann.addEdge(KNOWS, bob, SCORE, 1);
        Edge second = ann.addEdge(KNOWS, bob, SCORE, 2);
        assertEquals(first.id(), second.id());
        assertEquals(2, graph().getEdge(first.id()).property(SCORE));

        Edge monday = ann.addEdge(VISITED, rome, DAY, "20260105", SCORE, 1);
        Edge tuesday = ann.addEdge(VISITED, rome, DAY, "20260106", SCORE, 2);
        assertNotEquals(monday.id(), tuesday.id());
        assertTrue(monday.id().contains(">20260105>L8001"), monday.id());
        assertEquals(1, graph().getEdge(monday.id()).property(SCORE));
        List<Edge> visits = graph().getEdges("m ann", Direction.OUT, VISITED);
        assertEquals(List.of("20260105", "20260106"), visits.stream().map(edge -> edge.property(DAY)).toList());
    }

    @Test
    void endsWithSpecialCharacters() {
        String[] ids = {"a>b", "a`b", "x y&z=1", "\u4e2d>\u6587", "a:b!c"};
        Vertex hub = person("special hub");
        for (String id : ids) {
            person(id);
            Edge added = graph().addEdge(hub.id(), KNOWS, id, Map.of());
            Edge read = graph().getEdge(added.id());
            assertEquals(id, read.targetId());
        }
        Set<Object> targets = new HashSet<>();
        graph().getEdges("special hub", Direction.OUT).forEach(edge -> targets.add(edge.targetId()));
        assertEquals(Set.of((Object[]) ids), targets);
    }

    @Test
    void neighbourhoods() {
        Vertex hub = person("n hub");
        Vertex friend = person("n friend");
        Vertex fan = person("n fan");
        Vertex town = city(8002);
        hub.addEdge(KNOWS, friend);
        fan.addEdge(KNOWS, hub);
        hub.addEdge(VISITED, town, DAY, "1");
        assertEquals(3, graph().getEdges("n hub").size());
        assertEquals(2, graph().getEdges("n hub", Direction.OUT).size());
        assertEquals(1, graph().getEdges("n hub", Direction.IN).size());
        assertEquals("n fan", graph().getEdges("n hub", Direction.IN).get(0).sourceId());
        assertEquals(2, graph().getEdges("n hub", Direction.BOTH, KNOWS).size());
        assertEquals(1, graph().getEdges("n hub", Direction.BOTH, KNOWS, 1).size());
        assertEquals(1, graph().getEdges(8002L, Direction.IN, VISITED).size());
        assertEquals(0, graph().getEdges(8002L, Direction.OUT).size());
        assertEquals(0, graph().getEdges("nobody").size());
    }

    @Test
    void pagesOfANeighbourhood() {
        Vertex hub = person("page hub");
        Vertex town = city(8003);
        for (int i = 100; i < 125; i++) {
            hub.addEdge(VISITED, town, DAY, "day " + i);
        }
        List<Object> days = new ArrayList<>();
        Iterator<Edge> pages = graph().iterateEdges("page hub", Direction.OUT, VISITED, 10);
        pages.forEachRemaining(edge -> days.add(edge.property(DAY)));
        assertEquals(25, days.size());
        assertEquals("day 100", days.get(0));
        assertEquals("day 124", days.get(24));
        List<Edge> middle = graph().getEdges("page hub", Direction.OUT, VISITED, Map.of(), 10, 5);
        assertEquals(5, middle.size());
        assertEquals("day 110", middle.get(0).property(DAY));
    }

    @Test
    void listByLabel() {
        String label = name("e_listed");
        Server.createEdgeLabel(schema().edgeLabel(label).link(PERSON, PERSON));
        Vertex hub = person("list hub");
        for (int i = 0; i < 12; i++) {
            hub.addEdge(label, person("list " + i));
        }
        assertEquals(12, graph().listEdges(label).size());
        assertEquals(5, graph().listEdges(label, 5).size());
        assertEquals(1, graph().listEdges(1).size());
        Set<String> all = new HashSet<>();
        graph().iterateEdges(label, 5).forEachRemaining(edge -> all.add(edge.id()));
        assertEquals(12, all.size());
    }

    @Test
    void appendAndEliminate() {
        Edge added = person("c ann").addEdge(KNOWS, person("c bob"));
        added.property(SCORE, 3);
        assertEquals(3, graph().getEdge(added.id()).property(SCORE));
        graph().getEdge(added.id()).removeProperty(SCORE);
        assertNull(graph().getEdge(added.id()).property(SCORE));
        // Both adjacency entries must tell the same.
        assertNull(graph().getEdges("c bob", Direction.IN).get(0).property(SCORE));
    }

    @Test
    void batch() {
        List<Vertex> people = new ArrayList<>();
        List<Edge> edges = new ArrayList<>();
        for (int i = 0; i < 101; i++) {
            Vertex vertex = new Vertex(PERSON);
            vertex.id("b " + i);
            people.add(vertex);
        }
        graph().addVertices(people);
        for (int i = 0; i < 100; i++) {
            edges.add(knows("b " + i, "b " + (i + 1)).property(SCORE, i));
        }
        List<Edge> added = graph().addEdges(edges, true);
        assertEquals(100, added.size());
        assertTrue(added.get(0).id().startsWith("Sb 0>"), added.get(0).id());
        assertEquals(99, graph().getEdge(added.get(99).id()).property(SCORE));
        assertEquals(2, graph().getEdges("b 50").size());
    }

    @Test
    void batchChecksEnds() {
        person("check ann");
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT,
                () -> graph().addEdges(List.of(knows("check ann", "check nobody")), true));
        assertEquals(0, graph().getEdges("check ann").size());
        List<Edge> added = graph().addEdges(List.of(knows("check ann", "check nobody")), false);
        assertEquals(1, added.size());
        assertEquals("check nobody", graph().getEdges("check ann").get(0).targetId());
    }

    @Test
    void deleteEdge() {
        Edge added = person("d ann").addEdge(KNOWS, person("d bob"));
        graph().removeEdge(added.id());
        Server.assertRefused(404, Server.NOT_FOUND, () -> graph().getEdge(added.id()));
        assertEquals(0, graph().getEdges("d bob").size());
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> graph().removeEdge(added.id()));
    }

    @Test
    void deletingAVertexDeletesItsEdges() {
        Vertex ann = person("v ann");
        Vertex bob = person("v bob");
        Edge out = ann.addEdge(KNOWS, bob);
        Edge in = bob.addEdge(KNOWS, ann);
        graph().removeVertex(ann.id());
        Server.assertRefused(404, Server.NOT_FOUND, () -> graph().getEdge(out.id()));
        Server.assertRefused(404, Server.NOT_FOUND, () -> graph().getEdge(in.id()));
        assertEquals(0, graph().getEdges(bob.id()).size());
    }

    @Test
    void refusals() {
        Vertex ann = person("r ann");
        Vertex bob = person("r bob");
        Vertex town = city(8004);
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT,
                () -> graph().addEdge("r ann", KNOWS, "r nobody", Map.of()));
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> ann.addEdge(name("no_such_label"), bob));
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> ann.addEdge(KNOWS, town));
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> ann.addEdge(VISITED, town));
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> ann.addEdge(KNOWS, bob, SCORE, "seven"));
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> graph().addEdges(List.of(), true));
        Server.assertRefused(404, Server.NOT_FOUND, () -> graph().getEdge("not an edge id"));
    }

    private static Edge knows(String source, String target) {
        Edge edge = new Edge(KNOWS);
        edge.sourceId(source);
        edge.sourceLabel(PERSON);
        edge.targetId(target);
        edge.targetLabel(PERSON);
        return edge;
    }
}
