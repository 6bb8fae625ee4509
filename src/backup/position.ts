import { isPositionToken, readPositionToken } from '../domain/position.ts';
import { Problem } from '../domain/problems.ts';
import type { CopySource, LogEnd } from '../ports/log-copy.ts';
import { BackupRefused } from './errors.ts';

/**
 * The position that `--to` names: a position as the server gives it, its plain number, or a time, which means the last event up to then.
 * Throws `BackupRefused` if the log does not have it. Nothing is known of times after `knownUntil`.
 */
export async function positionOf(
  text: string,
  source: CopySource,
  end: LogEnd,
  knownUntil: Date,
): Promise<number> {
  const position = /^\d{1,15}$/.test(text)
    ? Number(text)
    : isPositionToken(text)
      ? parsed(text, end)
      : await atTime(text, source, knownUntil);
  if (position > end.position)
    throw new BackupRefused(`--to: position ${position} is behind the end, which is ${end.position}`);
  if (position < 1) throw new BackupRefused(`--to: there is no event up to ${text}: the log begins later`);
  return position;
}

function parsed(token: string, { logId, origin }: LogEnd): number {
  try {
    const read = readPositionToken(logId, token, '--to');
    if ('position' in read) return read.position;
    throw new BackupRefused(
      `--to: ${token} can be read by the server alone: ask with a key of an auditor or admin`,
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new BackupRefused(`--to: ${token} is a position of another log than ${origin}`);
  }
}

async function atTime(text: string, source: CopySource, knownUntil: Date): Promise<number> {
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text)
    ? new Date(text)
    : new Date(Number.NaN);
  if (Number.isNaN(time.getTime()))
    throw new BackupRefused(
      `--to: ${text} must be a position, or an RFC 3339 time with an offset such as 2026-01-31T12:00:00Z`,
    );
  if (time > knownUntil)
    throw new BackupRefused(
      `--to: ${text} is in the future: what is there ends at ${knownUntil.toISOString()}. Leave --to out for all of it`,
    );
  return source.positionAt(time);
}
