import { setTimeout as sleep } from 'node:timers/promises';
import type { Stratalog, Summary } from '../../../packages/client/src/index.ts';
import { printableLines } from '../output.ts';
import type { Narrator } from './narrator.ts';
import type { DemoFacts } from './run.ts';
import type { DemoQuery } from './story.ts';

const tokenBudget = 400;
const company = { layer: 'company', depth: 'sentence' } as const;
/** The worker of the same process makes the summary within a second or two. */
const patienceMs = 20_000;
const pollMs = 250;

/** A context for a question of the corpus, and the shortest summary of the company. */
export async function writeContext(
  client: Stratalog,
  narrator: Narrator,
  queries: readonly DemoQuery[],
): Promise<Pick<DemoFacts, 'contextTokens' | 'contextSources' | 'hasSummary'>> {
  narrator.chapter(`Write a prompt: the best ${tokenBudget} tokens, with their sources`);
  await client.summaries.refresh({ layer: company.layer });
  const { query } = queries.find(({ layers, scope }) => !layers && !scope)!;
  narrator.question(query, '');
  const { text, tokenCount, items } = await client.context({ query, tokenBudget });
  narrator.say(indented(printableLines(text)));
  narrator.note(`${tokenCount} tokens, from`);
  for (const { citation } of items) narrator.note(printableLines(citation));
  const summary = await companySummary(client);
  narrator.say(`\n   The company in ${summary?.tokenCount ?? 0} tokens:`);
  narrator.say(indented(printableLines(summary?.content ?? 'no summary yet')));
  return { contextTokens: tokenCount, contextSources: items.length, hasSummary: summary !== null };
}

async function companySummary(client: Stratalog): Promise<Summary | null> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const summary = await client.summaries.get(company);
    if (summary || performance.now() > deadline) return summary;
    await sleep(pollMs);
  }
}

function indented(text: string): string {
  return text.replace(/^/gmu, '   ');
}
