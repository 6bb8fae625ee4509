import type { Stratalog, Summary } from '../../../packages/client/src/index.ts';
import { pause } from '../../support/pause.ts';
import type { Narrator } from './narrator.ts';
import type { DemoFacts } from './run.ts';
import { titleOf } from './story.ts';

const tokenBudget = 200;
const asked = {
  layer: 'team',
  scope: { team: 'tooling' },
  depth: 'paragraph',
} as const;
/** A summary takes a second or two; only a server that makes none takes this long. */
const patienceMs = 120_000;
const pollMs = 100;

/** A context for a question of the corpus. */
export async function writeContext(
  client: Stratalog,
  narrator: Narrator,
  query: string,
): Promise<Pick<DemoFacts, 'contextTokens' | 'contextSources'>> {
  narrator.chapter(
    'Get the text for a prompt',
    `An agent that answers with a language model wants a text of at most ${tokenBudget} tokens, not a list of results. The server packs the sentences that matter most for the question, here from several memories; [n] says where the next lines are from.`,
  );
  narrator.question(query);
  const { text, tokenCount, items } = await client.context({ query, tokenBudget });
  narrator.quote(text);
  narrator.gap();
  for (const [index, { id, externalId }] of items.entries())
    narrator.note(`[${index + 1}] ${externalId ?? id}`);
  narrator.shows(
    `${tokenCount} tokens (counted as OpenAI’s models do) that answer the question, each with its source, which an agent can cite.`,
  );
  return { contextTokens: tokenCount, contextSources: items.length };
}

/** The summary of a team. */
export async function summarize(
  client: Stratalog,
  narrator: Narrator,
): Promise<Pick<DemoFacts, 'hasSummary'>> {
  const { layer, scope } = asked;
  narrator.chapter(
    'Read what a team knows in one paragraph',
    `The memories of the team “${scope.team}” of the security department, as one paragraph. Without a language model it consists of whole sentences of the memories, chosen so that together they cover what the team writes about; [n] names the memory of each.`,
  );
  await client.summaries.refresh({ layer, scope });
  const summary = await untilMade(client);
  if (summary === null) {
    narrator.say('There is no summary yet.');
    return { hasSummary: false };
  }
  narrator.quote(summary.content);
  narrator.gap();
  for (const [index, { id }] of summary.sources.entries())
    narrator.note(`[${index + 1}] ${titleOf(await client.memories.get(id))}`);
  narrator.shows(
    `${summary.tokenCount} tokens stand for a whole scope. Every team, project, user and layer has such texts; they are made anew when enough has changed.`,
  );
  return { hasSummary: true };
}

async function untilMade(client: Stratalog): Promise<Summary | null> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const summary = await client.summaries.get(asked);
    if (summary || performance.now() > deadline) return summary;
    await pause(pollMs);
  }
}
