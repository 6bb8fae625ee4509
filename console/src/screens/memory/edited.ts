import type { StoredMemory, UpdateMemory } from '@stratalog/client';
import { mergePatch } from './merge-patch.ts';

/** The fields of a memory as texts in a form. */
export interface Draft {
  readonly content: string;
  /** Separated by commas. */
  readonly tags: string;
  /** A JSON object. */
  readonly metadata: string;
}

export function draftOf({ content, tags, metadata }: StoredMemory): Draft {
  return { content, tags: tags.join(', '), metadata: JSON.stringify(metadata, null, 2) };
}

/** The tags in a text, each once. */
const tagsIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];

/** The patch that a draft makes of a memory; a text that says what is wrong with it; or undefined if it changes nothing. */
export function patchOf(memory: StoredMemory, draft: Draft): UpdateMemory | string | undefined {
  let metadata: unknown;
  try {
    metadata = draft.metadata.trim() === '' ? {} : JSON.parse(draft.metadata);
  } catch (error) {
    return `The metadata are not JSON: ${(error as Error).message}`;
  }
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    return 'The metadata must be a JSON object, such as {"source": "handbook"}.';
  if (draft.content.trim() === '') return 'The text must not be empty. To remove the memory, delete it.';
  const tags = tagsIn(draft.tags);
  const changed = mergePatch(memory.metadata, metadata as Record<string, unknown>);
  const patch: UpdateMemory = {
    ...(draft.content !== memory.content && { content: draft.content }),
    ...(JSON.stringify(tags) !== JSON.stringify(memory.tags) && { tags }),
    ...(changed && { metadata: changed }),
  };
  return Object.keys(patch).length === 0 ? undefined : patch;
}
