import { Cron } from 'croner';
import { z } from 'zod';

/** Names of schedules, and the patterns that they stand for. */
const named: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@quarterly': '0 0 1 1,4,7,10 *',
};

const minuteMs = 60_000;
/** Pause after the first failure. It doubles with each further one. */
const firstBackOffMs = 5 * minuteMs;
const maxBackOffMs = 24 * 60 * minuteMs;

/** When a source is read, in UTC. */
export const scheduleSchema = z
  .string()
  .max(256)
  .refine((text) => cronOf(text)?.nextRun(new Date(0)) != null, {
    message: `must be ${Object.keys(named).join(', ')} or a cron pattern of five fields in UTC (minute, hour, day, month, weekday) that comes due, such as 30 6 * * 1-5`,
  })
  .meta({
    description:
      'When it is read, in UTC: `@hourly`, `@daily`, `@weekly`, `@monthly`, `@quarterly`, or a cron pattern of five fields, such as `30 6 * * 1-5`',
  });

/** The first time after `after` at which a schedule comes due; undefined if it never does. */
export function nextDue(schedule: string, after: Date): Date | undefined {
  return cronOf(schedule)?.nextRun(after) ?? undefined;
}

/** What the next run follows from. */
export interface RunHistory {
  readonly schedule: string;
  readonly enabled: boolean;
  /** When it was configured. */
  readonly since: Date;
  /** When somebody asked for a run that has not begun yet. */
  readonly requestedAt?: Date | undefined;
  readonly last?:
    | {
        readonly at: Date;
        /** Failures in a row, with this run. */
        readonly failures: number;
        /** Until when the server that was asked wants to be left alone. */
        readonly notBefore?: Date | undefined;
      }
    | undefined;
}

/**
 * When a source is read next; undefined if it is not. A time that is over means that it is due: of the times that were missed, one run makes
 * up for all. After failures, the times of the schedule within a growing pause are left out.
 */
export function nextRun({ schedule, enabled, since, requestedAt, last }: RunHistory): Date | undefined {
  if (requestedAt) return requestedAt;
  if (!enabled) return undefined;
  // What was configured since then may have fixed what failed.
  if (!last || last.at < since) return nextDue(schedule, since);
  const pauseUntil = last.at.getTime() + backOffMs(last.failures);
  // A time of the schedule at which the pause ends counts.
  const after = Math.max(last.at.getTime(), pauseUntil - 1, (last.notBefore?.getTime() ?? 0) - 1);
  return nextDue(schedule, new Date(after));
}

/** How long a source rests after so many failures in a row. */
export function backOffMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(firstBackOffMs * 2 ** (failures - 1), maxBackOffMs);
}

function cronOf(schedule: string): Cron | undefined {
  const pattern = Object.hasOwn(named, schedule) ? named[schedule]! : schedule;
  // Other forms, such as a single time, are no schedules.
  if (pattern.trim().split(/\s+/).length !== 5) return undefined;
  try {
    return new Cron(pattern, { timezone: 'UTC', mode: '5-part' });
  } catch {
    return undefined;
  }
}
