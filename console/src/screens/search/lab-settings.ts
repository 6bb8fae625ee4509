import type { Search } from '@stratalog/client';
import type { AddressValues } from '../../app/address-values.ts';
import { layers, type Layer } from '../../app/vocabulary.ts';

/** The settings of a search as they stand in the address, under these names. */
export const settingNames = [
  'topK',
  'layers',
  'spaces',
  'order',
  'mode',
  'threshold',
  'asOf',
  'session',
  'filter',
] as const;

export type SettingName = (typeof settingNames)[number];

/** `''` are the settings of the only or left search, `b.` those of the right one. */
export type Side = '' | 'b.';

/** Whether two searches are compared. */
export const isComparison = (values: AddressValues): boolean =>
  Object.keys(values).some((name) => name.startsWith('b.') && values[name] !== undefined);

/** Changes of the address that begin a comparison: the right side starts with the settings of the left. */
export const comparisonOf = (values: AddressValues): AddressValues => ({
  ...Object.fromEntries(settingNames.map((name) => [`b.${name}`, values[name]])),
  'b.topK': values['topK'] ?? String(defaultTopK),
});

/** Changes of the address that end a comparison. */
export const withoutComparison = (): AddressValues =>
  Object.fromEntries(settingNames.map((name) => [`b.${name}`, undefined]));

const defaultTopK = 10;

const settingWords: Readonly<Record<SettingName, (value: string) => string>> = {
  topK: (value) => `${value} results`,
  layers: (value) => `layers ${value}`,
  spaces: (value) => `spaces ${value}`,
  order: (value) => `order ${value}`,
  mode: (value) => `route ${value}`,
  threshold: (value) => `threshold ${value}`,
  asOf: (value) => `as of ${value}`,
  session: (value) => `session ${value}`,
  filter: (value) => `filter ${value}`,
};

/** What one side sets. */
export function settingsInWords(values: AddressValues, side: Side): string {
  const given = settingNames.flatMap((name) => {
    const value = values[side + name];
    return value ? [settingWords[name](value)] : [];
  });
  return given.length === 0 ? 'as a bare search' : given.join(', ');
}

/** The request that one side stands for, or what is wrong with its settings. */
export type LabRequest =
  | { readonly request: Search; readonly problem?: undefined }
  | { readonly request?: undefined; readonly problem: string };

/** Reads the settings of one side. `at` is the time chosen for the whole console, used where the side names none. */
export function requestOf(values: AddressValues, side: Side, at: string | undefined): LabRequest {
  const value = (name: SettingName): string => values[side + name]?.trim() ?? '';
  const topK = value('topK') === '' ? defaultTopK : Number(value('topK'));
  if (!Number.isInteger(topK) || topK < 1 || topK > 1_000)
    return { problem: 'Results must be a whole number from 1 to 1,000.' };
  const threshold = value('threshold') === '' ? undefined : Number(value('threshold'));
  if (threshold !== undefined && !(threshold >= 0 && threshold <= 1))
    return { problem: 'Threshold must be a number from 0 to 1. Leave it empty for the focused search.' };
  const filter = filterOf(value('filter'));
  if (filter.problem !== undefined) return filter;
  const named = wordsOf(value('layers'));
  const unknown = named.find((word) => !layers.includes(word as Layer));
  if (unknown !== undefined)
    return { problem: `Layers must be among ${layers.join(', ')}; “${unknown}” is not.` };
  const spaces = wordsOf(value('spaces'));
  const asOf = timeOf(value('asOf'), at);
  const order = (['precedence', 'relevance', 'layer'] as const).find((one) => one === value('order'));
  return {
    request: {
      query: values['q'] ?? '',
      topK,
      ...(named.length > 0 && { layers: named as Layer[] }),
      ...(spaces.length > 0 && { spaces: spaces.length === 1 && spaces[0] === 'auto' ? 'auto' : spaces }),
      ...(order && { order }),
      ...(value('mode') === 'standard' && { mode: 'standard' }),
      ...(threshold !== undefined && { threshold }),
      ...(asOf !== undefined && { asOf }),
      ...(value('session') !== '' && { sessionId: value('session') }),
      ...(filter.value && { filter: filter.value }),
    },
  };
}

/** The address of the lab for a search that was recorded. */
export function valuesOf(request: RecordedRequest): AddressValues {
  return {
    q: request.query,
    topK: request.topK === defaultTopK ? undefined : String(request.topK),
    layers: request.layers?.join(','),
    spaces: request.spaceChoice ? 'auto' : request.spaces?.join(','),
    order: request.order === 'precedence' ? undefined : request.order,
    threshold: request.threshold === undefined ? undefined : String(request.threshold),
    session: request.sessionId,
    filter: request.filter && JSON.stringify(request.filter),
  };
}

interface RecordedRequest {
  readonly query?: string;
  readonly topK: number;
  readonly layers?: readonly string[];
  readonly spaces?: readonly string[];
  readonly spaceChoice?: object;
  readonly order: string;
  readonly threshold?: number;
  readonly sessionId?: string;
  readonly filter?: object;
}

function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

function filterOf(
  text: string,
): { readonly value?: Record<string, unknown>; readonly problem?: undefined } | { readonly problem: string } {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> };
  } catch {
    // Reported below, as any other text that is no object.
  }
  return { problem: 'Filter must be a JSON object such as {"metadata.kind": {"eq": "decision"}}.' };
}

/** A time as RFC 3339, a position as it is; `now` reads the present whatever time the console is set to. */
function timeOf(text: string, at: string | undefined): string | undefined {
  if (text === '') return at;
  if (text === 'now') return undefined;
  const time = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}
