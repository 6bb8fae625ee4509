import { describe, expect, it } from 'vitest';
import { checkedFacts } from '../../src/domain/conversations/facts/checked-facts.ts';
import { windowsOf, type SaidTurn } from '../../src/domain/conversations/facts/prompt.ts';

const turn = (number: number, content: string, more: Partial<SaidTurn> = {}) => ({
  id: `t${number}`,
  number,
  role: 'user',
  name: 'Mia',
  content,
  at: '2026-03-01T10:00:00.000Z',
  ...more,
});

/** The texts of these facts that are kept, all drawn from all turns. */
function kept(said: readonly string[], texts: readonly string[], name: string | undefined = 'Mia'): string[] {
  const turns = said.map((content, index) => turn(index + 1, content, { name }));
  const numbers = turns.map(({ number }) => number);
  const answer = { facts: texts.map((text) => ({ text, turns: numbers })) };
  return checkedFacts(answer, { turns, tokens: 0 }).facts.map(({ text }) => text);
}

describe('facts that are kept', () => {
  it('have the words, numbers and names of their turns', () => {
    const said = ['I have a golden retriever called Rex, he is 7.'];
    const right = ['Mia has a golden retriever named Rex.', 'Rex is 7.'];
    expect(kept(said, right)).toEqual(right);
    const invented = [
      'Mia has a golden retriever named Bello.',
      'Rex is 8.',
      'Mia works as a nurse.',
      'Mia is called Ann.',
    ];
    expect(kept(said, invented)).toEqual([]);
  });

  it('take the name of a speaker from nowhere, and give it no weight', () => {
    expect(
      kept(['I live in Berlin.'], ['User lives in Berlin.', 'The user lives in Berlin.'], undefined),
    ).toHaveLength(2);
    expect(kept(['I live in Berlin.'], ['User works in Berlin.'], undefined)).toEqual([]);
    expect(kept(['I live in Berlin.'], ['Mia.', 'User'])).toEqual([]);
  });

  it('may say the day on which something was said, and deny nothing that was not denied', () => {
    expect(kept(['We moved today.'], ['Mia moved on 1 March 2026.', 'Mia moved on 2 March 2026.'])).toEqual([
      'Mia moved on 1 March 2026.',
    ]);
    expect(
      kept(['I eat meat.'], ['Mia never eats meat.', "Mia doesn't eat meat.", 'Mia eats meat.']),
    ).toEqual(['Mia eats meat.']);
    expect(kept(["I don't eat meat."], ['Mia does not eat meat.'])).toHaveLength(1);
  });

  it('are no greetings, questions, data or small talk', () => {
    const said = ['Hello there! {"a": 1} Where do I live? Thanks for https://example.org/x'];
    const junk = [
      'Hello there!',
      'Mia said hello.',
      'Mia asked where she lives.',
      'Where does Mia live?',
      '{"a": 1}',
      'https://example.org/x',
      'Mia thanked the assistant.',
      'The assistant said hello.',
      `Mia lives ${'there '.repeat(100)}.`,
    ];
    expect(kept(said, junk)).toEqual([]);
  });

  it('are in any language', () => {
    expect(
      kept(['Ich wohne in Köln und arbeite bei der Post.'], ['Mia arbeitet bei der Post in Köln.']),
    ).toHaveLength(1);
    expect(kept(['我住在柏林，喜欢喝茶。'], ['User 住在柏林。'], undefined)).toHaveLength(1);
    expect(kept(['我住在柏林，喜欢喝茶。'], ['User 住在慕尼黑。'], undefined)).toEqual([]);
  });

  it('name turns that the model was shown, and say nothing twice', () => {
    const turns = [turn(3, 'I like tea.')];
    const answer = {
      facts: [
        { text: 'Mia likes tea.', turns: [3] },
        { text: 'mia likes tea', turns: [3] },
        { text: 'Mia likes tea!', turns: [1] },
        { text: 'Tea is liked.', turns: [] },
      ],
    };
    expect(checkedFacts(answer, { turns, tokens: 0 })).toEqual({
      facts: [{ text: 'Mia likes tea.', turnIds: ['t3'] }],
      dropped: { unsupported: 2, junk: 0 },
    });
  });
});

describe('the turns of a call', () => {
  const count = (text: string) => text.length;

  it('are those that somebody said, in groups that overlap', () => {
    const turns = Array.from({ length: 50 }, (_, index) =>
      turn(0, `said ${index + 1}`, { id: `${index + 1}` }),
    );
    const windows = windowsOf([{ ...turns[0]!, role: 'system' }, ...turns], count);
    expect(windows.map(({ turns: own }) => own.map(({ number }) => number))).toEqual([
      Array.from({ length: 40 }, (_, index) => index + 2),
      Array.from({ length: 12 }, (_, index) => index + 40),
    ]);
    expect(windowsOf([{ ...turns[0]!, role: 'tool' }], count)).toEqual([]);
  });

  it('are few if they are long', () => {
    const long = Array.from({ length: 4 }, (_, index) => turn(0, 'x'.repeat(3_500), { id: `${index}` }));
    expect(windowsOf(long, count).map(({ turns: own }) => own.length)).toEqual([1, 2, 3, 3]);
  });
});
