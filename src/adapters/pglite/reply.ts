import { SqlError, type SqlFailure } from '../sql/error.ts';
import type { Column, EngineNotice, EngineResult } from './protocol.ts';

export interface ReplyListeners {
  notified(channel: string): void;
  noticed(notice: EngineNotice): void;
}

const initialBytes = 256 * 2 ** 10;
/** What a larger reply took is given back. */
const keptBytes = 4 * 2 ** 20;
/** Type and length, which counts itself. */
const headBytes = 5;

/** Message types of the backend (PostgreSQL's manual, "Message Formats"). */
const message = {
  rowDescription: code('T'),
  dataRow: code('D'),
  commandComplete: code('C'),
  error: code('E'),
  notice: code('N'),
  notification: code('A'),
} as const;

/** Field types of an error or a notice, as `SqlFailure` names them. */
const fieldNames: ReadonlyMap<number, keyof SqlFailure> = new Map([
  [code('S'), 'severity'],
  [code('C'), 'code'],
  [code('M'), 'message'],
  [code('D'), 'detail'],
  [code('H'), 'hint'],
  [code('P'), 'position'],
  [code('W'), 'where'],
  [code('s'), 'schema'],
  [code('t'), 'table'],
  [code('c'), 'column'],
  [code('n'), 'constraint'],
]);

/**
 * Reads what PostgreSQL answers in one exchange. PGlite brings a parser along, which takes 3 µs for each value of each row: of
 * reading a page of the log that was more than PostgreSQL's own part.
 */
export class Reply {
  readonly #listeners: ReplyListeners;
  #bytes = Buffer.allocUnsafeSlow(initialBytes);
  #end = 0;
  #at = 0;

  constructor(listeners: ReplyListeners) {
    this.#listeners = listeners;
  }

  /** Keeps a piece of the reply, which the database overwrites afterwards. Messages need not end where pieces do. */
  take(piece: Uint8Array): void {
    const end = this.#end + piece.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#end);
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#end);
    this.#end = end;
  }

  /**
   * The rows of the statement that has any and the tag of the last, once the exchange is over; the next reply begins then.
   * Throws the first error as `SqlError`.
   */
  read(): EngineResult {
    try {
      return this.#read();
    } finally {
      this.forget();
    }
  }

  /** What was taken is no reply: the exchange was broken off. */
  forget(): void {
    this.#end = 0;
    this.#at = 0;
    if (this.#bytes.length > keptBytes) this.#bytes = Buffer.allocUnsafeSlow(initialBytes);
  }

  #read(): EngineResult {
    let columns: readonly Column[] = [];
    let tag = '';
    let failure: SqlFailure | undefined;
    const rows: (string | null)[][] = [];
    while (this.#at < this.#end) {
      const type = this.#bytes[this.#at]!;
      const next = this.#at + 1 + this.#bytes.readInt32BE(this.#at + 1);
      this.#at += headBytes;
      if (type === message.dataRow) rows.push(this.#row());
      else if (type === message.rowDescription) columns = this.#columns();
      else if (type === message.commandComplete) tag = this.#text();
      else if (type === message.error) failure ??= this.#failure();
      else if (type === message.notice) this.#notice();
      else if (type === message.notification) this.#notification();
      // The rest tells how far the exchange is.
      this.#at = next;
    }
    if (failure) throw new SqlError(failure);
    return { columns, rows, tag };
  }

  #row(): (string | null)[] {
    const bytes = this.#bytes;
    const count = bytes.readInt16BE(this.#at);
    let at = this.#at + 2;
    const row: (string | null)[] = [];
    for (let n = 0; n < count; n++) {
      const length = bytes.readInt32BE(at);
      at += 4;
      if (length < 0) row.push(null);
      else row.push(bytes.toString('utf8', at, (at += length)));
    }
    return row;
  }

  #columns(): readonly Column[] {
    const count = this.#int16();
    return Array.from({ length: count }, () => {
      const name = this.#text();
      // The table and the number of the column there.
      this.#at += 4 + 2;
      const type = this.#int32();
      // Size and modifier of the type, and its format.
      this.#at += 2 + 4 + 2;
      return { name, type };
    });
  }

  #failure(): SqlFailure {
    const failure: { -readonly [Field in keyof SqlFailure]: string } = { message: '' };
    for (let type = this.#bytes[this.#at++]!; type !== 0; type = this.#bytes[this.#at++]!) {
      const value = this.#text();
      const name = fieldNames.get(type);
      if (name) failure[name] = value;
    }
    return failure;
  }

  #notice(): void {
    const { severity = 'NOTICE', message: text } = this.#failure();
    this.#listeners.noticed({ severity, message: text });
  }

  #notification(): void {
    // The process that sent it.
    this.#at += 4;
    this.#listeners.notified(this.#text());
  }

  #int16(): number {
    this.#at += 2;
    return this.#bytes.readInt16BE(this.#at - 2);
  }

  #int32(): number {
    this.#at += 4;
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  /** Up to the NUL that ends it. */
  #text(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    const text = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }
}

function code(type: string): number {
  return type.charCodeAt(0);
}
