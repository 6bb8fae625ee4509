import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { layerSchema, scopeSchema } from '../layers.ts';
import { sourceTypes } from './source-config.ts';

const count = z.int().nonnegative();
const time = z.iso.datetime();
/** Revision in the stream of the tenant's sources. */
const revision = z.int().min(-1);

/** Why a run did not do all that it should. */
export const runProblems = [
  'not-allowed',
  'unreachable',
  'timed-out',
  'too-large',
  'refused',
  'not-readable',
  'empty-listing',
  'incomplete-listing',
  'not-stored',
] as const;
export type RunProblem = (typeof runProblems)[number];

/** The whole configuration of a source from now on. All sources of a tenant have one stream. */
export const SourceConfigured = defineEvent({
  type: 'SourceConfigured',
  category: 'source',
  version: 1,
  routing: z.object({
    sourceId: z.string(),
    type: z.enum(sourceTypes),
    schedule: z.string(),
    layer: layerSchema,
    scope: z.object(scopeSchema.shape),
    spaces: z.array(z.string()),
    enabled: z.boolean(),
  }),
  sealed: z.object({
    /** Address or folder. */
    location: z.string(),
    tags: z.array(z.string()),
  }),
});

/** The source is not read any more. Its documents stay. */
export const SourceRemoved = defineEvent({
  type: 'SourceRemoved',
  category: 'source',
  version: 1,
  routing: z.object({ sourceId: z.string() }),
  sealed: z.object({}),
});

/** Somebody asked for a run, whatever the schedule says. */
export const SourceRunRequested = defineEvent({
  type: 'SourceRunRequested',
  category: 'source',
  version: 1,
  routing: z.object({ sourceId: z.string() }),
  sealed: z.object({}),
});

/** A run is over. The runs of a source have a stream of their own. */
export const SourceRan = defineEvent({
  type: 'SourceRan',
  category: 'source',
  version: 1,
  routing: z.object({
    sourceId: z.string(),
    /** When it began. */
    at: time,
    /** The last event of the tenant's sources that it knew. */
    seen: revision,
    /** Revision of the configuration that it followed. */
    configured: revision,
    /** What was listed: entries, pages or files. */
    found: count,
    new: count,
    changed: count,
    unchanged: count,
    removed: count,
    failed: count,
    /** Runs in a row that failed as a whole, with this one. */
    failures: count,
    problem: z.enum(runProblems).optional(),
    /** Until when the server that was asked wants to be left alone. */
    notBefore: time.optional(),
  }),
  sealed: z.object({
    detail: z.string().optional(),
    /** What asks whether a feed or a page has changed since. */
    etag: z.string().optional(),
    lastModified: z.string().optional(),
  }),
});

export type SourceConfigEvent =
  EventOf<typeof SourceConfigured> | EventOf<typeof SourceRemoved> | EventOf<typeof SourceRunRequested>;
export type SourceRunEvent = EventOf<typeof SourceRan>;

/** The events of the stream of a tenant's sources. */
export const sourceConfigEvents = [
  'SourceConfigured',
  'SourceRemoved',
  'SourceRunRequested',
] as const satisfies readonly SourceConfigEvent['type'][];
