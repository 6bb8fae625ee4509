import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Authenticator } from '../../src/api/identity/authenticate.ts';
import type { TenantDirectory } from '../../src/queries/tenant-directory.ts';

const [issuer, audience] = ['https://id.example', 'stratalog'];
/** How long jose caches a key set. */
const keptForMs = 600_000;

let key: CryptoKey;
let jwk: JWK;
let answer: http.RequestListener;
let endpoint: http.Server;
let fetches: number;
let authenticator: Authenticator;
/** Milliseconds by which the clocks are ahead. */
let ahead: number;

const keySet: http.RequestListener = (_, response) => response.end(JSON.stringify({ keys: [jwk] }));

beforeAll(async () => {
  const pair = await generateKeyPair('RS256');
  key = pair.privateKey;
  jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
});

beforeEach(async () => {
  ahead = 0;
  fetches = 0;
  answer = keySet;
  endpoint = http.createServer((request, response) => {
    fetches++;
    answer(request, response);
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { port } = endpoint.address() as AddressInfo;
  authenticator = new Authenticator({
    directory: {} as TenantDirectory,
    jwt: { issuer, audience, jwks: `http://127.0.0.1:${port}/keys` },
    development: false,
  });
  const [monotonic, wall] = [performance.now.bind(performance), Date.now];
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + ahead);
  vi.spyOn(Date, 'now').mockImplementation(() => wall() + ahead);
});

afterEach(async () => {
  vi.restoreAllMocks();
  endpoint.closeAllConnections();
  await new Promise((resolve) => endpoint.close(resolve));
});

async function token(kid = 'k1', minutes = 60): Promise<string> {
  const signed = await new SignJWT({ sub: 'ada', tenant: 'acme' })
    .setProtectedHeader({ alg: 'RS256', kid })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime(Math.floor(Date.now() / 1000) + 60 * minutes)
    .sign(key);
  return `Bearer ${signed}`;
}

const unavailable = { code: 'unavailable', status: 503, retryAfter: 5 };
const failures: [string, http.RequestListener][] = [
  ['cuts the connection', ({ socket }) => socket.destroy()],
  ['answers 500', (_, response) => response.writeHead(500).end('{"keys":[]}')],
  ['answers 404', (_, response) => response.writeHead(404).end()],
  ['redirects', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['does not answer JSON', (_, response) => response.end('<html>')],
  ['does not answer a key set', (_, response) => response.end('{"error":"try later"}')],
  ['breaks off its answer', (_, response) => response.write('{"keys"', () => response.destroy())],
];

describe('a JWT whose issuer', () => {
  it.each(failures)('[I1] %s gets a 503 with Retry-After', async (_, failing) => {
    answer = failing;
    const authorization = await token();
    await expect(authenticator.authenticate(authorization)).rejects.toMatchObject(unavailable);
  });

  it('[I1] never answers gets the same after five seconds', { timeout: 15_000 }, async () => {
    answer = () => undefined;
    await expect(authenticator.authenticate(await token())).rejects.toMatchObject(unavailable);
  });

  it('[I1] failed is checked again after five seconds', async () => {
    answer = failures[1]![1];
    const authorization = await token();
    for (let n = 0; n < 5; n++)
      await expect(authenticator.authenticate(authorization)).rejects.toMatchObject(unavailable);
    expect(fetches).toBe(1);
    answer = keySet;
    ahead += 5_001;
    expect(await authenticator.authenticate(authorization)).toMatchObject({ tenant: 'acme', user: 'ada' });
    expect(fetches).toBe(2);
  });

  it('[I1] answers without its key is refused', async () => {
    const refused = { code: 'unauthenticated', status: 401 };
    await expect(authenticator.authenticate(await token('k2'))).rejects.toMatchObject(refused);
    expect(await authenticator.authenticate(await token())).toMatchObject({ tenant: 'acme' });
    await expect(authenticator.authenticate(await token('k2'))).rejects.toMatchObject(refused);
  });
});

describe('a request in progress while the issuer fails', () => {
  it('[I1] [A12] continues until its JWT expires', async () => {
    const authorization = await token('k1', 60);
    await authenticator.authenticate(authorization);
    answer = failures[0]![1];
    ahead += keptForMs + 1_000;
    await expect(authenticator.authenticate(authorization)).rejects.toMatchObject(unavailable);
    expect(await authenticator.isStillValid(authorization)).toBe(true);
    await authenticator.assertStillValid(authorization);
    ahead += 3_600_000 - keptForMs;
    expect(await authenticator.isStillValid(authorization)).toBe(false);
    await expect(authenticator.assertStillValid(authorization)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });
});
