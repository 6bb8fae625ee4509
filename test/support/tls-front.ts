import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A proxy that adds TLS and a password to a server without them. */
export interface TlsFront {
  readonly url: string;
  /** Its self-signed certificate in PEM. Only clients that trust it can connect. */
  readonly certificate: string;
  close(): Promise<void>;
}

/** Accepts requests over TLS with this user and password and forwards them to `target`. Needs openssl. */
export async function tlsFront(target: string, username: string, password: string): Promise<TlsFront> {
  const { key, cert } = await selfSigned();
  const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const server = https.createServer({ key, cert }, (request, response) => {
    if (request.headers.authorization !== wanted) {
      response.writeHead(401, { 'content-type': 'text/plain' }).end('Unauthorized');
      return;
    }
    const { method, headers, url } = request;
    const forwarded = http.request(new URL(url ?? '/', target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificate: cert,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Creates a key and a self-signed certificate for 127.0.0.1, in PEM. Needs openssl. */
export async function selfSigned(): Promise<{ key: string; cert: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stratalog-tls-'));
  try {
    const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
    const args = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      cert,
    ];
    await run('openssl', [...args, ...names]);
    return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  } finally {
    await rm(folder, { recursive: true });
  }
}
