import { InvalidArgumentError, type Command } from 'commander';
import { isPositionToken, mustBePosition, mustBePositionOrTime } from '../domain/position.ts';

/** Parses an option that takes a position. Only the server can check that its log has the position. */
export function position(text: string): string {
  if (!isPositionToken(text)) throw new InvalidArgumentError(`It ${mustBePosition}.`);
  return text;
}

/** Ends the command with a usage error if the value of `option` is neither a position nor a time. */
export async function assertPositionOrTime(command: Command, option: string, text: string): Promise<void> {
  if (isPositionToken(text)) return;
  // Loaded on demand: other commands do not need the schemas.
  const { timestamp } = await import('../domain/memory/content.ts');
  if (timestamp.safeParse(text).success) return;
  command.error(`error: option '${option}' value '${text}' is invalid. It ${mustBePositionOrTime}.`);
}
