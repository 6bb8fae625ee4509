import { InvalidArgumentError, type Command } from 'commander';
import { isPositionToken, mustBePosition, mustBePositionOrTime } from '../domain/position.ts';

/** The value of an option that takes a position. Whether it is one of the server's log only the server knows. */
export function position(text: string): string {
  if (!isPositionToken(text)) throw new InvalidArgumentError(`It ${mustBePosition}.`);
  return text;
}

/** Ends the command as called wrongly where the value of `option` is neither a position nor a time. */
export async function assertPositionOrTime(command: Command, option: string, text: string): Promise<void> {
  if (isPositionToken(text)) return;
  // Other commands do without the schemas.
  const { timestamp } = await import('../domain/memory/content.ts');
  if (timestamp.safeParse(text).success) return;
  command.error(`error: option '${option}' value '${text}' is invalid. It ${mustBePositionOrTime}.`);
}
