package rhizome.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rhizome.client.Server.assertRefused;
import static rhizome.client.Server.graph;
import static rhizome.client.Server.name;
import static rhizome.client.Server.schema;
import static rhizome.client.Server.traverser;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.hugegraph.api.traverser.NeighborRankAPI;
import org.apache.hugegraph.api.traverser.PersonalRankAPI;
import org.apache.hugegraph.structure.constant.Direction;
import org.apache.hugegraph.structure.constant.T;
import org.apache.hugegraph.structure.graph.Edge;
import org.apache.hugegraph.structure.graph.Path;
import org.apache.hugegraph.structure.graph.Shard;
import org.apache.hugegraph.structure.graph.Vertex;
import org.apache.hugegraph.structure.traverser.CountRequest;
import org.apache.hugegraph.structure.traverser.CrosspointsRequest;
import org.apache.hugegraph.structure.traverser.CustomizedCrosspoints;
import org.apache.hugegraph.structure.traverser.CustomizedPathsRequest;
import org.apache.hugegraph.structure.traverser.FusiformSimilarity;
import org.apache.hugegraph.structure.traverser.FusiformSimilarityRequest;
import org.apache.hugegraph.structure.traverser.JaccardSimilarity;
import org.apache.hugegraph.structure.traverser.Kneighbor;
import org.apache.hugegraph.structure.traverser.KneighborRequest;
import org.apache.hugegraph.structure.traverser.Kout;
import org.apache.hugegraph.structure.traverser.KoutRequest;
import org.apache.hugegraph.structure.traverser.MultiNodeShortestPathRequest;
import org.apache.hugegraph.structure.traverser.PathsRequest;
import org.apache.hugegraph.structure.traverser.PathsWithVertices;
import org.apache.hugegraph.structure.traverser.SingleSourceJaccardSimilarityRequest;
import org.apache.hugegraph.structure.traverser.TemplatePathsRequest;
import org.apache.hugegraph.structure.traverser.WeightedPath;
import org.apache.hugegraph.structure.traverser.WeightedPaths;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every traverser the client has a method for, over TinkerPop's little "modern" graph:
 * marko knows vadas and josh; marko, josh and peter created lop; josh created ripple.
 */
class TraverserTest {

    static final String PERSON = name("t_person");
    static final String SOFTWARE = name("t_software");
    static final String KNOWS = name("t_knows");
    static final String CREATED = name("t_created");
    static final String WEIGHT = name("t_weight");
    static final String LANG = name("t_lang");
    static final List<String> EVERYTHING =
            List.of("t marko", "t vadas", "t josh", "t peter", "t lop", "t ripple");

    @BeforeAll
    static void create() {
        schema().propertyKey(WEIGHT).asDouble().create();
        schema().propertyKey(LANG).asText().create();
        schema().vertexLabel(PERSON).useCustomizeStringId().create();
        schema().vertexLabel(SOFTWARE).useCustomizeStringId().properties(LANG).nullableKeys(LANG).create();
        Server.createEdgeLabel(schema().edgeLabel(KNOWS).link(PERSON, PERSON).properties(WEIGHT));
        Server.createEdgeLabel(schema().edgeLabel(CREATED).link(PERSON, SOFTWARE).properties(WEIGHT));
        for (String id : EVERYTHING.subList(0, 4)) {
            graph().addVertex(T.LABEL, PERSON, T.ID, id);
        }
        for (String id : EVERYTHING.subList(4, 6)) {
            graph().addVertex(T.LABEL, SOFTWARE, T.ID, id, LANG, "java");
        }
        edge("t marko", KNOWS, "t vadas", 0.5);
        edge("t marko", KNOWS, "t josh", 1.0);
        edge("t marko", CREATED, "t lop", 0.4);
        edge("t josh", CREATED, "t ripple", 1.0);
        edge("t josh", CREATED, "t lop", 0.4);
        edge("t peter", CREATED, "t lop", 0.2);
    }

    private static void edge(String source, String label, String target, double weight) {
        graph().addEdge(source, label, target, WEIGHT, weight);
    }

    private static Set<Object> set(Iterable<?> values) {
        Set<Object> set = new HashSet<>();
        values.forEach(set::add);
        return set;
    }

    private static Set<List<Object>> objects(List<Path> paths) {
        return paths.stream().map(Path::objects).collect(Collectors.toSet());
    }

    private static Set<List<Object>> objects(PathsWithVertices paths) {
        return paths.paths().stream().map(PathsWithVertices.Paths::objects).collect(Collectors.toSet());
    }

    @Test
    void kout() {
        assertEquals(Set.of("t vadas", "t josh", "t lop"), set(traverser().kout("t marko", 1)));
        assertEquals(Set.of("t ripple"), set(traverser().kout("t marko", Direction.OUT, 2)));
        assertEquals(Set.of("t ripple", "t lop"), set(traverser().kout("t marko", Direction.OUT, null, 2, false)));
        KoutRequest.Builder builder = KoutRequest.builder();
        builder.source("t marko");
        builder.steps().direction(Direction.OUT).addEStep(CREATED);
        builder.maxDepth(1).withVertex(true).withPath(true).withEdge(true);
        Kout kout = traverser().kout(builder.build());
        assertEquals(Set.of("t lop"), kout.ids());
        assertEquals(Set.of(List.of("t marko", "t lop")), objects(kout.paths()));
        assertEquals(1, kout.edges().size());
        assertEquals(Set.of("t marko", "t lop"), kout.vertices().stream().map(Vertex::id).collect(Collectors.toSet()));
    }

    @Test
    void kneighbor() {
        assertEquals(Set.of("t vadas", "t josh", "t lop", "t ripple"),
                set(traverser().kneighbor("t marko", Direction.OUT, 2)));
        KneighborRequest.Builder builder = KneighborRequest.builder();
        builder.source("t marko");
        builder.steps().direction(Direction.BOTH).addEStep(CREATED);
        builder.maxDepth(5).withVertex(true);
        Kneighbor kneighbor = traverser().kneighbor(builder.build());
        assertEquals(Set.of("t lop", "t josh", "t peter", "t ripple"), kneighbor.ids());
        builder.withVertex(false).countOnly(true);
        assertEquals(4, traverser().kneighbor(builder.build()).size());
    }

    @Test
    @Tag(Server.BEYOND_HUGEGRAPH)
    void stepsFilterByPredicate() {
        KneighborRequest.Builder builder = KneighborRequest.builder();
        builder.source("t marko");
        builder.steps().direction(Direction.BOTH).addEStep(CREATED, Map.of(WEIGHT, "P.lt(0.5)"));
        builder.maxDepth(5).countOnly(true);
        assertEquals(3, traverser().kneighbor(builder.build()).size());
    }

    @Test
    void similarity() {
        assertEquals(Set.of("t lop"), set(traverser().sameNeighbors("t marko", "t peter")));
        assertEquals(1.0 / 3, traverser().jaccardSimilarity("t marko", "t peter"), 1e-9);
        SingleSourceJaccardSimilarityRequest.Builder builder = SingleSourceJaccardSimilarityRequest.builder();
        builder.vertex("t peter");
        builder.step().direction(Direction.OUT).labels(CREATED);
        JaccardSimilarity similar = traverser().jaccardSimilarity(builder.build());
        // Of josh's two works peter shares one; marko's only created work is peter's. OUT only: nobody is reached but lop.
        assertTrue(similar.size() >= 1, similar.keySet().toString());
    }

    @Test
    void shortestPaths() {
        assertEquals(List.of("t marko", "t josh", "t ripple"),
                traverser().shortestPath("t marko", "t ripple", 5).objects());
        assertTrue(traverser().shortestPath("t vadas", "t ripple", Direction.OUT, 5).objects().isEmpty());
        Set<List<Object>> all = objects(traverser().allShortestPaths("t vadas", "t peter", 5));
        assertEquals(Set.of(List.of("t vadas", "t marko", "t lop", "t peter")), all);
        WeightedPath light = traverser().weightedShortestPath("t vadas", "t peter", WEIGHT, true, true);
        assertEquals(1.1, light.path().weight(), 1e-9);
        assertEquals(List.of("t vadas", "t marko", "t lop", "t peter"), light.path().vertices());
        assertEquals(4, light.vertices().size());
        WeightedPaths from = traverser().singleSourceShortestPath("t marko", Direction.OUT, null, WEIGHT, true, true);
        assertEquals(Set.of("t vadas", "t josh", "t lop", "t ripple"), from.paths().keySet());
        assertEquals(0.4, from.paths().get("t lop").weight(), 1e-9);
        assertEquals(2.0, from.paths().get("t ripple").weight(), 1e-9);
        MultiNodeShortestPathRequest.Builder builder = MultiNodeShortestPathRequest.builder();
        builder.vertices().ids("t vadas", "t peter", "t ripple");
        builder.step().direction(Direction.BOTH);
        PathsWithVertices between = traverser().multiNodeShortestPath(builder.maxDepth(5).withVertex(true).withEdge(true).build());
        assertEquals(3, between.paths().size());
    }

    @Test
    void paths() {
        Set<List<Object>> expected =
                Set.of(List.of("t marko", "t lop"), List.of("t marko", "t josh", "t lop"));
        assertEquals(expected, objects(traverser().paths("t marko", "t lop", Direction.BOTH, 2, 10)));
        PathsWithVertices paths = traverser().paths(pathsTo("t lop", "t ripple"));
        assertEquals(Set.of(List.of("t marko", "t lop"), List.of("t marko", "t josh", "t lop"),
                List.of("t marko", "t josh", "t ripple")), objects(paths));
    }

    private static PathsRequest pathsTo(Object... targets) {
        PathsRequest.Builder builder = PathsRequest.builder();
        builder.sources().ids("t marko");
        builder.targets().ids(targets);
        builder.step().direction(Direction.OUT);
        return builder.maxDepth(3).limit(10).withVertex(true).withEdge(true).build();
    }

    @Test
    void customizedAndTemplatePaths() {
        CustomizedPathsRequest.Builder custom = CustomizedPathsRequest.builder();
        custom.sources().ids("t marko");
        custom.steps().direction(Direction.OUT).labels(KNOWS).weightBy(WEIGHT).degree(-1);
        custom.steps().direction(Direction.OUT).labels(CREATED).weightBy(WEIGHT).degree(-1);
        custom.sortBy(CustomizedPathsRequest.SortBy.INCR).capacity(-1).limit(-1).withVertex(true).withEdge(true);
        List<PathsWithVertices.Paths> paths = traverser().customizedPaths(custom.build()).paths();
        assertEquals(List.of(List.of("t marko", "t josh", "t lop"), List.of("t marko", "t josh", "t ripple")),
                paths.stream().map(PathsWithVertices.Paths::objects).toList());
        assertEquals(List.of(1.0, 0.4), paths.get(0).weights());
        TemplatePathsRequest.Builder template = TemplatePathsRequest.builder();
        template.sources().ids("t marko");
        template.targets().ids("t ripple");
        template.steps().direction(Direction.OUT).labels(KNOWS).maxTimes(2);
        template.steps().direction(Direction.OUT).labels(CREATED).maxTimes(1);
        PathsWithVertices found = traverser().count(template.withVertex(true).withEdge(true).build());
        assertEquals(Set.of(List.of("t marko", "t josh", "t ripple")), objects(found));
    }

    @Test
    void crosspoints() {
        List<Path> cross = traverser().crosspoint("t marko", "t peter", Direction.OUT, 2, 10);
        assertEquals(Set.of("t lop"), cross.stream().map(Path::crosspoint).collect(Collectors.toSet()));
        CrosspointsRequest.Builder builder = CrosspointsRequest.builder();
        builder.sources().ids("t marko", "t josh", "t peter");
        builder.pathPatterns().steps().direction(Direction.OUT).labels(CREATED).degree(-1);
        CustomizedCrosspoints custom =
                traverser().customizedCrosspointss(builder.withPath(true).withVertex(true).withEdge(true).capacity(-1).build());
        assertEquals(List.of("t lop"), custom.crosspoints());
        assertEquals(3, custom.paths().size());
    }

    @Test
    void ringsAndRays() {
        List<Path> rings = traverser().rings("t marko", 5);
        assertEquals(1, rings.size());
        List<Object> ring = rings.get(0).objects();
        assertEquals(Set.of("t marko", "t josh", "t lop"), new HashSet<>(ring));
        assertEquals(ring.get(0), ring.get(ring.size() - 1));
        Set<List<Object>> rays = objects(traverser().rays("t marko", Direction.OUT, null, 2, -1L, -1L, -1));
        assertEquals(Set.of(List.of("t marko", "t vadas"), List.of("t marko", "t lop"),
                List.of("t marko", "t josh", "t ripple"), List.of("t marko", "t josh", "t lop")), rays);
    }

    @Test
    void counts() {
        CountRequest.Builder builder = CountRequest.builder();
        builder.source("t marko");
        builder.steps().direction(Direction.OUT);
        builder.steps().direction(Direction.OUT);
        assertEquals(2, traverser().count(builder.build()));
        builder.containsTraversed(true);
        assertEquals(6, traverser().count(builder.build()), "the source is counted too");
    }

    @Test
    void ranks() {
        PersonalRankAPI.Request.Builder personal = PersonalRankAPI.Request.builder();
        personal.source("t marko").label(CREATED).maxDepth(20).degree(-1).limit(-1).sorted(true);
        Map<Object, Double> ranks = traverser().personalRank(personal.build());
        // The direct neighbour lop is left out; those who created it too are near.
        assertTrue(ranks.containsKey("t josh") && ranks.containsKey("t peter"), ranks.toString());
        assertFalse(ranks.containsKey("t lop"), ranks.toString());
        NeighborRankAPI.Request.Builder neighbor = NeighborRankAPI.Request.builder();
        neighbor.source("t marko").alpha(0.9).capacity(-1);
        neighbor.steps().direction(Direction.OUT).degree(-1).top(10);
        neighbor.steps().direction(Direction.OUT).degree(-1).top(10);
        List<? extends Map<Object, Double>> layers = traverser().neighborRank(neighbor.build());
        assertEquals(3, layers.size());
        assertEquals(Set.of("t marko"), layers.get(0).keySet());
        assertTrue(layers.get(2).containsKey("t ripple"), layers.toString());
        FusiformSimilarityRequest.Builder fusiform = FusiformSimilarityRequest.builder();
        fusiform.sources().ids("t peter");
        fusiform.label(CREATED).direction(Direction.OUT).minNeighbors(1).alpha(1.0).top(10).withVertex(true);
        FusiformSimilarity similar = traverser().fusiformSimilarity(fusiform.build());
        Set<Object> ids = similar.similarsMap().get("t peter").stream().map(FusiformSimilarity.Similar::id)
                .collect(Collectors.toSet());
        assertEquals(Set.of("t marko", "t josh"), ids);
    }

    @Test
    void existenceOfEdges() {
        List<Edge> edges = traverser().edgeExistence("t marko", "t josh", KNOWS, "", 10);
        assertEquals(1, edges.size());
        assertEquals("t josh", edges.get(0).targetId());
        assertTrue(traverser().edgeExistence("t josh", "t marko", KNOWS, "", 10).isEmpty());
    }

    @Test
    void manyByIdAndByShard() {
        List<Vertex> vertices = traverser().vertices(new ArrayList<>(EVERYTHING));
        assertEquals(new HashSet<>(EVERYTHING), vertices.stream().map(Vertex::id).collect(Collectors.toSet()));
        List<String> ids = graph().getEdges("t marko", Direction.OUT).stream().map(Edge::id).toList();
        assertEquals(Set.copyOf(ids), traverser().edges(ids).stream().map(Edge::id).collect(Collectors.toSet()));
        Set<Object> scanned = new HashSet<>();
        int found = 0;
        for (Shard shard : traverser().vertexShards(1 << 20)) {
            Iterator<Vertex> part = traverser().iteratorVertices(shard, 3);
            while (part.hasNext()) {
                scanned.add(part.next().id());
                found++;
            }
        }
        assertTrue(scanned.containsAll(EVERYTHING));
        assertEquals(scanned.size(), found, "each vertex once");
        Set<String> edges = new HashSet<>();
        for (Shard shard : traverser().edgeShards(1 << 20)) {
            traverser().edges(shard).results().forEach(edge -> edges.add(edge.id()));
        }
        assertTrue(edges.containsAll(ids));
    }

    @Test
    void refusals() {
        assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> traverser().kout("t nobody", 1));
        assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> traverser().shortestPath("t marko", "t nobody", 3));
        assertRefused(400, Server.ILLEGAL_ARGUMENT,
                () -> traverser().kout("t marko", Direction.OUT, name("nosuch"), 1, true));
        assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> traverser().vertexShards(10));
    }
}
