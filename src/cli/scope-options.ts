import type { Command } from 'commander';
import type { ScopeKey } from '../domain/layers.ts';

/** Repeats the keys of the domain, whose module is not imported because it loads the schema library. */
const scopeKeys = [
  'org',
  'team',
  'project',
  'session',
  'user',
  'agent',
] as const satisfies readonly ScopeKey[];

export type ScopeOptions = Partial<Record<ScopeKey, string>>;

/** `--org`, `--team` and so on: the identifiers of the scope of something, such as `the memory`. */
export function withScopeOptions(command: Command, of: string): Command {
  for (const key of scopeKeys) command.option(`--${key} <${key}>`, `${key} in the scope of ${of}`);
  return command;
}

/** The scope that the options name; undefined if none does. */
export function scopeOf(options: ScopeOptions): ScopeOptions | undefined {
  const named = scopeKeys.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]]));
  return named.length > 0 ? (Object.fromEntries(named) as ScopeOptions) : undefined;
}
