// Package gremlin tests a server with the driver of TinkerPop for Go as its users use it.
package gremlin

import (
	"fmt"
	"net/http"
	"os"
	"sort"
	"strings"
	"testing"

	gremlingo "github.com/apache/tinkerpop/gremlin-go/v3/driver"
)

const (
	graph    = "godriver"
	source   = "g" + graph
	vertices = 500
)

var address string

func TestMain(m *testing.M) {
	url := os.Getenv("RHIZOME_URL")
	answer, err := http.Post(url+"/graphs/"+graph, "application/json", strings.NewReader(`{"schema.mode": "auto"}`))
	if err != nil || answer.StatusCode >= 300 {
		fmt.Println("the graph cannot be made:", err, answer)
		os.Exit(1)
	}
	address = strings.Replace(url, "http://", "ws://", 1) + "/gremlin"
	client, err := gremlingo.NewClient(address, of)
	if err != nil {
		fmt.Println("no connection:", err)
		os.Exit(1)
	}
	for first := 0; first < vertices; first += 50 {
		script := "g"
		for n := first; n < first+50; n++ {
			script += fmt.Sprintf(".addV('node').property(T.id, %d).property('n', %d)", n, n)
		}
		submit(client, script+".iterate()")
	}
	submit(client, "g.addE('next').from(__.V(7)).to(__.V(8)).property('w', 7.5d).iterate()")
	client.Close()
	os.Exit(m.Run())
}

func of(settings *gremlingo.ClientSettings) {
	settings.TraversalSource = source
	settings.LogVerbosity = gremlingo.Off
}

func submit(client *gremlingo.Client, script string) {
	set, err := client.Submit(script)
	if err == nil {
		_, err = set.All()
	}
	if err != nil {
		fmt.Println(script[:60], err)
		os.Exit(1)
	}
}

func client(t *testing.T) *gremlingo.Client {
	client, err := gremlingo.NewClient(address, of)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func traversal(t *testing.T) *gremlingo.GraphTraversalSource {
	remote, err := gremlingo.NewDriverRemoteConnection(address, func(settings *gremlingo.DriverRemoteConnectionSettings) {
		settings.TraversalSource = source
		settings.LogVerbosity = gremlingo.Off
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remote.Close)
	return gremlingo.Traversal_().WithRemote(remote)
}

// One result of a traversal as text.
func one(t *testing.T, traversal *gremlingo.GraphTraversal) string {
	result, err := traversal.Next()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(result.GetInterface())
}

func expect(t *testing.T, found, expected string) {
	t.Helper()
	if found != expected {
		t.Fatalf("%s instead of %s", found, expected)
	}
}

func TestATraversalCounts(t *testing.T) {
	expect(t, one(t, traversal(t).V().Count()), fmt.Sprint(vertices))
}

func TestElementsComeAsElements(t *testing.T) {
	g := traversal(t)
	result, err := g.V(7).Next()
	if err != nil {
		t.Fatal(err)
	}
	vertex, err := result.GetVertex()
	if err != nil || fmt.Sprint(vertex.Id) != "7" || vertex.Label != "node" {
		t.Fatal(vertex, err)
	}
	result, err = g.V(vertex).OutE("next").Next()
	if err != nil {
		t.Fatal(err)
	}
	edge, err := result.GetEdge()
	if err != nil || fmt.Sprint(edge.OutV.Id, edge.InV.Id) != "7 8" {
		t.Fatal(edge, err)
	}
	result, err = g.V(7).As("a").Out().Path().Next()
	if err != nil {
		t.Fatal(err)
	}
	path, err := result.GetPath()
	if err != nil || len(path.Objects) != 2 {
		t.Fatal(path, err)
	}
}

func TestStepsWithArgumentsOfAllKinds(t *testing.T) {
	g := traversal(t)
	expect(t, one(t, g.V().Has("n", gremlingo.P.Between(10, 13)).Values("n").Order().By(gremlingo.Order.Desc).Fold()), "[12 11 10]")
	expect(t, one(t, g.V(7).Project("id", "out").By(gremlingo.T.Id).By(gremlingo.T__.Out().Count())), "map[id:7 out:1]")
}

func TestValuesGoThereAndBack(t *testing.T) {
	expect(t, one(t, traversal(t).Inject([]interface{}{int32(1), int64(2), 1.5, "é\n\"'", true})), "[1 2 1.5 é\n\"' true]")
}

func TestALargeResultComesWhole(t *testing.T) {
	set, err := client(t).Submit("g.V().values('n')")
	if err != nil {
		t.Fatal(err)
	}
	results, err := set.All()
	if err != nil {
		t.Fatal(err)
	}
	numbers := make([]int, 0, len(results))
	for _, result := range results {
		number, err := result.GetInt()
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, number)
	}
	sort.Ints(numbers)
	if len(numbers) != vertices || numbers[0] != 0 || numbers[vertices-1] != vertices-1 {
		t.Fatal(len(numbers))
	}
}

func TestAScriptHasBindings(t *testing.T) {
	set, err := client(t).Submit("g.V().has('n', x).values('n')", map[string]interface{}{"x": 5})
	if err != nil {
		t.Fatal(err)
	}
	result, ok, err := set.One()
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	expect(t, fmt.Sprint(result.GetInterface()), "5")
}

func TestAnErrorHasItsMessage(t *testing.T) {
	client := client(t)
	// The driver keeps the lowest eight bits of a status only.
	for script, message := range map[string]string{"g.V(": "line 1, column 5", "g.inject(1).fail('stop here')": "stop here"} {
		set, err := client.Submit(script)
		if err == nil {
			_, err = set.All()
		}
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Fatal(script, err)
		}
	}
	set, err := client.Submit("g.V().limit(1).count()")
	if err != nil {
		t.Fatal(err)
	}
	if results, err := set.All(); err != nil || len(results) != 1 {
		t.Fatal(results, err)
	}
}

func TestATransactionIsCommittedOrRolledBack(t *testing.T) {
	g := traversal(t)
	for _, end := range []string{"commit", "rollback"} {
		tx := g.Tx()
		inside, err := tx.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if err := <-inside.AddV("tx").Property("n", 1).Iterate(); err != nil {
			t.Fatal(err)
		}
		if end == "commit" {
			err = tx.Commit()
		} else {
			err = tx.Rollback()
		}
		if err != nil {
			t.Fatal(end, err)
		}
		expect(t, one(t, g.V().HasLabel("tx").Count()), "1")
	}
}
