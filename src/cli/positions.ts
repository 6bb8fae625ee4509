import { InvalidArgumentError, type Command } from 'commander';
import { isPositionToken, mustBePosition, mustBePositionOrTime } from '../domain/position.ts';

/** Parses an option that takes a position. Only the server can check that its log has the position. */
export function position(text: string): string {
  if (!isPositionToken(text)) throw new InvalidArgumentError(`It ${mustBePosition}.`);
  return text;
}

/** Ends the command with a usage error if the value of `option` is neither a position nor a time. */
export async function assertPositionOrTime(command: Command, option: string, text: string): Promise<void> {
  if (!isPositionToken(text) && !(await isTime(text))) refuse(command, option, text, mustBePositionOrTime);
}

/** Ends the command with a usage error if the value of `option` is not a time. */
export async function assertTime(command: Command, option: string, text: string): Promise<void> {
  if (!(await isTime(text))) refuse(command, option, text, 'must be an RFC 3339 time with an offset');
}

async function isTime(text: string): Promise<boolean> {
  // Loaded on demand: other commands do not need the schemas.
  const { timestamp } = await import('../domain/memory/content.ts');
  return timestamp.safeParse(text).success;
}

function refuse(command: Command, option: string, text: string, must: string): void {
  command.error(`error: option '${option}' value '${text}' is invalid. It ${must}.`);
}

/** A question about the past may need read models of then, which are filled while it waits. */
const pastWaitMs = 30_000;

/** The parameters of a question about the past, after a check of the option `--as-of`; none for one about now. */
export async function askedAsOf(
  command: Command,
  asOf: string | undefined,
): Promise<{ readonly asOf?: string; readonly waitMs?: number }> {
  if (asOf === undefined) return {};
  await assertPositionOrTime(command, '--as-of <when>', asOf);
  return { asOf, waitMs: pastWaitMs };
}
