import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asUpsert, mapLines } from '../../src/cli/import-lines.ts';

const upserted = (line: string) => asUpsert(Buffer.from(line)).toString();

async function mapped(chunks: readonly Buffer[], map: (line: Buffer) => Buffer): Promise<string> {
  async function* source() {
    yield* chunks;
  }
  const parts: Buffer[] = [];
  for await (const part of mapLines(source(), map)) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('[A12] a line of an import with --upsert', () => {
  it('is the same memory with `upsert: true`', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (memory) => {
        const { upsert = true, ...rest } = memory;
        const expected = JSON.parse(JSON.stringify({ ...rest, upsert })) as unknown;
        expect(JSON.parse(upserted(`${JSON.stringify(memory)}\n`))).toEqual(expected);
        expect(JSON.parse(upserted(` \t${JSON.stringify(memory, null, 1).replaceAll('\n', ' ')}`))).toEqual(
          expected,
        );
      }),
    );
  });

  it.each(['', '\n', '{}\n', '{ }\n', '[{"a":1}]\n', '"{"\n', '{broken\n'])(
    'is unchanged if it is %j, so that the server reports it',
    (line) => expect(upserted(line)).toBe(line),
  );
});

describe('[A12] lines', () => {
  it('are mapped one by one, however they are divided into chunks', async () => {
    const line = fc.stringMatching(/^[a-zä ]{0,8}$/);
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.boolean(), fc.array(fc.nat(40)), async (lines, ends, cuts) => {
        const text = lines.join('\n') + (ends ? '\n' : '');
        const bytes = Buffer.from(text);
        const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        const marked = await mapped(chunks, (each) => Buffer.concat([Buffer.from('>'), each]));
        expect(marked).toBe(text.replaceAll(/^(?=[^])/gm, '>'));
      }),
    );
  });
});
