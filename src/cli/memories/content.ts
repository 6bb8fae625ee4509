import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';

/** Where the content of a memory comes from: an argument, a file, or standard input. */
export interface ContentSource {
  /** `-` is standard input. */
  readonly argument: string | undefined;
  /** `-` is standard input. */
  readonly file: string | undefined;
}

/**
 * The content, verbatim; undefined if neither argument nor file is given. Ends the command with a usage error if both are
 * given, or if the bytes are not UTF-8.
 */
export async function readContent(
  command: Command,
  { argument, file }: ContentSource,
): Promise<string | undefined> {
  if (argument !== undefined && file !== undefined)
    command.error('error: give the content as an argument or with --file, not both');
  if (argument !== undefined && argument !== '-') return argument;
  if (argument === undefined && file === undefined) return undefined;
  const name = file ?? '-';
  const bytes = name === '-' ? await buffer(process.stdin) : await readFile(name);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return command.error(`error: ${name === '-' ? 'standard input' : name} is not UTF-8 text`);
  }
}

/** Like `readContent`, but reads standard input if nothing is given, unless that is a terminal. */
export async function requireContent(command: Command, source: ContentSource): Promise<string> {
  const isPiped = !process.stdin.isTTY && source.file === undefined;
  const given = await readContent(
    command,
    isPiped ? { ...source, argument: source.argument ?? '-' } : source,
  );
  if (given === undefined)
    command.error('error: give the content as an argument, with --file, or on standard input');
  return given;
}
