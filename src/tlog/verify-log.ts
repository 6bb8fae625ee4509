import { parseCheckpoint, type TreeHead } from '../domain/tlog/checkpoint.ts';
import { CheckpointSigned, LogRestored, type Restore } from '../domain/tlog/events.ts';
import { Frontier } from '../domain/tlog/frontier.ts';
import { leafOf } from '../domain/tlog/leaf.ts';
import { hashBytes, leafHash, type Hash } from '../domain/tlog/merkle.ts';
import { isSignedBy, MalformedNote, type Verifier } from '../domain/tlog/note.ts';
import { tileWidth } from '../domain/tlog/tiles.ts';
import type { EventLog, RecordedEvent } from '../ports/event-log.ts';
import { restoreIn } from './restores.ts';
import type { LogTree } from './tree.ts';

/** What was found wrong. */
export interface LogFault {
  /** Position of the first event that is wrong, or of the event about the head that contradicts the log. */
  readonly position: number;
  readonly fault: 'changed' | 'missing' | 'shorter' | 'forged-head' | 'other-history' | 'restored' | 'row';
  readonly detail: string;
}

export interface LogReport {
  /** `unsound`: the log is not the one that was signed. */
  readonly state: 'sound' | 'unsound';
  /** Number of events checked. */
  readonly events: number;
  /** Number of signed heads checked. */
  readonly heads: number;
  /** The last head that was signed: what is behind it is not protected yet. */
  readonly signed?: { readonly size: number; readonly root: string };
  readonly first?: LogFault;
}

export interface VerifyOptions {
  readonly log: Pick<EventLog, 'readAll' | 'faultyRow'>;
  /** The tiles that were kept; without them only the heads are compared. */
  readonly tree?: LogTree;
  /** The keys that heads are signed with. One of an earlier key counts where a head of one of these covers the event about it. */
  readonly verifiers: readonly Verifier[];
  /** Heads from elsewhere that this log must continue. */
  readonly against?: readonly TreeHead[];
  readonly signal?: AbortSignal;
}

const pageSize = 2_000;
const headFilter = {
  categories: [CheckpointSigned.category],
  types: [CheckpointSigned.type, LogRestored.type] as string[],
};

/**
 * Reads the whole log and compares it with the tiles that were kept and with every signed head. Finds each change, removal, insertion
 * and exchange of events up to the last head, and names the first.
 */
export async function verifyLog(options: VerifyOptions): Promise<LogReport> {
  return new LogCheck(options).run();
}

/** A root that the log must have at a size. */
interface WantedHead extends TreeHead {
  /** Position of the event about it; undefined if it comes from elsewhere. */
  readonly position?: number;
  /** Whether one of the keys signed it, or it comes from elsewhere. */
  readonly isTrusted: boolean;
}

class LogCheck {
  readonly #options: VerifyOptions;
  readonly #frontier = new Frontier();
  /** The last revision of each stream that goes on behind the last trusted head. */
  readonly #revisions = new Map<string, number>();
  /** The largest first. */
  #wanted: WantedHead[] = [];
  /** Positions of the head events that another key signed, in descending order. */
  #strange: number[] = [];
  /** Number of events that a trusted head of the log covers. */
  #covered = 0;
  #heads = 0;
  /** The logs that this one was restored from, with the position of the event about it. */
  readonly #restores: (Restore & { readonly position: number })[] = [];
  #last = 0;
  #tile: { index: number; hashes: Buffer } | undefined;

  constructor(options: VerifyOptions) {
    this.#options = options;
  }

  async run(): Promise<LogReport> {
    const { log, tree, against = [] } = this.#options;
    const sizeOfTree = (await tree?.state())?.size ?? 0;
    const { heads, forged } = await this.#readHeads();
    const signed = heads.findLast(({ isTrusted }) => isTrusted);
    this.#covered = signed?.size ?? 0;
    this.#strange = heads.flatMap(({ isTrusted, position }) => (isTrusted ? [] : [position!])).toReversed();
    this.#wanted = [...heads, ...against.map((head) => ({ ...head, isTrusted: true }))].sort(
      (one, other) => other.size - one.size,
    );
    const trusted = this.#wanted.find(({ isTrusted }) => isTrusted);
    const most = Math.max(sizeOfTree, trusted?.size ?? 0);
    const fault =
      this.#compareRestores(against) ??
      (await this.#readEvents()) ??
      (this.#frontier.size < most
        ? faultOf(
            'shorter',
            `the log has ${this.#frontier.size} events, and ${most} were signed`,
            this.#last + 1,
          )
        : undefined);
    const [first] = [fault, forged, await log.faultyRow?.()]
      .flatMap((each) => each ?? [])
      .sort((one, other) => one.position - other.position);
    return {
      state: first ? 'unsound' : 'sound',
      events: this.#frontier.size,
      heads: this.#heads,
      ...(signed && { signed: { size: signed.size, root: signed.root.toString('base64') } }),
      ...(first && { first }),
    };
  }

  /** All heads in the log, in its order, up to the first malformed one. */
  async #readHeads(): Promise<{
    readonly heads: readonly WantedHead[];
    readonly forged: LogFault | undefined;
  }> {
    const { log, verifiers } = this.#options;
    const heads: WantedHead[] = [];
    for (let after = 0; ;) {
      const page = await log.readAll({ after, limit: pageSize, filter: headFilter });
      for (const { type, data, position } of page.events) {
        if (type === LogRestored.type) {
          this.#restores.push({ ...restoreIn(data), position });
          continue;
        }
        const head = headIn(data);
        if (!head) return { heads, forged: faultOf('forged-head', 'this head is malformed', position) };
        const isTrusted = verifiers.some((verifier) => isSignedBy(head.note, verifier));
        heads.push({ ...head, position, isTrusted });
      }
      if (page.events.length === 0) return { heads, forged: undefined };
      after = page.scannedTo;
    }
  }

  /** A head of the log that this one was restored from may have events that were not restored. */
  #compareRestores(against: readonly TreeHead[]): LogFault | undefined {
    for (const head of against) {
      const restore = this.#restores.findLast(({ from }) => from.origin === head.origin);
      if (!restore || head.size <= restore.from.size) continue;
      const lost = head.size - restore.from.size;
      return faultOf(
        'restored',
        `this log begins with the first ${restore.from.size} events of ${head.origin}; the head to compare with has ${lost} more, which were not restored`,
        restore.position,
      );
    }
    return undefined;
  }

  async #readEvents(): Promise<LogFault | undefined> {
    const { log, signal } = this.#options;
    const fault = this.#compareHeads();
    if (fault) return fault;
    for (;;) {
      signal?.throwIfAborted();
      const { events, scannedTo } = await log.readAll({ after: this.#last, limit: pageSize });
      if (events.length === 0) return undefined;
      for (const event of events) {
        const fault = await this.#take(event);
        if (fault) return fault;
      }
      this.#last = scannedTo;
    }
  }

  async #take(event: RecordedEvent): Promise<LogFault | undefined> {
    const leaf = leafHash(leafOf(event));
    // A tile names the event; without tiles only the head behind it is known to be wrong.
    const fault =
      (await this.#compareTile(leaf, event)) ?? this.#compareRevision(event) ?? this.#checkCoverage(event);
    if (fault) return fault;
    this.#frontier.add(leaf);
    return this.#compareHeads();
  }

  /** The leaf must be that of the tile that was kept. */
  async #compareTile(leaf: Hash, { position }: RecordedEvent): Promise<LogFault | undefined> {
    const { tree } = this.#options;
    if (!tree) return undefined;
    const index = Math.floor(this.#frontier.size / tileWidth);
    if (this.#tile?.index !== index) this.#tile = { index, hashes: await tree.tile(0, index) };
    const at = (this.#frontier.size % tileWidth) * hashBytes;
    const kept = this.#tile.hashes.subarray(at, at + hashBytes);
    if (kept.length === 0 || kept.equals(leaf)) return undefined;
    return faultOf('changed', 'this is not the event that was signed here', position);
  }

  /** Behind the last head nothing is signed, but a stream has no gaps there either. */
  #compareRevision({ stream, revision, position }: RecordedEvent): LogFault | undefined {
    if (this.#frontier.size < this.#covered) return undefined;
    const expected = (this.#revisions.get(stream) ?? revision - 1) + 1;
    this.#revisions.set(stream, revision);
    if (revision === expected) return undefined;
    return faultOf('missing', `its stream has revision ${revision} where ${expected} belongs`, position);
  }

  /** An event about a head of another key must be covered by a trusted head: keys are exchanged, and old heads stay. */
  #checkCoverage({ position }: RecordedEvent): LogFault | undefined {
    if (this.#strange.at(-1) !== position) return undefined;
    this.#strange.pop();
    if (this.#frontier.size < this.#covered) return undefined;
    return faultOf('forged-head', 'this head is not signed with a known key', position);
  }

  /** The heads of exactly the events so far. */
  #compareHeads(): LogFault | undefined {
    while (this.#wanted.at(-1)?.size === this.#frontier.size) {
      const { root, size, position, isTrusted } = this.#wanted.pop()!;
      const isEqual = root.equals(this.#frontier.root());
      if (isEqual && position !== undefined) this.#heads++;
      if (isEqual || !isTrusted) continue;
      return position === undefined
        ? faultOf(
            'other-history',
            `the first ${size} events are not those of the head to compare with`,
            this.#last,
          )
        : faultOf(
            'changed',
            `one of the first ${size} events is not the one that this head was signed for`,
            position,
          );
    }
    return undefined;
  }
}

function faultOf(fault: LogFault['fault'], detail: string, position: number): LogFault {
  return { position, fault, detail };
}

/** The head that the data of an event about one have; undefined if they have none. */
function headIn(data: string): ReturnType<typeof parseCheckpoint> | undefined {
  try {
    const { routing } = JSON.parse(data) as { routing?: { note?: string } };
    return parseCheckpoint(String(routing?.note));
  } catch (error) {
    if (error instanceof MalformedNote || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
