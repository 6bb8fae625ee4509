import { z } from 'zod';
import { storeMemory } from '../../api/memories/store-memory.ts';
import { identifier, scopeSchema } from '../../domain/layers.ts';
import { inWords, listed, listedMemory } from '../shown-memory.ts';
import { tool } from './tool.ts';

const { content, layer, metadata, representations, tags, externalId, occurredAt, onConflict } =
  storeMemory.input.shape;
const { conflicts, warnings, duplicate } = storeMemory.output.shape;

export const memoryStore = tool({
  name: 'memory_store',
  title: 'Store a memory',
  description:
    'Remember something for later conversations: a preference, a decision, a fact about the user, the team or the project, a lesson learned. One self-contained statement per memory, in words that will be understood without this conversation, with names instead of "he" or "this". Do not store secrets, or what you only guess. If a memory about it already exists, change it with memory_update.',
  input: z.strictObject({
    content: content.meta({ description: 'What to remember, 1 to 1,000,000 characters' }),
    space_id: identifier.optional().meta({ description: 'Named area that the memory belongs to' }),
    metadata: metadata.meta({ description: 'Additional fields, usable in filters' }),
    representations: representations.meta({ description: 'The same content in other forms, by kind' }),
    layer: layer.meta({
      description:
        'Who can see the memory: user (default: only this user), session, agent, project, team, org or company',
    }),
    scope: scopeSchema.prefault({}).meta({
      description:
        'Identifiers of the layer, such as {"team": "search"} for the layer team; not needed for user',
    }),
    session_id: identifier.optional().meta({ description: 'Id of the conversation, for the layer session' }),
    tags,
    external_id: externalId.meta({ description: 'Your own name for the memory, unique in the tenant' }),
    on_conflict: onConflict.meta({
      description:
        'report: list the memories of the same layer that it contradicts, supersedes or duplicates; supersede: also mark them as superseded where that is certain; ignore: store without comparing',
    }),
    occurred_at: occurredAt.meta({ description: 'When it happened, RFC 3339, if not now' }),
  }),
  output: z.object({ memory: listedMemory, duplicate, conflicts, warnings }),
  effect: 'adds',
  parameters: { spaces: 'space_id' },
  async call(input, act) {
    const {
      space_id: space,
      session_id: session,
      scope,
      external_id,
      occurred_at,
      on_conflict,
      ...rest
    } = input;
    const { memory, duplicate, conflicts, warnings } = await act(storeMemory, {
      ...rest,
      scope: { ...scope, ...(session !== undefined && { session }) },
      spaces: space === undefined ? [] : [space],
      externalId: external_id,
      occurredAt: occurred_at,
      onConflict: on_conflict,
    });
    const shown = listed(memory);
    return {
      fields: {
        memory: shown,
        ...(duplicate && { duplicate }),
        ...(conflicts && { conflicts }),
        ...(warnings && { warnings }),
      },
      text: [
        `${duplicate ? 'Already known, told again.' : 'Stored.'}\n${inWords(shown)}`,
        ...(conflicts ?? []).map(
          ({ id, kind, reason, confidence }) =>
            `It ${kind} memory ${id} (confidence ${confidence}): ${reason}`,
        ),
        ...(warnings ?? []).map(({ detail }) => `Note: ${detail}`),
      ].join('\n'),
    };
  },
});
