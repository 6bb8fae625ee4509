import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { ReplyBuffer } from '../../src/adapters/pglite/reply-buffer.ts';
import { holdsError, readReply } from '../../src/adapters/pglite/reply.ts';
import type { EngineNotice } from '../../src/adapters/pglite/protocol.ts';
import { SqlError } from '../../src/adapters/sql/error.ts';

let received: unknown[];
let buffer: ReplyBuffer;

beforeEach(() => {
  received = [];
  buffer = new ReplyBuffer();
});

const listeners = {
  noticed: (notice: EngineNotice) => void received.push(notice),
  notified: (channel: string) => void received.push(channel),
};

/** Parses everything received as the reply of one exchange. */
function read() {
  const result = readReply(Buffer.from(buffer.content), listeners);
  buffer.clear();
  return result;
}

/** A backend message in the format of PostgreSQL's manual. */
function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(4 + body.length), body]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const column = (name: string, type: number): Buffer =>
  Buffer.concat([text(name), int32(1), int16(1), int32(type), int16(-1), int32(-1), int16(0)]);
const columns = (...all: [name: string, type: number][]): Buffer =>
  message('T', int16(all.length), ...all.map(([name, type]) => column(name, type)));
const row = (values: readonly (string | null)[]): Buffer =>
  message(
    'D',
    int16(values.length),
    ...values.flatMap((value) =>
      value === null ? [int32(-1)] : [int32(Buffer.byteLength(value)), Buffer.from(value)],
    ),
  );
const complete = (tag: string): Buffer => message('C', text(tag));
const fields = (type: string, all: Record<string, string>): Buffer =>
  message(
    type,
    ...Object.entries(all).map(([name, value]) => Buffer.concat([Buffer.from(name), text(value)])),
    Buffer.from([0]),
  );
const ready = message('Z', Buffer.from('I'));

function take(bytes: Buffer, cuts: readonly number[] = []): void {
  let from = 0;
  for (const cut of [...cuts].sort((left, right) => left - right)) {
    const piece = Uint8Array.from(bytes.subarray(from, cut));
    buffer.append(piece);
    // The database reuses the buffer for the next chunk.
    piece.fill(0xff);
    from = cut;
  }
  buffer.append(bytes.subarray(from));
}

describe('a reply of PostgreSQL', () => {
  it('is read with any values and any division into chunks', () => {
    const text = fc.option(fc.string({ unit: 'grapheme', maxLength: 40 }), { nil: null });
    const number = fc.option(fc.maxSafeInteger().map(String), { nil: null });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, number, text), { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        (rows, places) => {
          const bytes = Buffer.concat([
            message('1'),
            message('2'),
            columns(['a', 25], ['b', 20], ['ç', 1043]),
            ...rows.map(row),
            complete(`SELECT ${rows.length}`),
            ready,
          ]);
          take(
            bytes,
            places.map((place) => place % bytes.length),
          );
          expect(read()).toEqual({
            rows: rows.map(([a, b, ç]) => ({ a, b: b === null ? null : Number(b), ç })),
            tag: `SELECT ${rows.length}`,
          });
        },
      ),
    );
  });

  it('of several megabytes can be followed by a small one', () => {
    const values = Array.from({ length: 3_000 }, (_, n) => [`${n}`, 'x'.repeat(3_000)]);
    take(
      Buffer.concat([columns(['n', 23], ['x', 25]), ...values.map(row), complete('SELECT 3000')]),
      [8_192],
    );
    expect(read().rows).toEqual(values.map(([n, x]) => ({ n: Number(n), x })));
    take(Buffer.concat([complete('COMMIT'), ready]));
    expect(read()).toEqual({ rows: [], tag: 'COMMIT' });
  });

  it('with an error throws an error with its fields, and the next reply can be read', () => {
    const failure = {
      S: 'ERROR',
      C: '23505',
      M: 'duplicate key',
      D: 'Key (a)=(1)',
      t: 'things',
      n: 'things_pkey',
    };
    take(Buffer.concat([fields('E', { ...failure, V: 'ERROR', F: 'nbtinsert.c' }), ready]), [7]);
    expect(holdsError(buffer.content)).toBe(true);
    const thrown = (() => {
      try {
        return read();
      } catch (error) {
        return error;
      } finally {
        buffer.clear();
      }
    })();
    expect(thrown).toBeInstanceOf(SqlError);
    expect(thrown).toMatchObject({
      severity: 'ERROR',
      code: '23505',
      message: 'duplicate key',
      detail: 'Key (a)=(1)',
      table: 'things',
      constraint: 'things_pkey',
    });
    take(complete('BEGIN'));
    expect(holdsError(buffer.content)).toBe(false);
    expect(read().tag).toBe('BEGIN');
  });

  it('throws the first of its errors', () => {
    take(Buffer.concat([fields('E', { M: 'first' }), fields('E', { M: 'second' }), ready]));
    expect(() => read()).toThrow('first');
  });

  it('of several statements has the rows of the last one that returns rows', () => {
    take(Buffer.concat([columns(['a', 25]), row(['one']), complete('SELECT 1'), ready]));
    take(Buffer.concat([columns(['b', 25]), row(['two']), complete('SELECT 1'), ready]));
    take(Buffer.concat([complete('COMMIT'), ready]));
    expect(read()).toEqual({ rows: [{ b: 'two' }], tag: 'COMMIT' });
  });

  it('passes on notices and notifications', () => {
    const notification = message('A', int32(7), text('stratalog_log'), text(''));
    take(Buffer.concat([fields('N', { S: 'WARNING', M: 'mind this' }), notification, complete('LISTEN')]));
    expect(read().tag).toBe('LISTEN');
    expect(received).toEqual([{ severity: 'WARNING', message: 'mind this' }, 'stratalog_log']);
  });

  it('that was interrupted can be discarded', () => {
    buffer.append(row(['half']).subarray(0, 9));
    buffer.clear();
    take(complete('ROLLBACK'));
    expect(read()).toEqual({ rows: [], tag: 'ROLLBACK' });
  });
});
