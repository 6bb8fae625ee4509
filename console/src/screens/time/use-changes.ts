import type { AuditEvent } from '@stratalog/client';
import { usePages, useReadUpTo, type Pages } from '../../app/use-pages.ts';
import { changingTypes } from './changes.ts';

/** At most this many changes are read: nobody reads a longer list. */
export const maxEvents = 5_000;

interface Changes extends Pages<AuditEvent> {
  /** Whether there are more changes than are read. */
  readonly isCut: boolean;
}

/** The changes of memories between two times, oldest first, up to a limit. */
export function useChanges(from: string, to: string): Changes {
  const pages = usePages('audit.events', [{ type: changingTypes, from, to, limit: 500 }], { once: true });
  return { ...pages, isCut: useReadUpTo(pages, maxEvents) };
}
