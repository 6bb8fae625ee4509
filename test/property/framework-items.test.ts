import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metadataPath } from '../../src/domain/metadata-path.ts';
import { externalIdSchema } from '../../src/domain/layers.ts';
import { contentSchema } from '../../src/domain/memory/content.ts';
import {
  externalIdOf,
  generationOf,
  itemId,
  namespacePath,
  pathsTo,
} from '../../packages/client/frameworks/src/langgraph/item-id.ts';
import { itemText } from '../../packages/client/frameworks/src/langgraph/item-text.ts';
import { searchFilter } from '../../packages/client/frameworks/src/langgraph/search-filter.ts';
import { itemOfJson, jsonOfItem } from '../../packages/client/frameworks/src/openai-agents/item-json.ts';
import { itemText as sessionItemText } from '../../packages/client/frameworks/src/openai-agents/item-text.ts';
import { isBlank, partsOf, storableText } from '../../packages/client/frameworks/src/storable-text.ts';

/** Texts with the characters that separate parts of ids. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '/', '#', '2', '=', '@', '%', '.', ' ') }),
  fc.string({ unit: 'grapheme' }),
);
const labels = fc.array(
  text.filter((label) => label !== ''),
  { minLength: 1, maxLength: 4 },
);
const item = fc.record({
  store: text,
  namespace: labels,
  key: text,
  user: fc.option(text, { nil: undefined }),
});

describe('the ids of LangGraph items', () => {
  it('[J3] are external ids, and differ where store, user, namespace, key or generation do', async () => {
    const generation = fc.integer({ min: 1, max: 99 });
    await fc.assert(
      fc.asyncProperty(item, item, generation, generation, async (one, other, first, second) => {
        const idOf = ({ store, user, ...rest }: typeof one) => itemId(store, rest, user);
        const ids = [externalIdOf(await idOf(one), first), externalIdOf(await idOf(other), second)];
        for (const id of ids) expect(externalIdSchema.safeParse(id).success).toBe(true);
        expect(ids.map(generationOf)).toEqual([first, second]);
        const isSame = JSON.stringify([one, first]) === JSON.stringify([other, second]);
        expect(ids[0] === ids[1]).toBe(isSame);
      }),
    );
  });

  it('[J3] stay short for long keys, and still differ', async () => {
    const ids = await Promise.all(
      ['a', 'b'].map((end) => itemId('langgraph', { namespace: ['x'], key: 'ключ'.repeat(1_000) + end })),
    );
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(externalIdSchema.safeParse(externalIdOf(id, 12)).success).toBe(true);
  });

  it('[J3] of a namespace are within exactly those of its prefixes', () => {
    fc.assert(
      fc.property(text, labels, labels, (store, namespace, prefix) => {
        const isPrefix = prefix.every((label, index) => label === namespace[index]);
        expect(pathsTo(store, namespace).includes(namespacePath(store, prefix))).toBe(isPrefix);
        expect(pathsTo(store, namespace)).toHaveLength(namespace.length + 1);
      }),
    );
  });
});

describe('the text of an item', () => {
  it.each([
    [{ text: 'Ada likes tea' }, undefined, 'Ada likes tea'],
    [{ theme: 'dark', size: 12, on: true, none: null }, undefined, 'theme: dark\nsize: 12\non: true'],
    [{ home: { city: 'Lyon' }, tags: ['a', 'b'], empty: [] }, undefined, 'home.city: Lyon\ntags: a, b'],
    [{ notes: [{ text: 'First note' }, { text: 'Second note' }] }, undefined, 'First note\nSecond note'],
    [
      { notes: [{ text: 'First note' }, { text: 'Second note' }] },
      ['notes[*].text'],
      'First note\nSecond note',
    ],
    [{ notes: [{ text: 'First note' }, { text: 'Second note' }] }, ['notes[-1].text'], 'Second note'],
    [
      { notes: [{ text: 'First note' }, { text: 'Second note' }] },
      ['notes[0]', 'notes[5]', 'x.y'],
      'First note',
    ],
    [{ a: { b: 'x' }, c: 'y' }, ['a.b', 'c'], 'a.b: x\nc: y'],
    [{ a: 'one two', b: 'one two' }, ['$'], 'one two'],
    [{ a: 'one two' }, [], ''],
    [{ toString: 'x y' }, ['toString', 'constructor'], 'x y'],
  ])('[J3] %j with the fields %j is %j', (value, fields, expected) => {
    expect(itemText(value, fields)).toBe(expected);
  });

  it('[J3] of a session is a content that the server takes, whatever the item is', () => {
    const value = fc.anything({ withNullPrototype: true, maxDepth: 3 });
    const sent = fc.dictionary(
      fc.constantFrom('type', 'name', 'arguments', 'content', 'output', 'text'),
      value,
    );
    fc.assert(
      fc.property(sent, (item) => {
        const json = JSON.parse(
          JSON.stringify(item, (_, each: unknown) => (typeof each === 'bigint' ? 0 : each)),
        ) as object;
        expect(contentSchema.safeParse(sessionItemText(json)).success).toBe(true);
      }),
    );
  });
});

describe('the filter of a LangGraph search', () => {
  it('[J3] names any field of a value as the server reads it', () => {
    fc.assert(
      fc.property(text, (field) => {
        const [test] = searchFilter({ [field]: 1 }) ?? [];
        expect(metadataPath(Object.keys(test!)[0]!)?.keys).toEqual(['value', field]);
      }),
    );
  });
});

describe('the JSON of a session item', () => {
  it('[J3] gives the item back, with bytes, buffers and texts of any kind', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
      fc.boolean(),
      fc.constant(null),
      fc.uint8Array(),
    );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof({ maxDepth: 2 }, leaf, fc.array(tie('tree')), fc.dictionary(fc.string(), tie('tree'))),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(itemOfJson(jsonOfItem({ value }))).toEqual({ value });
      }),
      { numRuns: 50 },
    );
    expect(itemOfJson(jsonOfItem({ data: Buffer.from([0, 200]) }))).toEqual({
      data: new Uint8Array([0, 200]),
    });
  });

  it('[J3] is cut into parts that hold whole characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 9 }), (whole, length) => {
        const wellFormed = storableText(whole);
        const parts = partsOf(wellFormed, length);
        expect(parts.join('')).toBe(wellFormed);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(length);
          expect(part.isWellFormed()).toBe(true);
        }
        expect(isBlank(wellFormed)).toBe(isBlank(parts.join('')));
      }),
    );
  });
});
