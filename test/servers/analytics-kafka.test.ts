import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openKafkaTransport } from '../../src/adapters/kafka/transport.ts';
import { toRecord, type ContractEvent } from '../../src/domain/contract/cloud-event.ts';
import { topicsOf } from '../../src/domain/contract/topics.ts';
import type { OutgoingRecord, Transport } from '../../src/ports/transport.ts';
import { hasKafka, PrivateKafka } from '../support/private-kafka.ts';
import { untilServed } from '../support/until-served.ts';

const run = promisify(execFile);
const source = { logId: '5f2b9c0d-1e3a-4765-8899-aabbccddeeff', prefix: 'stratalog' };
const isInstalled = existsSync('examples/analytics/node_modules/@duckdb/node-api');

describe.runIf(hasKafka() && isInstalled)(
  'examples/analytics on topics (needs Kafka, and `npm install --prefix examples/analytics`)',
  () => {
    let broker: PrivateKafka;
    let transport: Transport;
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'stratalog-analytics-'));
      broker = await PrivateKafka.start();
      transport = await untilServed(() => openKafkaTransport({ brokers: [broker.address] }));
      await transport.ensureTopics(topicsOf(source.prefix));
    });

    afterAll(async () => {
      await transport?.close();
      await broker?.remove();
      await rm(folder, { recursive: true, force: true });
    });

    const search = (position: number): OutgoingRecord => {
      const searchId = `search-${position}`;
      const event: ContractEvent = {
        id: `event-${position}`,
        type: 'SearchPerformed',
        schemaVersion: 6,
        data: JSON.stringify({ routing: { searchId, results: [], route: 'standard', durationMs: 3 } }),
        metadata: JSON.stringify({ tenant: 'acme', actor: 'user:ada' }),
        stream: `retrieval-acme.${searchId}`,
        revision: 0,
        position,
        time: new Date('2026-11-28T10:00:00Z'),
      };
      return toRecord(event, source);
    };

    async function analyse(): Promise<string> {
      const call = ['examples/analytics/analytics.mjs', '--kafka', broker.address];
      const { stdout } = await run(process.execPath, [...call, '--db', path.join(folder, 'a.duckdb')]);
      return stdout;
    }

    it('[G6] counts each search once, though records are repeated and the command is run again', async () => {
      const first = Array.from({ length: 500 }, (_, n) => search(n + 1));
      await transport.publish([...first, ...first.slice(0, 50)]);
      expect(await analyse()).toMatch(/^500 new events.*\b500 searches/s);
      expect(await analyse()).toMatch(/^0 new events.*\b500 searches/s);
      await transport.publish([search(501), ...first.slice(7, 9)]);
      expect(await analyse()).toMatch(/^1 new events.*\b501 searches/s);
    });
  },
);
