import { beforeAll, describe, expect, it } from 'vitest';
import { randomOf } from '../support/random.ts';
import {
  document,
  find,
  freshGeneration,
  put,
  wholeTenant,
  type ContractIndex,
} from '../support/lexical-documents.ts';

const syntax = '+harbour -harbour && || ! ( ) { } [ ] ^ " ~ * ? : \\ / body:* tenant:other _exists_:body';
const random = randomOf(7);
const letters = (count: number): string =>
  Array.from({ length: count }, () => random.pick([...'abcdefghijklmnopqrstuvwxyz'])).join('');

/** Query texts, each with the word harbour near its start. */
const texts: readonly (readonly [string, string])[] = [
  ['query syntax', syntax],
  ['operators', 'harbour AND NOT harbour'],
  ['an unclosed quotation', '"harbour'],
  ['a wildcard beside the word', 'harbour *'],
  ['a regular expression', 'harbour /.*/'],
  ['JSON', '{"match_all":{}} "}}, "query": { harbour'],
  ['control characters', '\u0000\u0001harbour\u0007\u001b[31m\u007f\r\n\t\u0085'],
  ['half a surrogate pair', 'harbour \ud83d \udc00'],
  ['invisible and turned characters', '\u202eharbour\u2028\u2029\ufeff\u200b'],
  ['emoji', '👩‍👩‍👧‍👦 harbour 🇵🇹'],
  ['8,000 characters of one word, over and over', 'harbour '.repeat(1_000)],
  ['8,000 characters of short words', `harbour ${Array.from({ length: 2_664 }, () => letters(2)).join(' ')}`],
  ['8,000 characters of other words', `harbour ${Array.from({ length: 1_332 }, () => letters(5)).join(' ')}`],
  ['8,000 characters without a space', `harbour ${letters(7_992)}`],
  [
    '8,000 ideographs',
    `harbour ${String.fromCodePoint(...Array.from({ length: 7_992 }, (_, n) => 0x4e00 + n))}`,
  ],
  ['8,000 characters of punctuation', `harbour${'-/:('.repeat(1_998)}`],
];

/** Matching of words, and ranking. */
export function searchContract(contract: ContractIndex): void {
  describe('a search', () => {
    it('finds words by their stems, in any case, and nothing else', async () => {
      const generation = await freshGeneration(contract.index);
      const [dogs, deploy, other] = [
        document('Two dogs were running along the quay.'),
        document('Deployments happen on Tuesdays; DEPLOYING on Fridays is forbidden.'),
        document('The harbour master keeps the keys.'),
      ];
      await put(contract.index, generation, dogs, deploy, other);
      const found = (text: string) => find(contract.index, generation, text);
      expect(await found('the dog runs')).toEqual([dogs.memoryId]);
      expect(await found('deployed')).toEqual([deploy.memoryId]);
      expect(await found('key')).toEqual([other.memoryId]);
      expect(new Set(await found('tuesday harbours'))).toEqual(new Set([deploy.memoryId, other.memoryId]));
      expect(await found('submarine')).toEqual([]);
      expect(await found('run'.slice(0, 2))).toEqual([]);
    });

    it('ranks more words, rarer words and shorter texts first, and equal scores by id', async () => {
      const generation = await freshGeneration(contract.index);
      const filler = 'and much else that has been said of other things on other days by other people';
      const all = document('copper kettle');
      const rare = document('a kettle');
      const common = document('some copper');
      const long = document(`copper ${filler}`);
      const longer = [document(`copper ${filler} ${filler}`), document(`copper ${filler} ${filler}`)];
      await put(contract.index, generation, long, common, ...longer, rare, all);
      const inOrder = [all, rare, common, long].map(({ memoryId }) => memoryId);
      const equals = longer.map(({ memoryId }) => memoryId).sort();
      expect(await find(contract.index, generation, 'copper kettle')).toEqual([...inOrder, ...equals]);
    });

    it('returns the requested number of best results', async () => {
      const generation = await freshGeneration(contract.index);
      const documents = Array.from({ length: 120 }, (_, n) => document(`lantern ${'wick '.repeat(n % 11)}`));
      await put(contract.index, generation, ...documents);
      const all = await find(contract.index, generation, 'lantern', 10_000);
      expect(new Set(all)).toEqual(new Set(documents.map(({ memoryId }) => memoryId)));
      for (const limit of [1, 7, 119, 120])
        expect(await find(contract.index, generation, 'lantern', limit)).toEqual(all.slice(0, limit));
      await expect(find(contract.index, generation, 'lantern', 10_001)).rejects.toThrow(RangeError);
    });

    it('searches only the given memories, if there are any', async () => {
      const generation = await freshGeneration(contract.index);
      const documents = Array.from({ length: 20 }, (_, n) => document(n % 2 ? 'lantern' : 'kettle'));
      const foreign = document('lantern', { tenant: 'other' });
      await put(contract.index, generation, ...documents, foreign);
      const among = [...documents.slice(0, 6), foreign].map(({ memoryId }) => memoryId);
      const found = (ids: readonly string[]) =>
        contract.index.search({ region: wholeTenant(), text: 'lantern', limit: 100, among: ids }, generation);
      expect(await found(among)).toEqual([among[1], among[3], among[5]].sort());
      expect(await found([])).toEqual([]);
      expect(await found(['no such memory', '*'])).toEqual([]);
      const many = Array.from({ length: 49_999 }, (_, n) => `filler-${n}`);
      expect(await found([...many, among[1]!])).toEqual([among[1]]);
      await expect(found([...many, ...among])).rejects.toThrow(RangeError);
    });

    it.each(['', ' \n\t ', 'the and of', '?!… --', '\u0000\u0001'])('finds nothing for %j', async (text) => {
      const generation = await freshGeneration(contract.index);
      await put(contract.index, generation, document('the and of it ?!… -- \u0001'));
      expect(await find(contract.index, generation, text)).toEqual([]);
    });
  });

  describe('a query text is interpreted as plain words:', () => {
    const found = document('The harbour sleeps.');
    const other = document('Somebody else wrote 12345.');
    const foreign = document('The harbour sleeps.', { tenant: 'other' });
    let generation: string;

    beforeAll(async () => {
      generation = await freshGeneration(contract.index);
      await put(contract.index, generation, found, other, foreign);
    });

    it.each(texts)('%s', async (_, text) => {
      expect(text.length).toBeLessThanOrEqual(8_000);
      expect(await find(contract.index, generation, text)).toEqual([found.memoryId]);
    });
  });
}
