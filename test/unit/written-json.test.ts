import { expect, it } from 'vitest';
import { jsonCandidates, withoutThoughts } from '../../src/adapters/openai/written-json.ts';

const answer = { summaries: [{ number: 1, text: 'a {brace}, a "quote" and a \\ in it' }] };
const json = JSON.stringify(answer);
const draft = '{"summaries": []}';

it.each([
  ['alone', json],
  ['after thoughts', `<think>Is it {"number": 1}?</think>\n${json}`],
  ['after thoughts of another name', `<thinking>\n{"number": 1}\n</thinking>\n${json}`],
  [
    'after thoughts without an opening tag',
    `First I look at ${draft} and at the memories.\n</think>\n${json}`,
  ],
  ['after several thoughts', `<think>one</think>${draft}<think>two {</think>${json}`],
  ['after a draft that no tag separates', `I could say ${draft}. Better: ${json}`],
  ['in a fence', `Here it is:\n\`\`\`json\n${json}\n\`\`\``],
  ['in a fence before text with braces', `\`\`\`json\n${json}\n\`\`\`\nHope {this} helps!`],
  ['in the last fence', `\`\`\`json\n${draft}\n\`\`\`\nor rather\n\`\`\`\n${json}\n\`\`\``],
  ['in the middle of text with braces', `Use {braces}: ${json} and {so on`],
  ['in a list', `[${json}]`],
  ['in a list in a fence', `\`\`\`json\n[${json}]\n\`\`\``],
  ['after thoughts and in a list', `hm {</think>[ ${json} ]`],
])('the object that a model means is found %s', (_, text) => {
  expect(jsonCandidates(text)[0]).toEqual(answer);
});

it('a tag in a value of the answer ends no thoughts', () => {
  const quoting = { text: 'the tag </think> ends them' };
  expect(jsonCandidates(JSON.stringify(quoting))).toEqual([quoting]);
});

it('nothing before the last tag is an answer', () => {
  expect(jsonCandidates(`${json}</think>`)).toEqual([]);
  expect(jsonCandidates(`${json}</think>I do not know.`)).toEqual([]);
});

it('a list of several objects stays a list', () => {
  expect(jsonCandidates(`[${json}, ${json}]`)[0]).toEqual([answer, answer]);
});

it('thoughts that do not end leave no answer', () => {
  expect(withoutThoughts(`<think>First ${draft}`)).toBe('');
  expect(withoutThoughts('no thoughts')).toBe('no thoughts');
});

it('a text of braces alone takes little time', () => {
  expect(jsonCandidates('{'.repeat(20_000))).toEqual([]);
  expect(jsonCandidates('{"a":'.repeat(4_000))).toEqual([]);
});
