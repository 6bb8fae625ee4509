import { describe, expect, it } from 'vitest';
import { useServer, useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

/** The files that the page loads first. */
function filesOf(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
}

describe('/console', () => {
  it('[J5] loads everything from this server, under a policy that allows nothing else', async () => {
    const page = await fetch(`${server.url}/console`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const html = await page.text();
    expect(html).not.toMatch(/https?:\/\/|<style|<script(?! type="module")|style="/);
    const files = filesOf(html);
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) {
      expect(file).toMatch(/^\/console\//);
      const asset = await fetch(server.url + file);
      expect([file, asset.status]).toEqual([file, 200]);
      expect(asset.headers.get('content-encoding')).toBe('gzip');
      expect(asset.headers.get('x-content-type-options')).toBe('nosniff');
      if (file.includes('/assets/')) expect(asset.headers.get('cache-control')).toContain('immutable');
    }
  });

  it('[J5] is small: what the first view loads is under 150 kB', async () => {
    const html = await (await fetch(`${server.url}/console`)).text();
    let bytes = 0;
    for (const file of filesOf(html)) {
      const answer = await fetch(server.url + file, { method: 'HEAD' });
      bytes += Number(answer.headers.get('content-length'));
    }
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(150_000);
  });

  it('[J5] answers the page at the address of every view, and 404 for a missing file', async () => {
    const page = await (await fetch(`${server.url}/console`)).text();
    for (const view of ['/', '/search?q=pumps', '/memories/0192f0c4-0000-7000-8000-000000000000', '/no.such'])
      expect(await (await fetch(`${server.url}/console${view}`)).text()).toBe(page);
    const missing = await fetch(`${server.url}/console/assets/index-0000.js`);
    expect(missing.status).toBe(404);
    const outside = await fetch(`${server.url}/console/..%2f..%2fpackage.json`);
    expect(await outside.text()).toBe(page);
  });
});

describe('a server without the console', () => {
  const without = useServer({
    because: 'a setting of the process',
    environment: { STRATALOG_EMBEDDER: 'deterministic', STRATALOG_CONSOLE: 'off' },
  });

  it('[J5] STRATALOG_CONSOLE=off removes it', async () => {
    expect((await fetch(`${without.url}/console`)).status).toBe(404);
    expect((await fetch(`${without.url}/console/search`)).status).toBe(404);
    expect((await fetch(`${without.url}/openapi.json`)).status).toBe(200);
  });
});
