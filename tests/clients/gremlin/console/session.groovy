:remote config alias g gconsoledriver
:> g.addV('person').property('name', 'marko').property('age', 29).as('a').addV('person').property('name', 'vadas').addE('knows').from('a')
:> g.V().count()
:> g.V().has('name', 'marko').valueMap()
:> g.V().has('name', 'marko').out('knows').path().by('name')
:> g.inject(1, 2L, 1.5d, 'text', null, [1, 'a'])
:> g.V().hasLabel('nobody').count()
:> g.V(
n
:x
