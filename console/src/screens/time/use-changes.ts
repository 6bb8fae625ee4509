import type { AuditEvent } from '@stratalog/client';
import { useEffect } from 'preact/hooks';
import { usePages, type Pages } from '../../app/use-pages.ts';
import { changingTypes } from './changes.ts';

/** More changes than these are not read: the view would be too long to read anyway. */
export const maxEvents = 5_000;

/** The changes of memories between two times, oldest first, up to a limit. */
export function useChanges(from: string, to: string): Pages<AuditEvent> {
  const pages = usePages('audit.events', [{ type: changingTypes, from, to, limit: 500 }], { once: true });
  const { hasMore, items, more } = pages;
  useEffect(() => {
    if (hasMore && items.length < maxEvents) more();
  }, [hasMore, items.length]);
  return pages;
}
