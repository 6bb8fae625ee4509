import { ProblemError, TimeoutError } from '../../../packages/client/src/index.ts';

/** A part of a report that could not be read, and why: what role it takes, or what the server answered. */
export interface Unreadable {
  readonly unreadable: string;
}

export type Part<Value> = Value | Unreadable;

export const isUnreadable = (part: object): part is Unreadable => 'unreadable' in part;

/** What the server answers, or why it does not. Throws if the server is gone, or no longer accepts the key. */
export async function partOf<Value>(answer: Promise<Value>): Promise<Part<Value>> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ProblemError && error.status !== 401) return { unreadable: error.detail };
    if (error instanceof TimeoutError) return { unreadable: `the server gave ${error.message}` };
    throw error;
  }
}
