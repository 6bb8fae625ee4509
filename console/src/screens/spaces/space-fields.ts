import type { PatchSpace, Space } from '@stratalog/client';

/** A field of a space that the form has; the others are changed by a merge patch. */
export interface SpaceField {
  readonly name: keyof PatchSpace & keyof Space;
  readonly label: string;
  readonly kind: 'text' | 'number' | 'flag' | 'list' | 'choice';
  readonly choices?: readonly string[];
}

export interface FieldGroup {
  readonly title: string;
  readonly fields: readonly SpaceField[];
}

const field = (
  name: SpaceField['name'],
  label: string,
  kind: SpaceField['kind'],
  choices?: readonly string[],
): SpaceField => ({ name, label, kind, ...(choices && { choices }) });

export const fieldGroups: readonly FieldGroup[] = [
  {
    title: 'What enters, and how long it stays',
    fields: [
      field('description', 'Description', 'text'),
      field('acceptedTypes', 'Accepted content types, with commas; empty: all', 'list'),
      field('qualityThreshold', 'Quality that a section must reach, 0 to 1', 'number'),
      field('retentionDays', 'Days until memories are deleted; empty: never', 'number'),
      field('maxSizeMb', 'Largest size in MB; empty: no limit', 'number'),
      field('metadataPolicy', 'Metadata that do not fit the schema', 'choice', ['flag', 'reject']),
    ],
  },
  {
    title: 'Costs and models',
    fields: [
      field('dailyBudgetUsd', 'Budget of a day in US dollars; empty: none', 'number'),
      field('monthlyBudgetUsd', 'Budget of a month in US dollars; empty: none', 'number'),
      field('embeddingModel', 'Embedding model', 'choice'),
      field('llmModel', 'Language model', 'choice'),
      field('routingStrategy', 'What chooses the space of a document', 'choice', ['rule_based', 'llm_based']),
    ],
  },
  {
    title: 'Duplicates and ranking',
    fields: [
      field('dedupStrategy', 'Duplicates', 'choice', ['none', 'exact', 'semantic']),
      field('semanticSimilarityThreshold', 'Similarity of duplicates, 0.5 to 1', 'number'),
      field('temporalDecayRate', 'How much older memories rank lower, 0 to 1', 'number'),
      field('versionTracking', 'The newest version of a document stands first', 'flag'),
      field('citationTracking', 'References in texts become links', 'flag'),
      field('autoIngest', 'The sources of the space are read', 'flag'),
      field('enableReasoningMemory', 'Reasoning traces may name the space', 'flag'),
    ],
  },
];

/** The fields as they stand in the form: texts, and flags as `true` or `false`. */
export type Draft = Readonly<Record<string, string>>;

export function draftOf(space: Space): Draft {
  return Object.fromEntries(
    fieldGroups.flatMap(({ fields }) => fields.map(({ name }) => [name, textOf(space[name])])),
  );
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return Array.isArray(value) ? value.join(', ') : `${value as string | number | boolean}`;
}

/** What the form changes, as a merge patch: an emptied field has its default again. Throws an `Error` for a number that is none. */
export function patchOf(before: Draft, after: Draft): PatchSpace {
  const changes = fieldGroups.flatMap(({ fields }) =>
    fields.flatMap((field) => {
      const [was, text] = [before, after].map((draft) => draft[field.name]?.trim() ?? '');
      return text === was ? [] : [[field.name, text === '' ? null : valueOf(field, text!)] as const];
    }),
  );
  return Object.fromEntries(changes);
}

function valueOf({ kind, label }: SpaceField, text: string): unknown {
  switch (kind) {
    case 'number':
      if (Number.isNaN(Number(text))) throw new Error(`"${label}" must be a number, not "${text}".`);
      return Number(text);
    case 'flag':
      return text === 'true';
    case 'list':
      return text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
    case 'text':
    case 'choice':
      return text;
    default:
      return kind satisfies never;
  }
}

/** The merge patch in a text. Throws an `Error` that says what is wrong with it. */
export function mergePatchOf(text: string): PatchSpace {
  if (text.trim() === '') return {};
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('A merge patch is an object, such as {"pii": {"email": "redact"}}.');
  return value;
}

/** The draft with the same changes, after the space was changed by somebody else. */
export function rebased(draft: Draft, before: Draft, now: Draft): Draft {
  return {
    ...now,
    ...Object.fromEntries(Object.entries(draft).filter(([name, text]) => text !== before[name])),
  };
}
