import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { startKurrentDouble, type DoubleOptions, type KurrentDouble } from '../doubles/kurrentdb/double.ts';

export interface DoubleServer {
  readonly double: KurrentDouble;
  readonly connectionString: string;
  /** Sets a limit on a stream, as an operator does. The server stores it as an event. */
  limitStream(stream: string): Promise<void>;
}

/** Doubles of the event store, each with its own file in a temporary folder. */
export class DoubleServers {
  readonly #doubles: KurrentDouble[] = [];
  readonly #folders: string[] = [];

  async start(options: Omit<DoubleOptions, 'file'> = {}): Promise<DoubleServer> {
    const folder = await mkdtemp(path.join(tmpdir(), 'stratalog-kurrentdb-'));
    this.#folders.push(folder);
    const double = await startKurrentDouble({ ...options, file: path.join(folder, 'events') });
    this.#doubles.push(double);
    const { connectionString } = double;
    return {
      double,
      connectionString,
      async limitStream(stream) {
        const client = EventStoreDBClient.connectionString(connectionString);
        await client.setStreamMetadata(stream, { maxCount: 1_000 });
        await client.dispose();
      },
    };
  }

  /** Stops the doubles and removes their files. */
  async dispose(): Promise<void> {
    await Promise.all(this.#doubles.map((double) => double.close()));
    await Promise.all(this.#folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }
}
