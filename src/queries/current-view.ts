import { sqlState } from '../ports/sql.ts';

/** Maximum number of views that one query takes. */
export const maxViews = 3;

/** SQLSTATEs of a read whose table was dropped, and of one that lost a deadlock against the drop. */
const outdated: ReadonlySet<string | undefined> = new Set(['42P01', '40P01']);

/** Whether a read failed because a generation in its view was replaced and dropped meanwhile. */
export function isOutdated(error: unknown): boolean {
  return outdated.has(sqlState(error));
}

/**
 * Returns the result of `read`, which takes a view and writes nothing. If the view is outdated, calls `read` again to take a
 * new one.
 */
export async function withCurrentView<T>(read: () => Promise<T>): Promise<T> {
  for (let views = 1; ; views++) {
    try {
      return await read();
    } catch (error) {
      if (!isOutdated(error) || views === maxViews) throw error;
    }
  }
}
