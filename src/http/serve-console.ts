import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import { Problem } from '../domain/problems.ts';
import { packageRoot } from '../support/package-root.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Everything comes from this server, nothing is inlined, and no other page may frame the console. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A file of the console, as it is sent. */
interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
  /** Its name contains a hash of its content, so browsers may keep it. */
  readonly isImmutable: boolean;
}

/**
 * Serves the web console at `/console`. Its files are read when it is first opened. Paths of no file are views of the console: they
 * get its page, which shows the view.
 */
export function serveConsole(router: Router): void {
  let reading: Promise<ReadonlyMap<string, Asset>> | undefined;
  const assets = (): Promise<ReadonlyMap<string, Asset>> => {
    reading ??= readAssets().catch((error: unknown) => {
      // The next request builds again, perhaps after an error in the sources was fixed.
      reading = undefined;
      throw error;
    });
    return reading;
  };
  router.get('/console', async (koa: Context) => send(koa, await assets(), 'index.html'));
  router.get(/^\/console\/.*$/, async (koa: Context) => {
    const file = koa.path.slice('/console/'.length);
    const found = await assets();
    if (found.has(file)) return send(koa, found, file);
    if (file.startsWith('assets/'))
      throw new Problem('not-found', `the console has no file ${file}: reload the page`);
    send(koa, found, 'index.html');
  });
}

function send(koa: Context, assets: ReadonlyMap<string, Asset>, name: string): void {
  const { type, plain, zipped, isImmutable } = assets.get(name)!;
  koa.type = type;
  koa.set('Content-Security-Policy', contentSecurityPolicy);
  koa.set('X-Content-Type-Options', 'nosniff');
  koa.set('Referrer-Policy', 'no-referrer');
  koa.set('Cache-Control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  koa.vary('Accept-Encoding');
  const compress = koa.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (compress) koa.set('Content-Encoding', 'gzip');
  koa.body = compress ? zipped : plain;
}

async function readAssets(): Promise<ReadonlyMap<string, Asset>> {
  const folder = await folderOfConsole();
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)));
  const assets = await Promise.all(
    names.map(async (name): Promise<[string, Asset]> => {
      const plain = await readFile(path.join(folder, name));
      const zipped = await promisify(gzip)(plain);
      const type = types[path.extname(name)] ?? 'application/octet-stream';
      const key = name.split(path.sep).join('/');
      return [key, { type, plain, zipped, isImmutable: key.startsWith('assets/') }];
    }),
  );
  return new Map(assets);
}

/** A package has the built console; a checkout builds it from its sources if they have changed. Throws `not-found`. */
async function folderOfConsole(): Promise<string> {
  const built = path.join(packageRoot, 'dist', 'console');
  const builder = path.join(packageRoot, 'bin', 'console.mjs');
  if (existsSync(path.join(packageRoot, 'tsconfig.json')) && existsSync(builder)) {
    const { builtConsole } = (await import(pathToFileURL(builder).href)) as {
      readonly builtConsole: () => Promise<string>;
    };
    return builtConsole();
  }
  if (existsSync(built)) return built;
  throw new Problem(
    'not-found',
    'this package was packed without the console: pack it with `npm pack --ignore-scripts=false`',
  );
}
