import { sqlState } from '../ports/sql.ts';

/** So many views one query takes at most. */
export const mostViews = 3;

/** SQLSTATEs of a read whose table was dropped, and of one that gave way to whoever drops it. */
const outdated: ReadonlySet<string | undefined> = new Set(['42P01', '40P01']);

/** Whether a read failed because a generation that its view names was replaced since, and dropped. */
export function isOutdated(error: unknown): boolean {
  return outdated.has(sqlState(error));
}

/**
 * What `read` answers, which takes a view and changes nothing. Where that was outdated it is called again, to take
 * another one.
 */
export async function withCurrentView<T>(read: () => Promise<T>): Promise<T> {
  for (let views = 1; ; views++) {
    try {
      return await read();
    } catch (error) {
      if (!isOutdated(error) || views === mostViews) throw error;
    }
  }
}
