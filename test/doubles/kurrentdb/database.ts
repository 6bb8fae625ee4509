import { WakeUp } from '../../../src/support/wake-up.ts';
import { decide, type Expected } from './append-decision.ts';
import { EventFile } from './event-file.ts';
import type { EventRecord, PlacedRecord } from './record.ts';
import { lastPossibleRevision, StreamState } from './stream-state.ts';

export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export type AppendOutcome =
  | {
      readonly kind: 'done';
      /** Revision of the last event; undefined for an append without events. */
      readonly revision: bigint | undefined;
      readonly position: number | undefined;
    }
  | { readonly kind: 'wrong-revision'; readonly actual: bigint }
  | { readonly kind: 'deleted' };

const metadataType = '$metadata';

/** The events of the double, in memory and in the file. Calls are decided in order. */
export class Database {
  /** All events on the disk, in commit order. */
  readonly all: PlacedRecord[] = [];
  readonly changed = new WakeUp();
  readonly #file: EventFile;
  readonly #rememberedIds: number;
  /** Streams as decided, ahead of what is on the disk. */
  readonly #streams = new Map<string, StreamState>();
  /** Streams as on the disk. */
  readonly #visible = new Map<string, StreamState>();
  readonly #recent = new Map<string, bigint>();
  #lastCreated = 0;

  private constructor(file: EventFile, rememberedIds: number) {
    this.#file = file;
    this.#rememberedIds = rememberedIds;
  }

  /**
   * `rememberedIds`: how many event ids are remembered for `any` and `stream_exists`. The real server's memory is limited
   * too.
   */
  static async open(path: string, rememberedIds: number): Promise<Database> {
    const { file, records } = await EventFile.open(path);
    const database = new Database(file, rememberedIds);
    database.#decided(records);
    database.#publish(records);
    return database;
  }

  /** The end of the log: one position after its last record. */
  get end(): number {
    return this.#file.end;
  }

  stream(name: string): StreamState | undefined {
    return this.#visible.get(name);
  }

  /** Appends all events or none. Resolves when they are on the disk. */
  async append(
    name: string,
    expected: Expected,
    events: readonly ProposedEvent[],
    revisionOf?: (index: number) => bigint,
  ): Promise<AppendOutcome> {
    const stream = this.#streams.get(name) ?? new StreamState();
    const ids = events.map(({ id }) => id);
    const decision = decide(stream, expected, ids, (id) => this.#recent.get(`${name}/${id}`));
    const last = stream.lastRevision;
    switch (decision.kind) {
      case 'deleted':
        return decision;
      case 'wrong-revision':
        return { kind: 'wrong-revision', actual: last };
      case 'repeated':
        return this.#repeated(stream, decision.first + BigInt(events.length) - 1n);
      case 'write': {
        if (events.length === 0) return { kind: 'done', revision: undefined, position: undefined };
        const created = (this.#lastCreated = Math.max(Date.now(), this.#lastCreated));
        const records = events.map((event, index): EventRecord => {
          const revision = revisionOf?.(index) ?? last + 1n + BigInt(index);
          return { ...event, stream: name, revision, created };
        });
        if (stream.softlyDeleted) records.unshift(this.#truncation(name, last + 1n, created));
        return this.#write(records);
      }
    }
  }

  /** Hides the stream's events. Later events continue its numbering. */
  async delete(name: string, expected: Expected): Promise<AppendOutcome> {
    const refusal = this.#refusalOfDeletion(name, expected);
    if (refusal) return refusal;
    return this.#write([this.#truncation(name, lastPossibleRevision, Date.now())]);
  }

  /** Closes the stream forever. */
  async tombstone(name: string, expected: Expected): Promise<AppendOutcome> {
    const refusal = this.#refusalOfDeletion(name, expected);
    if (refusal) return refusal;
    const nothing = new Uint8Array();
    const id = crypto.randomUUID();
    const contentType = 'application/octet-stream';
    const tombstone = { id, type: '$streamDeleted', contentType, data: nothing, metadata: nothing };
    return this.append(name, 'any', [tombstone], () => lastPossibleRevision);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #repeated(stream: StreamState, revision: bigint): Promise<AppendOutcome> {
    const position = stream.softlyDeleted ? undefined : stream.at(revision)!.position;
    return { kind: 'done', revision, position };
  }

  #refusalOfDeletion(name: string, expected: Expected): AppendOutcome | undefined {
    const stream = this.#streams.get(name) ?? new StreamState();
    if (stream.tombstoned) return { kind: 'deleted' };
    const actual = stream.lastRevision;
    const wanted = expected === 'no_stream' ? -1n : expected;
    const right = typeof wanted === 'bigint' ? wanted === actual : actual >= 0n;
    return right ? undefined : { kind: 'wrong-revision', actual };
  }

  #truncation(name: string, before: bigint, created: number): EventRecord {
    const stream = `$$${name}`;
    return {
      stream,
      revision: (this.#streams.get(stream)?.lastRevision ?? -1n) + 1n,
      id: crypto.randomUUID(),
      type: metadataType,
      contentType: 'application/json',
      created,
      data: new TextEncoder().encode(`{"$tb":${before}}`),
      metadata: new Uint8Array(),
    };
  }

  async #write(records: readonly EventRecord[]): Promise<AppendOutcome> {
    const { placed, written } = this.#file.append(records);
    this.#decided(placed);
    await written;
    this.#publish(placed);
    const { revision, position } = placed.at(-1)!;
    return { kind: 'done', revision, position };
  }

  #decided(records: readonly PlacedRecord[]): void {
    place(this.#streams, records);
    for (const { stream, id, revision, created } of records) {
      this.#lastCreated = Math.max(this.#lastCreated, created);
      this.#recent.set(`${stream}/${id}`, revision);
    }
    for (const eldest of this.#recent.keys()) {
      if (this.#recent.size <= this.#rememberedIds) break;
      this.#recent.delete(eldest);
    }
  }

  #publish(records: readonly PlacedRecord[]): void {
    place(this.#visible, records);
    for (const record of records) this.all.push(record);
    this.changed.wake();
  }
}

function place(streams: Map<string, StreamState>, records: readonly PlacedRecord[]): void {
  const of = (name: string): StreamState => {
    const known = streams.get(name) ?? new StreamState();
    streams.set(name, known);
    return known;
  };
  for (const record of records) {
    of(record.stream).add(record);
    if (record.type === metadataType && record.stream.startsWith('$$'))
      of(record.stream.slice(2)).limit(record);
  }
}
