// First views of a graph: only reads, at most two requests each. Those of the social network that `make run` loads
// appear where its labels are; the last one fits every graph.
import * as api from '../../api/graph';
import type { Vertex as ApiVertex } from '../../api/types';
import { foundOf, vertexOf } from '../../graph/elements';
import type { Found } from '../../graph/scene';
import type { LayoutName } from '../../graph/layoutNames';
import { i18n } from '../../i18n/i18n.svelte';
import type { Explorer } from './explorer.svelte';
import { circleOf, edgesAmong, sampleOf, traverse } from './requests';
import type { TourName } from './tourNames';

export async function runTour(explorer: Explorer, tour: TourName): Promise<void> {
    const { graph, strategies } = explorer;
    const show = (found: Found, layout: LayoutName, focus?: ApiVertex): void => {
        explorer.layout = layout;
        explorer.scene.add(found, i18n.t.explore.tourNames[tour]);
        if (focus) explorer.select([vertexOf(focus, strategies).key]);
        explorer.arrange();
    };
    const persons = (limit: number, signal: AbortSignal) => api.vertices(graph, { label: 'person', limit }, signal);
    const form = { traversal: 'kneighbor', target: null, direction: 'BOTH', weight: null } as const;

    switch (tour) {
        case 'friends': {
            const found = await explorer.work(i18n.t.explore.loading, async (signal) => {
                const people = await circleOf(graph, 'person', 'person_knows_person', 60, signal);
                const keys = people.map((one) => vertexOf(one, strategies).key);
                return foundOf(people, await edgesAmong(graph, keys, ['person_knows_person'], signal), strategies);
            });
            if (!found) return;
            if (!explorer.styles.vertices['person']) {
                const { vertices, edges } = explorer.styles;
                explorer.setStyles({
                    vertices: { ...vertices, person: { colorBy: { property: 'browserUsed' } } },
                    edges,
                });
            }
            show(found, 'force');
            return;
        }
        case 'path': {
            const ends = await explorer.work(i18n.t.explore.loading, (signal) => persons(200, signal));
            const [first, last] = [ends?.items[0], ends?.items.at(-1)];
            if (!first || !last) return;
            const [source, target] = [first, last].map((one) => vertexOf(one, strategies).key);
            explorer.source = source!;
            explorer.target = target!;
            explorer.layout = 'force';
            await explorer.find({
                traversal: 'allshortestpaths',
                source: source!,
                target: target!,
                direction: 'BOTH',
                label: 'person_knows_person',
                depth: 6,
                limit: 50,
                weight: null,
            });
            return;
        }
        case 'person': {
            const answer = await explorer.work(i18n.t.explore.loading, async (signal) => {
                const centre = (await persons(1, signal)).items[0];
                if (!centre) return undefined;
                const source = vertexOf(centre, strategies).key;
                const around = await traverse(
                    graph,
                    { ...form, source, label: 'person_knows_person', depth: 2, limit: 120 },
                    signal,
                );
                return { centre, found: foundOf([centre, ...around.vertices], around.edges, strategies) };
            });
            if (answer) show(answer.found, 'radial', answer.centre);
            return;
        }
        case 'places': {
            const answer = await explorer.work(i18n.t.explore.loading, async (signal) => {
                const places = (await api.vertices(graph, { label: 'place', limit: 2000 }, signal)).items;
                const centre = places.find((place) => place.properties['type'] === 'continent') ?? places[0];
                if (!centre) return undefined;
                const source = vertexOf(centre, strategies).key;
                const below = await traverse(
                    graph,
                    { ...form, source, direction: 'IN', label: 'place_isPartOf_place', depth: 2, limit: 60 },
                    signal,
                );
                return { centre, found: foundOf([centre, ...below.vertices], below.edges, strategies) };
            });
            if (answer) show(answer.found, 'hierarchy', answer.centre);
            return;
        }
        case 'sample': {
            const labels = (explorer.schema?.vertexlabels ?? []).slice(0, 12).map(({ name }) => name);
            const found = await explorer.work(i18n.t.explore.loading, async (signal) => {
                const vertices = await sampleOf(graph, labels, 8, signal);
                const keys = vertices.map((one) => vertexOf(one, strategies).key);
                const edgeLabels = (explorer.schema?.edgelabels ?? []).map(({ name }) => name);
                return foundOf(vertices, await edgesAmong(graph, keys, edgeLabels, signal), strategies);
            });
            if (found) show(found, 'grid');
        }
    }
}
