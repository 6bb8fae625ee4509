import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openKurrentEventLog } from '../../src/adapters/kurrentdb/kurrent-event-log.ts';
import { LogUnavailable } from '../../src/ports/event-log.ts';
import { DoubleServers } from '../support/double-servers.ts';
import { freshStream, ids, storedEvents } from '../support/log-events.ts';

const openssl = (...args: string[]): boolean => spawnSync('openssl', args, { stdio: 'ignore' }).status === 0;

describe.runIf(openssl('version'))('[G1] the KurrentDB log over TLS', () => {
  const servers = new DoubleServers();
  let folder: string;
  let certificate: string;
  let host: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'stratalog-kurrentdb-'));
    const key = path.join(folder, 'key.pem');
    certificate = path.join(folder, 'certificate.pem');
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = openssl(
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'],
      ...['-keyout', key, '-out', certificate, ...subject],
    );
    expect(made).toBe(true);
    const { double } = await servers.start({
      secure: {
        key: await readFile(key),
        certificate: await readFile(certificate),
        user: 'stratalog',
        password: 'a secret',
      },
    });
    host = `127.0.0.1:${double.port}`;
  });

  afterAll(async () => {
    await servers.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('uses the certificate authority and the credentials of its connection string', async () => {
    const log = await openKurrentEventLog({
      connectionString: `esdb://stratalog:a%20secret@${host}?tlsCAFile=${encodeURIComponent(certificate)}`,
    });
    const stream = freshStream();
    const events = storedEvents(2);
    await log.append(stream, 'noStream', events);
    expect(ids(await log.readStream(stream))).toEqual(ids(events));
    await log.close();
  });

  it('is refused with wrong credentials, which is not retried', async () => {
    const connectionString = `esdb://stratalog:wrong@${host}?tlsCAFile=${encodeURIComponent(certificate)}`;
    await expect(openKurrentEventLog({ connectionString })).rejects.toMatchObject({ name: 'ServerRefusal' });
  });

  it('does not connect to a server with an untrusted certificate', async () => {
    const connectionString = `esdb://stratalog:a%20secret@${host}`;
    await expect(openKurrentEventLog({ connectionString, deadlineMs: 2_000 })).rejects.toBeInstanceOf(
      LogUnavailable,
    );
  });
});
