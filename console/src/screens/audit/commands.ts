import type { AuditFilter } from '@stratalog/client';
import { shellWord } from '../../app/shell-word.ts';

const options: Readonly<Record<string, string>> = {
  'scope.session': '--session',
  'scope.user': '--user',
};

/** Commands that export the filtered events without a browser. */
export function exportCommands(
  filter: AuditFilter,
  url: string,
): { readonly cli: string; readonly curl: string } {
  const values = Object.entries(filter).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [[name, Array.isArray(value) ? (value as readonly string[]) : [String(value)]] as const];
  });
  const words = values.flatMap(([name, texts]) => [options[name] ?? `--${name}`, ...texts.map(quoted)]);
  const query = new URLSearchParams(
    values.flatMap(([name, texts]) => texts.map((text): [string, string] => [name, text])),
  );
  query.set('format', 'csv');
  return {
    cli: ['stratalog audit events', ...words, '--json > events.ndjson'].join(' '),
    curl: `curl --fail ${quoted(`${url}/v1/audit/events?${query}`)} -H "Authorization: Bearer $STRATALOG_API_KEY" > events.csv`,
  };
}

/** Quotes only where the shell needs it. */
const quoted = (text: string): string => (/^[\w:.@/-]+$/.test(text) ? text : shellWord(text));
