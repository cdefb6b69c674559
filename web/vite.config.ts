import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// Where the server is while developing (`npm run dev`). Its addresses are passed through; the pages are vite's own.
const server = process.env.RHIZOME_URL ?? 'http://127.0.0.1:8080';
const passed = [
    '/graphs',
    '/graphspaces',
    '/gremlin',
    '/health',
    '/versions',
    '/metrics',
    '/auth',
    '/db',
    '/openapi.json',
    '/rhizome',
];

export default defineConfig({
    base: '/ui/',
    plugins: [svelte()],
    build: {
        target: 'es2022',
        outDir: process.env.RHIZOME_WEB_OUT ?? 'build',
        emptyOutDir: true,
        // The content security policy allows no data: scripts and fonts, so nothing is put into other files.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
    },
    worker: { format: 'es' },
    server: { proxy: Object.fromEntries(passed.map((path) => [path, { target: server, changeOrigin: false }])) },
    // Machines that test have other work too.
    test: { include: ['src/**/*.test.ts'], environment: 'node', testTimeout: 60_000 },
});
