import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';

export const linkTypes = [
  'supports',
  'contradicts',
  'supersedes',
  'requires',
  'related',
  'causes',
  'derived_from',
  'cites',
] as const;
export const linkTypeSchema = z.enum(linkTypes);
export type LinkType = z.infer<typeof linkTypeSchema>;

/** A link from source to target. A repeated link replaces the confidence. */
export const MemoriesLinked = defineEvent({
  type: 'MemoriesLinked',
  category: 'links',
  version: 2,
  routing: z.object({
    source: z.string(),
    target: z.string(),
    type: linkTypeSchema,
    confidence: z.number().min(0).max(1),
  }),
  sealed: z.object({}),
  // Version 2 added the type `cites`.
  upcasters: { 1: (data) => data },
});

export const MemoriesUnlinked = defineEvent({
  type: 'MemoriesUnlinked',
  category: 'links',
  version: 2,
  routing: z.object({ source: z.string(), target: z.string(), type: linkTypeSchema }),
  sealed: z.object({}),
  upcasters: { 1: (data) => data },
});

export type LinkEvent = EventOf<typeof MemoriesLinked> | EventOf<typeof MemoriesUnlinked>;

/** Confidence of the outgoing links of one memory, by `<type> <target>`. */
export type LinksState = ReadonlyMap<string, number>;

export const noLinks: LinksState = new Map();

/** Applies `events` to `before`. The map is copied once, not per event: with thousands of links that would take seconds. */
export function foldLinks(before: LinksState, events: readonly LinkEvent[]): LinksState {
  const links = new Map(before);
  for (const { type, data } of events) {
    const key = `${data.type} ${data.target}`;
    if (type === 'MemoriesLinked') links.set(key, data.confidence);
    else links.delete(key);
  }
  return links;
}

export type LinkCommand =
  | {
      readonly type: 'link';
      readonly source: string;
      readonly target: string;
      readonly link: LinkType;
      readonly confidence: number;
    }
  | { readonly type: 'unlink'; readonly source: string; readonly target: string; readonly link: LinkType };

/** Returns the event for a command, or none if the link already has the requested state. */
export function decideLink(command: LinkCommand, state: LinksState): LinkEvent[] {
  const { source, target, link } = command;
  const present = state.get(`${link} ${target}`);
  if (command.type === 'link') {
    if (present === command.confidence) return [];
    return [{ type: 'MemoriesLinked', data: { source, target, type: link, confidence: command.confidence } }];
  }
  return present === undefined ? [] : [{ type: 'MemoriesUnlinked', data: { source, target, type: link } }];
}
