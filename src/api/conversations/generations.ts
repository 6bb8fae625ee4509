import { z } from 'zod';
import { livingMemory } from '../../commands/conversations/draw-facts.ts';
import {
  readConversations,
  readGenerations,
  requestRebuild,
  rollBackFacts,
  switchFacts,
} from '../../commands/conversations/generations.ts';
import { compareGenerations } from '../../domain/conversations/generations.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import { positionField } from '../fields.ts';
import { operation, type RoleAccess } from '../operation.ts';
import { factsExample, factsSwitchedExample, rebuildFactsExample, rebuiltFactsExample } from './examples.ts';

const admins: RoleAccess = { roles: ['admin'], refusal: 'facts of a whole tenant need the role admin' };

/** Facts shown of each kind. */
const maxExamples = 5;

const rebuildInput = z
  .strictObject({
    model: z
      .string()
      .optional()
      .meta({ description: 'One of the language models of the server, instead of the usual ones' }),
  })
  .meta({ id: 'RebuildFacts' });

export const rebuildFacts = operation({
  name: 'rebuildFacts',
  summary:
    'Draw the facts of all conversations again, beside the live ones. No search finds them until they are switched to',
  area: 'Administration',
  input: rebuildInput,
  output: z.object({ generation: z.int(), position: positionField }),
  examples: { input: rebuildFactsExample, output: rebuiltFactsExample },
  access: admins,
  command: { scope: () => ['POST', '/v1/admin/facts/rebuild'] },
  async handle({ context, input: { model }, services: { commands, languageModels }, token }) {
    if (languageModels.length === 0)
      throw new Problem('no-language-model', 'facts are drawn by a language model, and none is configured');
    const names = languageModels.map(({ id }) => id);
    if (model !== undefined && !names.includes(model))
      throw invalid('model', `must be one of ${names.join(', ')}`);
    const { generations, position, replayed } = await requestRebuild(commands, context, model);
    return { output: { generation: generations.newest, position: token(position) }, replayed };
  },
});

const shownFact = z.object({ id: z.string(), content: z.string() });
const factKind = z.object({ count: z.int(), examples: z.array(shownFact) });

export const facts = operation({
  name: 'facts',
  summary: 'Show which facts of conversations are live, and compare them with those that were drawn last',
  area: 'Administration',
  input: z.strictObject({}),
  output: z
    .object({
      live: z.int(),
      conversations: z.int().meta({ description: 'From which facts are wanted' }),
      generations: z.array(
        z.object({
          generation: z.int(),
          model: z.string().optional().meta({ description: 'Absent: the models of the spaces and layers' }),
          drawn: z.int().meta({ description: 'Conversations whose facts are drawn' }),
          facts: z.int(),
        }),
      ),
      comparison: z
        .object({ generation: z.int(), same: z.int(), onlyLive: factKind, onlyOther: factKind })
        .optional()
        .meta({ description: 'With the newest generation, or if that is live with the one before it' }),
    })
    .meta({ id: 'Facts' }),
  examples: { input: {}, output: factsExample },
  access: admins,
  audit: { what: 'facts', when: 'always' },
  async handle({ caller: { tenant }, services: { commands } }) {
    const { live, newest, before, models } = await readGenerations(commands, tenant);
    const conversations = await readConversations(commands, tenant, await commands.store.log.head());
    const other = newest === live ? before : newest;
    const kind = async (ids: ReadonlySet<string>) => {
      const some = await Promise.all(
        [...ids].slice(0, maxExamples).map((id) => livingMemory(commands, tenant, id)),
      );
      const examples = some.flatMap((value) => (value ? [{ id: value.id, content: value.content }] : []));
      return { count: ids.size, examples };
    };
    const compared = other === undefined ? undefined : compareGenerations(conversations, live, other);
    const comparison = compared &&
      other !== undefined && {
        generation: other,
        same: compared.same.size,
        onlyLive: await kind(compared.onlyFrom),
        onlyOther: await kind(compared.onlyTo),
      };
    const generations = [...models].map(([generation, model]) => {
      const drawn = conversations.flatMap((each) => each.drawn.get(generation) ?? []);
      const ids = new Set(drawn.flatMap((each) => each.facts.map(({ memoryId }) => memoryId)));
      return { generation, ...(model !== undefined && { model }), drawn: drawn.length, facts: ids.size };
    });
    const shown = comparison ? comparison.onlyLive.examples.length + comparison.onlyOther.examples.length : 0;
    return {
      output: { live, conversations: conversations.length, generations, ...(comparison && { comparison }) },
      read: { items: shown },
    };
  },
});

const change = (act: 'switch' | 'rollback', summary: string) =>
  operation({
    name: `${act}Facts`,
    summary,
    area: 'Administration',
    input: z.strictObject({}),
    output: z.object({ live: z.int(), position: positionField }),
    examples: { input: {}, output: factsSwitchedExample },
    access: admins,
    command: { scope: () => ['POST', `/v1/admin/facts/${act}`] },
    async handle({ context, services: { commands }, token }) {
      const changed = await (act === 'switch' ? switchFacts : rollBackFacts)(commands, context);
      const { generations, position, replayed } = changed;
      return { output: { live: generations.live, position: token(position) }, replayed };
    },
  });

export const switchToFacts = change(
  'switch',
  'Make the facts live that were drawn last. Those that only the others have are archived',
);
export const rollbackFacts = change('rollback', 'Make the facts live that were so before the last switch');
