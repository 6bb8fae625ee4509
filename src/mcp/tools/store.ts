import { z } from 'zod';
import { storeMemory } from '../../api/memories/store-memory.ts';
import { identifier } from '../../domain/layers.ts';
import { inWords, listed } from '../shown-memory.ts';
import { tool } from './tool.ts';

const { content, layer, metadata, representations, tags, externalId, occurredAt, expiresAt, onConflict } =
  storeMemory.input.shape;

export const memoryStore = tool({
  name: 'memory_store',
  title: 'Store a memory',
  description:
    'Remember a preference, decision, fact or lesson for later conversations. One self-contained statement per memory, with names instead of "he" or "this". No secrets, no guesses. To correct a memory, use memory_update.',
  input: z.strictObject({
    content: content.meta({ description: 'What to remember' }),
    space_id: identifier.optional().meta({ description: 'Named area it belongs to' }),
    metadata: metadata.meta({ description: 'Fields for filters' }),
    representations: representations.meta({ description: 'Other forms of the content, by kind' }),
    layer: layer.meta({ description: 'Who sees it; user: only this user' }),
    // The operation checks the names.
    scope: z
      .record(z.string(), z.string())
      .prefault({})
      .meta({ description: 'Ids of the layer, such as {"team": "search"}' }),
    session_id: identifier.optional().meta({ description: 'For the layer session' }),
    tags,
    external_id: externalId.meta({ description: 'Your unique name' }),
    on_conflict: onConflict.meta({
      description:
        'report (default) what it contradicts, supersedes or duplicates; supersede: also mark it where sure',
    }),
    occurred_at: occurredAt.meta({ description: 'When it happened, RFC 3339' }),
    expires_at: expiresAt.meta({ description: '' }),
  }),
  effect: 'adds',
  isCore: true,
  parameters: { spaces: 'space_id', expiresAt: 'expires_at' },
  async call(input, act) {
    const {
      space_id: space,
      session_id: session,
      scope,
      external_id,
      occurred_at,
      expires_at,
      on_conflict,
      ...rest
    } = input;
    const { memory, duplicate, conflicts, warnings } = await act(storeMemory, {
      ...rest,
      scope: { ...scope, ...(session !== undefined && { session }) },
      spaces: space === undefined ? [] : [space],
      externalId: external_id,
      occurredAt: occurred_at,
      expiresAt: expires_at,
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
