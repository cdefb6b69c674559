// After the build: writes FILE.br and FILE.gz next to each file that gets smaller by it, and manifest.json, the table
// that crates/web-ui/build.rs reads. Usage: node scripts/compress.js DIST
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import zopfli from '@gfx/zopfli';

const types = {
    '.html': 'text/html;charset=utf-8',
    '.js': 'text/javascript;charset=utf-8',
    '.css': 'text/css;charset=utf-8',
    '.svg': 'image/svg+xml',
};

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: node scripts/compress.js DIST');

function* filesIn(at) {
    for (const name of readdirSync(at).sort()) {
        const path = join(at, name);
        if (statSync(path).isDirectory()) yield* filesIn(path);
        else yield path;
    }
}

/** Gzip in fewer bytes than zlib writes: browsers take brotli over TLS and from their own machine only. */
const gzip = (bytes) =>
    new Promise((resolve, reject) =>
        zopfli.gzip(bytes, { numiterations: 5 }, (error, packed) => (error ? reject(error) : resolve(packed))),
    );

const manifest = [];
for (const path of [...filesIn(folder)]) {
    const name = relative(folder, path).split(sep).join('/');
    if (name === 'manifest.json' || name.startsWith('.') || /\.(br|gz)$/.test(name)) continue;
    const type = types[extname(path)];
    if (type === undefined) throw new Error(`${name}: no content type is known for this file; add it to compress.js`);
    const bytes = readFileSync(path);
    const entry = { path: name, type, sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length };
    const br = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
    const gz = await gzip(bytes);
    if (br.length < bytes.length && gz.length < bytes.length) {
        writeFileSync(`${path}.br`, br);
        writeFileSync(`${path}.gz`, gz);
        Object.assign(entry, { br: br.length, gz: gz.length });
    }
    manifest.push(entry);
}
writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`);
