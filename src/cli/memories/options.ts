import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ChangeOptions as CallSettings } from '../../../packages/client/src/index.ts';

/** Parses an option that takes a JSON object. */
function jsonObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError('It must be a JSON object, such as \'{"page":1}\'.');
  return value as Record<string, unknown>;
}

/** The fields of a memory that `store` and `update` set. */
export interface ChangeOptions {
  readonly file?: string;
  readonly tag?: string[];
  readonly space?: string[];
  readonly metadata?: Record<string, unknown>;
  readonly expiresAt?: string;
  readonly keep?: boolean;
  readonly reason?: string;
}

export function withChangeOptions(command: Command): Command {
  return command
    .option('--file <file>', 'read the content from a file; - is standard input')
    .option('--tag <tag...>', 'tags of the memory (repeatable)')
    .option('--space <space...>', 'spaces of the memory (repeatable)')
    .option('--metadata <json>', 'metadata of the memory, a JSON object', jsonObject)
    .option('--expires-at <time>', 'delete the memory at this time, RFC 3339; `never` takes the time away')
    .option('--keep', 'keep the memory, whatever its time and the retention of its spaces')
    .option('--no-keep', 'let it expire again')
    .addOption(reasonOption());
}

/** How long the memory stays, as the API takes it; null takes a value away. */
export function lifetimeOf({ expiresAt, keep }: ChangeOptions): {
  readonly expiresAt: string | null | undefined;
  readonly retention: 'keep' | null | undefined;
} {
  return {
    expiresAt: expiresAt === 'never' ? null : expiresAt,
    retention: keep === undefined ? undefined : keep ? 'keep' : null,
  };
}

export const reasonOption = (): Option =>
  new Option('--reason <text>', 'reason for the change, shown in the history and the audit').argParser(
    oneLine,
  );

function oneLine(text: string): string {
  if (/\p{Cc}/u.test(text)) throw new InvalidArgumentError('It must be one line without control characters.');
  return text;
}

/** The settings of a call that changes a memory. */
export function changeOptions({
  reason,
  ifMatch,
}: {
  readonly reason?: string | undefined;
  readonly ifMatch?: string | undefined;
}): CallSettings {
  return {
    reason,
    ...(ifMatch !== undefined && { ifMatch: ifMatch === '*' ? '*' : Number(ifMatch) }),
  };
}

export const ifMatchOption = (changed = 'memory'): Option =>
  new Option('--if-match <revision>', `change the ${changed} only if it has this revision`).argParser(
    revision,
  );

function revision(text: string): string {
  if (!/^(\*|0|[1-9][0-9]{0,8})$/.test(text))
    throw new InvalidArgumentError('It must be a revision, such as 3, or *.');
  return text;
}
