// Neo4j's JavaScript driver, unmodified, over bolt:// and neo4j://.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import neo4j from 'neo4j-driver'

const graph = `javascriptdriver${process.env.DRIVER_VERSION.split('.')[0]}`
const drivers = ['bolt', 'neo4j'].map(scheme =>
  neo4j.driver(`${scheme}://${process.env.RHIZOME_BOLT}`, neo4j.auth.basic('any', 'body')))

before(async () => {
  const answer = await fetch(`${process.env.RHIZOME_URL}/graphs/${graph}`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"schema.mode": "auto"}'
  })
  assert.ok(answer.ok)
})

after(() => Promise.all(drivers.map(driver => driver.close())))

for (const [at, driver] of drivers.entries()) {
  const on = (name, body) => test(`${name} (${at === 0 ? 'bolt' : 'neo4j'})`, async () => {
    const session = driver.session({ database: graph, fetchSize: 10 })
    try {
      await session.run('MATCH (n) DETACH DELETE n')
      await body(session)
    } finally {
      await session.close()
    }
  })

  on('the server says what it is', async () => {
    const info = await driver.getServerInfo()
    assert.match(info.agent, /^Neo4j\/5\.26\.0 compatible \(Rhizome\//)
  })

  on('values come back', async session => {
    const values = [null, true, neo4j.int('9223372036854775807'), 1.5, 'text 😀', [neo4j.int(1), [null]], { a: { b: 'c' } },
      new neo4j.types.Date(...[2024, 2, 29].map(neo4j.int)), new neo4j.types.Duration(...[14, 3, 4, 5].map(neo4j.int)),
      new neo4j.types.Point(neo4j.int(7203), 1.5, 2.5)]
    for (const value of values) {
      const { records } = await session.run('RETURN $x AS x', { x: value })
      assert.deepEqual(records[0].get('x'), value)
    }
  })

  on('elements', async session => {
    const { records, summary } = await session.run(
      "CREATE (a:Person {name: 'a'})-[r:KNOWS {since: 2020}]->(b:Person) RETURN a, r, b")
    const [a, r, b] = ['a', 'r', 'b'].map(name => records[0].get(name))
    assert.deepEqual([a.labels, a.properties.name, r.type], [['Person'], 'a', 'KNOWS'])
    assert.deepEqual([r.startNodeElementId, r.endNodeElementId], [a.elementId, b.elementId])
    assert.equal(summary.counters.updates().nodesCreated, 2)
    const path = (await session.run('MATCH p = (:Person)-[:KNOWS]->() RETURN p')).records[0].get('p')
    assert.equal(path.segments[0].start.properties.name, 'a')
  })

  on('rows beyond the fetch size', async session => {
    const { records } = await session.run('UNWIND range(1, 1000) AS x RETURN x')
    assert.equal(records.length, 1000)
    assert.equal(records[999].get('x').toNumber(), 1000)
  })

  on('transactions', async session => {
    const transaction = await session.beginTransaction()
    await transaction.run('CREATE (:T {x: 1})')
    await transaction.rollback()
    const x = await session.executeWrite(async own => (await own.run('CREATE (n:T {x: $x}) RETURN n.x AS x', { x: neo4j.int(7) }))
      .records[0].get('x').toNumber())
    assert.equal(x, 7)
    const { records } = await session.executeRead(own => own.run('MATCH (n:T) RETURN count(n) AS c'))
    assert.equal(records[0].get('c').toNumber(), 1)
  })

  on('failures', async session => {
    for (const [text, code] of [['RETURN foo', 'SyntaxError'], ['RETURN 1/0', 'ArithmeticError'], ['RETURN $p', 'ParameterMissing']]) {
      await assert.rejects(session.run(text), error => error.code === `Neo.ClientError.Statement.${code}`)
    }
    // The session goes on.
    assert.equal((await session.run('RETURN 1 AS x')).records[0].get('x').toNumber(), 1)
    await assert.rejects(driver.executeQuery('RETURN 1', {}, { database: 'nothere' }),
      error => error.code === 'Neo.ClientError.Database.DatabaseNotFound')
  })
}
