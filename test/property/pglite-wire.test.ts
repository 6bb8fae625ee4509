import { protocol } from '@electric-sql/pglite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  closeMessage,
  executeMessage,
  parseMessage,
  scriptMessage,
  statementMessage,
} from '../../src/adapters/pglite/wire.ts';

const { serialize } = protocol;

const text = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
const param = fc.oneof(fc.constant(null), fc.string({ unit: 'binary' }), fc.uint8Array());

it('[I2] writes each message like the serializer of PGlite', () => {
  fc.assert(
    fc.property(text, text, fc.array(param), (statement, name, params) => {
      const execution = (of: string): Uint8Array =>
        Buffer.concat([
          serialize.bind({ statement: of, values: params }),
          serialize.describe({ type: 'P' }),
          serialize.execute(),
          serialize.sync(),
        ]);
      const unnamed = Buffer.concat([serialize.parse({ text: statement }), execution('')]);
      expect(statementMessage(statement, params)).toEqual(unnamed);
      expect(executeMessage(params, name)).toEqual(execution(name));
      expect(parseMessage(statement, name)).toEqual(Buffer.from(serialize.parse({ name, text: statement })));
      expect(closeMessage(name)).toEqual(Buffer.from(serialize.close({ type: 'S', name })));
      expect(scriptMessage(statement)).toEqual(Buffer.from(serialize.query(statement)));
    }),
  );
});

it('[I2] refuses a statement with a NUL, which would end it early', () => {
  for (const write of [scriptMessage, parseMessage, (text: string) => statementMessage(text, [])])
    expect(() => write('select 1;\0 drop table x')).toThrow('NUL');
});
