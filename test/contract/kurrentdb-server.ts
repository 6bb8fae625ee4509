import { EventStoreDBClient, UnavailableError } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect, counted, refusal, ServerCalls, type ServerUnderTest } from '../support/kurrentdb-client.ts';
import { serverAllSubscriptions } from './kurrentdb-server-all-subscription.ts';
import { serverAppends } from './kurrentdb-server-append.ts';
import { serverDeletion } from './kurrentdb-server-deletion.ts';
import { serverIds } from './kurrentdb-server-ids.ts';
import { serverPayload } from './kurrentdb-server-payload.ts';
import { serverReads } from './kurrentdb-server-read.ts';
import { serverSubscriptions } from './kurrentdb-server-subscription.ts';

export interface OpenedServer {
  readonly connectionString: string;
  close(): Promise<void>;
}

/**
 * The behaviour of the server that the log relies on, as observed on the real server (23.10.7 and 24.2.0). Both the real server
 * and the double must pass this contract; otherwise tests against the double would prove nothing about the real one.
 */
export function kurrentServerContract(name: string, open: () => Promise<OpenedServer>): void {
  describe(`[G1] ${name} as the event store`, () => {
    let opened: OpenedServer;
    let client: EventStoreDBClient;

    beforeAll(async () => {
      opened = await open();
      client = EventStoreDBClient.connectionString(opened.connectionString);
    });

    afterAll(async () => {
      await client?.dispose();
      await opened?.close();
    });

    const server: ServerUnderTest = {
      get client() {
        return client;
      },
      get connectionString() {
        return opened.connectionString;
      },
    };
    const calls = new ServerCalls(server);
    serverAppends(calls);
    serverIds(calls);
    serverPayload(calls);
    serverReads(calls);
    serverDeletion(calls);
    serverSubscriptions(calls);
    serverAllSubscriptions(calls);
  });
}

/** Behaviour of the client without a server. */
export function kurrentClientWithoutServer(): void {
  describe('[G1] a client of the event store without a server', () => {
    it('rejects with code 14', async () => {
      const nobody = EventStoreDBClient.connectionString('esdb://127.0.0.1:9?tls=false');
      expect(await refusal(nobody.appendToStream('x', counted(0)), Error)).toMatchObject({ code: 14 });
      expect(await refusal(collect(nobody.readStream('x')), UnavailableError)).toMatchObject({ code: 14 });
      await nobody.dispose();
    });
  });
}
