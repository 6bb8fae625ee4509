import { isBlank } from '../storable-text.ts';

/**
 * The text by which an item is found. `fields` are paths into the value, as LangGraph writes them (`title`,
 * `chapters[*].text`, `authors[-1].name`; `$` is all of it). A sentence is taken as it is; a single word, a number or
 * a boolean gets the name of its field, because it says little alone: `theme: dark`.
 */
export function itemText(value: unknown, fields: readonly string[] = ['$']): string {
  const lines = fields.flatMap((field) => {
    const steps = stepsOf(field);
    const name = steps.filter((step) => !isIndex(step)).join('.');
    return valuesAt(value, steps).flatMap((found) => linesOf(found, name));
  });
  return [...new Set(lines)].join('\n');
}

function linesOf(value: unknown, name: string): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) {
    if (value.some((item) => typeof item === 'object' || isSentence(item)))
      return value.flatMap((item) => linesOf(item, name));
    return value.length === 0 ? [] : [labelled(name, value.join(', '))];
  }
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, item]) =>
      linesOf(item, name === '' ? key : `${name}.${key}`),
    );
  if (typeof value !== 'string') return [labelled(name, JSON.stringify(value))];
  if (isBlank(value)) return [];
  return [isSentence(value) ? value : labelled(name, value)];
}

function isSentence(value: unknown): boolean {
  return typeof value === 'string' && /\s/.test(value.trim());
}

function labelled(name: string, text: string): string {
  return name === '' ? text : `${name}: ${text}`;
}

/** `a.b[*].c` in steps: `a`, `b`, `[*]`, `c`. */
function stepsOf(field: string): string[] {
  return field.match(/\[(?:\*|-?\d+)\]|[^.[\]]+/g)?.filter((step) => step !== '$') ?? [];
}

function isIndex(step: string): boolean {
  return step.startsWith('[');
}

function valuesAt(value: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (step === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (step === '*' || step === '[*]') return Object.values(value).flatMap((item) => valuesAt(item, rest));
  if (isIndex(step)) return Array.isArray(value) ? valuesAt(value.at(Number(step.slice(1, -1))), rest) : [];
  return Object.hasOwn(value, step) ? valuesAt((value as Record<string, unknown>)[step], rest) : [];
}
