import type { Routing, RoutingChange } from '@stratalog/client';
import { mistakeOf, typedNumber, valueOf } from './numbers.ts';

type Settings = Routing['settings'];

interface RoutingField {
  /** Path in the settings, such as `budgets.wallMs`. */
  readonly name: string;
  readonly label: string;
  readonly kind: 'flag' | 'number' | 'strategy';
  readonly least?: number;
  readonly greatest?: number;
  readonly isWhole?: boolean;
}

export const strategies = ['auto', 'targeted', 'exhaustive', 'semantic-only'] as const;

const whole = { kind: 'number', isWhole: true, least: 0 } as const;
const share = { kind: 'number', least: 0, greatest: 1 } as const;

export const routingGroups: readonly { readonly title: string; readonly fields: readonly RoutingField[] }[] =
  [
    {
      title: 'Which questions',
      fields: [
        { name: 'enabled', label: 'Decompose complex questions', kind: 'flag' },
        { name: 'threshold', label: 'Complex from this score on, 0 to 1', ...share },
        { name: 'share', label: 'Share of the complex questions that are decomposed, 0 to 1', ...share },
        {
          name: 'shadow',
          label: 'Decompose only for comparison: callers get the standard search',
          kind: 'flag',
        },
        { name: 'exploration', label: 'Try the other route with some questions, to learn', kind: 'flag' },
        { name: 'languageModel', label: 'Use the language model, if one is configured', kind: 'flag' },
      ],
    },
    {
      title: 'Limits of one question',
      fields: [
        { name: 'budgets.wallMs', label: 'Milliseconds until the answer', ...whole },
        { name: 'budgets.queries', label: 'Searches', ...whole },
        { name: 'budgets.steps', label: 'Steps', ...whole },
        { name: 'budgets.tokens', label: 'Tokens', ...whole },
        { name: 'budgets.depth', label: 'Times that a part is split again', ...whole },
      ],
    },
    {
      title: 'Reasoning before the search',
      fields: [
        { name: 'reasoning.enabled', label: 'Refine search texts and strategy', kind: 'flag' },
        { name: 'reasoning.strategy', label: 'How widely to search', kind: 'strategy' },
        { name: 'reasoning.timeoutMs', label: 'Milliseconds at most', ...whole },
        { name: 'reasoning.cacheSeconds', label: 'Seconds that a proposal is reused', ...whole },
        { name: 'reasoning.cacheEntries', label: 'Proposals in the cache', ...whole },
      ],
    },
  ];

/** What was typed, by the name of the field. */
export type RoutingDraft = Readonly<Record<string, string | undefined>>;

const fields = routingGroups.flatMap((group) => group.fields);

export function routingDraftOf(settings: Settings): RoutingDraft {
  const valueAt = (name: string): unknown =>
    name
      .split('.')
      .reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>>)[key], settings);
  return Object.fromEntries(fields.map(({ name }) => [name, String(valueAt(name))]));
}

/** The settings that differ from those in force, or the first mistake. */
export function routingChangeOf(
  before: RoutingDraft,
  draft: RoutingDraft,
): { readonly change: RoutingChange; readonly isEmpty: boolean } | { readonly mistake: string } {
  const changed = fields.filter(({ name }) => draft[name] !== before[name]);
  const typed = changed.map((field) => ({
    field,
    number: typedNumber(field.label, draft[field.name] ?? '', { least: 0, ...field }),
  }));
  const numbers = typed.filter(({ field }) => field.kind === 'number');
  const mistake = mistakeOf(numbers.map(({ number }) => number));
  if (mistake !== undefined) return { mistake };
  const empty = numbers.find(({ number }) => valueOf(number) === undefined);
  if (empty) return { mistake: `${empty.field.label} must have a value` };
  const change: Record<string, unknown> = {};
  for (const { field, number } of typed) {
    const text = draft[field.name];
    const value = field.kind === 'number' ? valueOf(number) : field.kind === 'flag' ? text === 'true' : text;
    const [first, second] = field.name.split('.') as [string, string?];
    if (second === undefined) change[first] = value;
    else change[first] = { ...(change[first] as object | undefined), [second]: value };
  }
  return { change, isEmpty: changed.length === 0 };
}
