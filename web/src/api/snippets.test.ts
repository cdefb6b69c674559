import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { snippet } from './snippets';

const hostile = `{"a":"'; touch /tmp/x; ' $(id) \`id\` \\\\ \\u202e 中文 😀"}`;
const request = { method: 'POST', url: 'http://127.0.0.1:1/a?x=%22[1]{2}', body: hostile };

describe('requests for other programs', () => {
    it('is one word for each argument in a shell', () => {
        const command = snippet('curl', request).replace(/^curl/, "printf '%s\\n'");
        const printed = execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' }).trimEnd().split('\n');
        expect(printed).toEqual([
            '--globoff',
            '-X',
            'POST',
            '-H',
            'Content-Type: application/json',
            '--data-raw',
            hostile,
            request.url,
        ]);
    });

    it('is the same text in Python', () => {
        const code = `${snippet('python', request).replace('import requests', '')}`;
        const stub = [
            'import sys',
            'class requests:',
            '    @staticmethod',
            '    def request(method, url, data=None, headers=None):',
            '        sys.stdout.buffer.write(data); sys.exit(0)',
        ].join('\n');
        expect(execFileSync('python3', ['-c', `${stub}\n${code}`], { encoding: 'utf8' })).toBe(hostile);
    });

    it('never holds a password', () => {
        for (const kind of ['curl', 'java', 'python', 'rust'] as const) {
            expect(snippet(kind, { ...request, user: 'admin' })).toContain('admin');
            expect(snippet(kind, request)).not.toContain('PASSWORD');
        }
    });
});
