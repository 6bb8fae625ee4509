import type { RunProblem } from '../../domain/sources/events.ts';
import { FetchFailed } from '../../ports/fetcher.ts';
import { FolderNotAllowed, FolderUnreadable } from '../../ports/folder-reader.ts';
import type { ItemOutcome } from './source-documents.ts';

/** What a run found and did. */
export interface RunResult {
  readonly found: number;
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly failed: number;
  readonly problem?: { readonly code: RunProblem; readonly detail: string } | undefined;
  /** The run as a whole failed: the next one waits longer. */
  readonly isFailure: boolean;
  /** Until when the server that was asked wants to be left alone. */
  readonly notBefore?: Date | undefined;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

export const nothingDone = { found: 0, new: 0, changed: 0, unchanged: 0, removed: 0, failed: 0 };

/** A run that failed before anything was listed. Rethrows what says nothing about the source. */
export function failedRun(error: unknown): RunResult {
  if (error instanceof FetchFailed) {
    const problem = { code: error.reason, detail: error.message };
    return { ...nothingDone, problem, isFailure: true, notBefore: error.notBefore };
  }
  if (error instanceof FolderNotAllowed || error instanceof FolderUnreadable) {
    const code = error instanceof FolderNotAllowed ? 'not-allowed' : 'not-readable';
    return { ...nothingDone, problem: { code, detail: error.message }, isFailure: true };
  }
  throw error;
}

/** Counts what became of the items of a listing. */
export class ItemCounts {
  readonly #counts = { new: 0, changed: 0, unchanged: 0, failed: 0 };
  #firstFailure: string | undefined;

  add(outcome: Pick<ItemOutcome, 'became'> & { readonly detail?: string }, name: string): void {
    this.#counts[outcome.became]++;
    if (outcome.became === 'failed') this.#firstFailure ??= `${name}: ${outcome.detail}`;
  }

  get counts() {
    return { ...this.#counts };
  }

  /** The items that could not be stored, if there are any. */
  get problem(): RunResult['problem'] {
    const { failed } = this.#counts;
    if (failed === 0) return undefined;
    return {
      code: 'not-stored',
      detail: `${failed} could not be stored. The first was ${this.#firstFailure}`,
    };
  }
}
