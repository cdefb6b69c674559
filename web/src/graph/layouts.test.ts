import { describe, expect, it } from 'vitest';
import { layoutNames } from './layoutNames';
import { arrange, Force, ranks, scatter, separate, type LayoutInput } from './layouts';

function input(n: number, pairs: [number, number][], more: Partial<LayoutInput> = {}): LayoutInput {
    return {
        n,
        xy: Float64Array.from({ length: 2 * n }, (_, i) => ((i * 37) % 101) * 3),
        fixed: new Uint8Array(n),
        sizes: new Float32Array(n).fill(8),
        groups: Int32Array.from({ length: n }, (_, i) => i % 3),
        ends: Uint32Array.from(pairs.flat()),
        root: -1,
        ...more,
    };
}

const tree: [number, number][] = Array.from({ length: 30 }, (_, i) => [Math.floor(i / 3), i + 1]);
const static_ = layoutNames.filter((name) => name !== 'force');

function closest(xy: Float64Array): number {
    let least = Infinity;
    for (let i = 0; i < xy.length; i += 2) {
        for (let j = i + 2; j < xy.length; j += 2)
            least = Math.min(least, Math.hypot(xy[i]! - xy[j]!, xy[i + 1]! - xy[j + 1]!));
    }
    return least;
}

describe.each(static_)('%s', (name) => {
    it('gives each vertex a place of its own, with loops, parallel edges and several components', () => {
        const pairs: [number, number][] = [...tree, [4, 4], [0, 1], [1, 0], [32, 33]];
        const xy = arrange(name, input(35, pairs));
        expect([...xy].every(Number.isFinite)).toBe(true);
        expect(closest(xy)).toBeGreaterThan(16);
    });

    it('leaves pinned vertices where they are', () => {
        const fixed = new Uint8Array(31);
        fixed[5] = 1;
        const given = input(31, tree, { fixed });
        const xy = arrange(name, given);
        expect([xy[10], xy[11]]).toEqual([given.xy[10], given.xy[11]]);
    });

    it('takes an empty scene and one vertex', () => {
        expect(arrange(name, input(0, [])).length).toBe(0);
        expect([...arrange(name, input(1, []))].every(Number.isFinite)).toBe(true);
    });

    it('is the same each time', () => {
        expect(arrange(name, input(31, tree))).toEqual(arrange(name, input(31, tree)));
    });
});

describe('hierarchy', () => {
    const chain = (n: number): [number, number][] =>
        Array.from({ length: n - 1 }, (_, i) => [Math.floor(i / 3), i + 1]);

    it('draws sources above their targets, or left of them where that is wide and flat', () => {
        const down = arrange('hierarchy', input(8, chain(8)));
        for (const [from, to] of chain(8)) expect(down[2 * from + 1]!).toBeGreaterThan(down[2 * to + 1]!);
        const right = arrange('hierarchy', input(61, chain(61)));
        for (const [from, to] of chain(61)) expect(right[2 * from]!).toBeLessThan(right[2 * to]!);
    });

    it('leads away from a root that is given, and knows large graphs', () => {
        const up = chain(8).map(([a, b]): [number, number] => [b, a]);
        const xy = arrange('hierarchy', input(8, up, { root: 0 }));
        for (const [from, to] of up) expect(xy[2 * from + 1]!).toBeLessThan(xy[2 * to + 1]!);
        const large = arrange('hierarchy', input(2000, chain(2000), { root: 0 }));
        for (const [from, to] of chain(2000)) expect(large[2 * from + 1]!).toBeGreaterThan(large[2 * to + 1]!);
    });
});

describe('radial', () => {
    it('puts the root in the middle and the rest on rings by distance', () => {
        const given = input(31, tree, { root: 3 });
        const xy = arrange('radial', given);
        expect([xy[6], xy[7]]).toEqual([0, 0]);
        const { rank } = ranks(given);
        const radius = (i: number): number => Math.hypot(xy[2 * i]!, xy[2 * i + 1]!);
        for (let i = 0; i < 31; i += 1) {
            for (let j = 0; j < 31; j += 1) if (rank[i]! < rank[j]!) expect(radius(i)).toBeLessThan(radius(j));
        }
    });
});

describe('grid', () => {
    it('keeps labels in blocks that do not overlap', () => {
        const given = input(30, []);
        const xy = arrange('grid', given);
        const boxes = [0, 1, 2].map((group) => {
            const mine = Array.from({ length: 30 }, (_, i) => i).filter((i) => given.groups[i] === group);
            const [xs, ys] = [mine.map((i) => xy[2 * i]!), mine.map((i) => xy[2 * i + 1]!)];
            return { left: Math.min(...xs), right: Math.max(...xs), low: Math.min(...ys), high: Math.max(...ys) };
        });
        for (const [i, a] of boxes.entries()) {
            for (const b of boxes.slice(i + 1)) {
                expect(a.right < b.left || b.right < a.left || a.high < b.low || b.high < a.low).toBe(true);
            }
        }
    });
});

describe('force', () => {
    function run(given: LayoutInput, rounds: number): Float64Array {
        const force = new Force(given);
        for (let i = 0; i < rounds; i += 1) force.step();
        return force.positions();
    }

    it('draws neighbours closer together than strangers', () => {
        const pairs: [number, number][] = [];
        for (let i = 0; i < 10; i += 1) for (let j = 0; j < i; j += 1) pairs.push([i, j], [i + 10, j + 10]);
        pairs.push([0, 10]);
        const xy = run(input(20, pairs, { xy: scatter(new Float64Array(40)) }), 300);
        const distance = (i: number, j: number): number =>
            Math.hypot(xy[2 * i]! - xy[2 * j]!, xy[2 * i + 1]! - xy[2 * j + 1]!);
        const mean = (all: number[]): number => all.reduce((a, b) => a + b, 0) / all.length;
        const within = mean(pairs.slice(0, -1).map(([i, j]) => distance(i, j)));
        const between = mean(Array.from({ length: 100 }, (_, k) => distance(k % 10, 10 + Math.floor(k / 10))));
        expect(between).toBeGreaterThan(1.5 * within);
    });

    it('leaves pinned vertices where they are', () => {
        const fixed = new Uint8Array(31);
        fixed[2] = 1;
        const given = input(31, tree, { fixed, xy: scatter(input(31, tree).xy) });
        const xy = run(given, 50);
        expect(xy[4]).toBeCloseTo(given.xy[4]!, 3);
        expect(xy[5]).toBeCloseTo(given.xy[5]!, 3);
    });

    it('comes to rest', () => {
        const force = new Force(input(31, tree, { xy: scatter(input(31, tree).xy) }));
        let moved = Infinity;
        for (let i = 0; i < 1500 && moved > 0.25; i += 1) moved = force.step();
        expect(moved).toBeLessThanOrEqual(0.25);
    });
});

describe('scatter and separate', () => {
    it('give vertices in one place different ones', () => {
        expect(closest(scatter(new Float64Array(80)))).toBeGreaterThan(0.5);
        const crowd = Float64Array.from({ length: 80 }, (_, i) => ((i * 7919) % 200) - 100);
        const xy = separate(input(40, []), crowd, 2000);
        expect(closest(crowd)).toBeLessThan(15);
        expect(closest(xy)).toBeGreaterThan(15);
    });
});
