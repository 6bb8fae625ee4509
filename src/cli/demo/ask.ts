import type { SearchAnswer, Stratalog } from '../../../packages/client/src/index.ts';
import type { Narrator } from './narrator.ts';
import type { DemoFacts } from './run.ts';
import { placeOf, titleOf, type DemoQuery, type DemoStory } from './story.ts';

const topK = 3;

type Result = SearchAnswer['results'][number];

/** Asks the questions of the corpus, and one that it does not answer. */
export async function askQuestions(
  client: Stratalog,
  narrator: Narrator,
  { queries, unanswered }: Pick<DemoStory, 'queries' | 'unanswered'>,
): Promise<Pick<DemoFacts, 'asked' | 'answered' | 'unansweredResults'>> {
  narrator.chapter(
    'Ask it',
    `Questions in plain words, and at most the best ${topK} memories for each. ✓ marks right answers, by a list that was made by hand; the first of them is printed whole, the others by the title of their document.`,
  );
  let answered = 0;
  for (const question of queries) {
    const { query, layers, scope, tags, filter, expect, shown } = question;
    const { results } = await client.search({ query, layers, scope, tags, filter, topK });
    if (results.some(({ memory }) => expect.includes(memory.externalId ?? ''))) answered++;
    if (shown !== undefined) print(narrator, { ...question, shown }, results);
  }
  const { results } = await client.search({ query: unanswered.query, topK });
  narrator.question(unanswered.query);
  narrator.note('The corpus does not say.');
  narrator.say(results.length === 0 ? '  no result' : `  ${results.length} results, none of them right`);
  narrator.shows(
    `A bare question is enough: ${answered} of ${queries.length} questions of the corpus (the others are not printed) have a right answer among the first ${topK}. Layers, scopes and filters narrow a search, and what is not known has no answer.`,
  );
  return { asked: queries.length, answered, unansweredResults: results.length };
}

function print(
  narrator: Narrator,
  { query, layers, scope, tags, filter, expect, shown }: DemoQuery & { readonly shown: string },
  results: readonly Result[],
): void {
  narrator.question(query);
  narrator.note(shown);
  const request = { layers, scope, tags, filter };
  if (Object.values(request).some((value) => value !== undefined))
    narrator.note(`In the request: ${JSON.stringify(request)}`);
  const isRight = ({ memory }: Result) => expect.includes(memory.externalId ?? '');
  const whole = results.find(isRight) ?? results[0];
  for (const result of results) {
    const { memory, score, rank, moved } = result;
    const place = moved === undefined ? placeOf(memory) : `${placeOf(memory)} (moved up: ${moved})`;
    const about = `${isRight(result) ? '✓' : ' '} ${rank}. score ${score.toFixed(2)}, ${place}`;
    if (result === whole) {
      narrator.say(`${about}:`);
      narrator.quote(memory.content);
    } else narrator.say(`${about}: ${titleOf(memory)}`);
  }
  if (results.length === 0) narrator.say('  no result');
  narrator.gap();
}
