import { createHash } from 'node:crypto';
import {
  ProblemError,
  type Feedback,
  type LinkType,
  type Stratalog,
} from '../../packages/client/src/index.ts';
import { exportFormat, TransferRefused, type ExportHeader, type ExportRecord } from './transfer-records.ts';

const newline = Buffer.from('\n');
const startOfRecord = /^\s*\{"(?:record|stratalog)":"/;
const startOfMemory = /^\{"id":"([^"\\]{1,64})",/;
/** Characters of a line that tell what it is. */
const prefixLength = 90;

interface NumberedRecord {
  readonly line: number;
  readonly record: ExportRecord;
}

/** Takes the lines of an export apart: memories are stored first, then everything that names them by the ids of the file. */
export class TransferLines {
  readonly #records: NumberedRecord[] = [];
  readonly #fileIds = new Map<number, string>();
  readonly #newIds = new Map<string, string>();
  #forReading = 0;
  #line = 0;

  /** Starts again: the file is read once more. */
  restart(): void {
    this.#line = 0;
    this.#forReading = 0;
    this.#records.length = 0;
    this.#fileIds.clear();
  }

  /**
   * What is sent of a line as a memory: an empty line in place of another record, so that line numbers stay; a memory without
   * its id. Other lines stay as they are, byte for byte.
   */
  memoryOf(line: Buffer): Buffer {
    // Only the last part of a line that is sent in parts has a line break.
    const number = this.#line + 1;
    if (line.at(-1) === 0x0a) this.#line++;
    const start = line.subarray(0, prefixLength).toString('latin1');
    const id = startOfMemory.exec(start);
    if (id) {
      this.#fileIds.set(number, id[1]!);
      return Buffer.concat([Buffer.from('{'), line.subarray(id[0].length)]);
    }
    if (!startOfRecord.test(start)) return line;
    const record = recordOf(line);
    if (record === undefined) return line;
    if ('stratalog' in record) expectKnownFormat(record);
    // No call stores these, and a history is too long to be kept.
    else if (record.record === 'summary' || record.record === 'version') this.#forReading++;
    else this.#records.push({ line: number, record });
    return newline;
  }

  /** Remembers the id that the memory of a line has now. */
  stored(line: number, id: string | undefined): void {
    const before = this.#fileIds.get(line);
    if (before !== undefined && id !== undefined) this.#newIds.set(before, id);
  }

  /**
   * Sends links, feedback and traces, in the order of the file. A repetition changes nothing. `refused` is called for each that the
   * server does not take.
   */
  async send(
    client: Stratalog,
    refused: (line: number, problem: ProblemError) => void,
  ): Promise<RecordTotals | undefined> {
    if (this.#records.length + this.#forReading === 0) return undefined;
    const totals = { links: 0, feedback: 0, traces: 0, leftOut: this.#forReading, refused: 0 };
    for (const { line, record } of this.#records) {
      try {
        const taken = await this.#sendOne(client, record);
        totals[taken ?? 'leftOut']++;
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        totals.refused++;
        refused(line, error);
      }
    }
    return totals;
  }

  /** Undefined if the record cannot be carried over. */
  async #sendOne(
    client: Stratalog,
    record: ExportRecord,
  ): Promise<'links' | 'feedback' | 'traces' | undefined> {
    if (record.record === 'link') {
      const [source, target] = [this.#newIds.get(record.source), this.#newIds.get(record.target)];
      if (source === undefined || target === undefined) return undefined;
      const { type, confidence } = record;
      await client.memories.link(
        source,
        type as LinkType,
        target,
        confidence === undefined ? {} : { confidence },
      );
      return 'links';
    }
    if (record.record === 'feedback') {
      const memory = this.#newIds.get(record.memory);
      // These two judge an answer of the other server, which this one never gave.
      if (memory === undefined || record.kind === 'helpful' || record.kind === 'irrelevant') return undefined;
      const body = {
        kind: record.kind as Feedback['kind'],
        ...(record.note !== undefined && { note: record.note }),
      };
      await client.memories.feedback(memory, body, { idempotencyKey: keyOf({ ...record, memory }) });
      return 'feedback';
    }
    if (record.record === 'trace') {
      const { company: _, ...scope } = record.trace.scope ?? {};
      const helpful = record.trace.memoriesHelpful;
      const trace = {
        ...record.trace,
        memoriesUsed: this.#renamed(record.trace.memoriesUsed),
        ...(helpful && { memoriesHelpful: this.#renamed(helpful) }),
        ...(record.trace.scope && { scope }),
      };
      await client.reasoning.record(trace, { idempotencyKey: keyOf(trace) });
      return 'traces';
    }
    return undefined;
  }

  #renamed(ids: readonly string[]): string[] {
    return ids.flatMap((id) => this.#newIds.get(id) ?? []);
  }
}

/** What became of the lines that are not memories. Left out are summaries, versions, and what names a memory that is not there. */
export interface RecordTotals {
  links: number;
  feedback: number;
  traces: number;
  leftOut: number;
  refused: number;
}

function keyOf(body: object): string {
  return `import-${createHash('sha256').update(JSON.stringify(body)).digest('hex')}`;
}

/** Undefined if the line is broken: the server reports that. */
function recordOf(line: Buffer): ExportRecord | ExportHeader | undefined {
  try {
    return JSON.parse(line.toString('utf8')) as ExportRecord | ExportHeader;
  } catch {
    return undefined;
  }
}

function expectKnownFormat({ format }: ExportHeader): void {
  if (format > exportFormat)
    throw new TransferRefused(
      `The file has format ${format} of a later version; this program reads up to ${exportFormat}. Import it with a newer one.`,
    );
}
