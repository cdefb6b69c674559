// The driver of TinkerPop for JavaScript as its users use it, against the server at RHIZOME_URL.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import gremlin from "gremlin";

const url = process.env.RHIZOME_URL;
const graph = "javascriptdriver";
const source = `g${graph}`;
const address = `${url.replace("http://", "ws://")}/gremlin`;
const { Client, DriverRemoteConnection } = gremlin.driver;
const { P, order, t: T } = gremlin.process;
const __ = gremlin.process.statics;
const vertices = 500;
let client, connection, g;

before(async () => {
  const answer = await fetch(`${url}/graphs/${graph}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"schema.mode": "auto"}',
  });
  assert.ok(answer.ok, await answer.text());
  client = new Client(address, { traversalSource: source });
  connection = new DriverRemoteConnection(address, { traversalSource: source });
  g = gremlin.process.AnonymousTraversalSource.traversal().withRemote(connection);
  for (let first = 0; first < vertices; first += 50) {
    let script = "g";
    for (let n = first; n < first + 50; n++) script += `.addV('node').property(T.id, ${n}).property('n', ${n})`;
    await client.submit(`${script}.iterate()`);
  }
  await client.submit("g.addE('next').from(__.V(7)).to(__.V(8)).property('w', 7.5d).iterate()");
});

after(async () => {
  await client.close();
  await connection.close();
});

test("a traversal counts", async () => {
  assert.equal((await g.V().count().next()).value, vertices);
});

test("elements come as elements", async () => {
  const vertex = (await g.V(7).next()).value;
  assert.deepEqual([vertex.id, vertex.label], [7, "node"]);
  const edge = (await g.V(7).outE("next").next()).value;
  assert.deepEqual([edge.outV.id, edge.inV.id, edge.label], [7, 8, "next"]);
  const path = (await g.V(7).as("a").out().path().next()).value;
  assert.deepEqual(path.objects.map((one) => one.id), [7, 8]);
  assert.equal((await g.V(vertex).out().values("n").next()).value, 8);
});

test("steps with arguments of all kinds", async () => {
  assert.deepEqual(await g.V().has("n", P.between(10, 13)).values("n").order().by(order.desc).toList(), [12, 11, 10]);
  const map = (await g.V(7).project("id", "out").by(T.id).by(__.out().count()).next()).value;
  assert.deepEqual([map.get("id"), map.get("out")], [7, 1]);
});

test("values go there and back", async () => {
  const there = [1, 1.5, "é\n\"'", true, ["a", 1]];
  assert.deepEqual(await g.inject(...there).toList(), there);
});

test("equal results come as often as they occur", async () => {
  assert.deepEqual(await g.V().limit(300).constant("x").toList(), Array(300).fill("x"));
});

test("a large result comes whole", async () => {
  const result = await client.submit("g.V().values('n')");
  assert.deepEqual(result.toArray().sort((a, b) => a - b), [...Array(vertices).keys()]);
});

test("a large result comes in parts", async () => {
  let parts = 0, items = 0;
  for await (const part of client.stream("g.V().values('n')", {}, { batchSize: 100 })) {
    parts += 1;
    items += part.toArray().length;
  }
  assert.deepEqual([parts, items], [5, vertices]);
});

test("a script has bindings", async () => {
  assert.deepEqual((await client.submit("g.V().has('n', x).values('n')", { x: 5 })).toArray(), [5]);
});

for (const [script, status] of [["g.V(", 597], ["noSuchName.V()", 597], ["g.inject(1).fail('stop here')", 595]]) {
  test(`an error has its status: ${script}`, async () => {
    await assert.rejects(client.submit(script), (error) => {
      assert.equal(error.statusCode, status, error.message);
      return true;
    });
    assert.deepEqual((await client.submit("g.V().limit(1).count()")).toArray(), [1]);
  });
}

test("a query ends at its time", async () => {
  const slow = client.submit("g.V().V().V().path().count()", {}, { evaluationTimeout: 300 });
  await assert.rejects(slow, (error) => error.statusCode === 598);
});

test("a session keeps variables", async () => {
  const session = new Client(address, { traversalSource: source, session: crypto.randomUUID(), processor: "session" });
  await session.submit("x = 42");
  assert.deepEqual((await session.submit("x")).toArray(), [42]);
  await session.close();
});

test("a transaction is committed or rolled back", async () => {
  for (const [end, expected] of [["commit", 1], ["rollback", 1]]) {
    const tx = g.tx();
    const inside = tx.begin();
    await inside.addV("tx").property("n", 1).iterate();
    await tx[end]();
    assert.equal((await g.V().hasLabel("tx").count().next()).value, expected, end);
  }
});
