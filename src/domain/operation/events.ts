import { z } from 'zod';
import { modelComparison } from '../retrieval/model-comparison.ts';
import { defineEvent, type EventOf } from '../events/define.ts';

/** An operator started a rebuild: a new generation of a read model next to the live one. */
export const ProjectionRebuildBegun = defineEvent({
  type: 'ProjectionRebuildBegun',
  category: 'projection',
  version: 1,
  routing: z.object({ projection: z.string(), generation: z.int() }),
  sealed: z.object({}),
});

/** A rebuild finished. */
export const ProjectionRebuilt = defineEvent({
  type: 'ProjectionRebuilt',
  category: 'projection',
  version: 1,
  routing: z.object({
    projection: z.string(),
    generation: z.int(),
    events: z.int(),
    /** Digests of the rebuilt and the live generation at the same checkpoint. */
    digest: z.string(),
    liveDigest: z.string(),
    equal: z.boolean(),
  }),
  sealed: z.object({}),
});

/** An operator cancelled a running rebuild; its generation was dropped. */
export const ProjectionRebuildEnded = defineEvent({
  type: 'ProjectionRebuildEnded',
  category: 'projection',
  version: 1,
  routing: z.object({ projection: z.string(), generation: z.int() }),
  sealed: z.object({}),
});

/** From this event on, queries read generation `to`. */
export const ProjectionSwitched = defineEvent({
  type: 'ProjectionSwitched',
  category: 'projection',
  version: 1,
  routing: z.object({ projection: z.string(), from: z.int(), to: z.int(), rollback: z.boolean() }),
  sealed: z.object({}),
});

/** An operator skipped an event that a read model cannot apply, so that later events of its stream can be applied. */
export const ParkedEventSkipped = defineEvent({
  type: 'ParkedEventSkipped',
  category: 'projection',
  version: 1,
  routing: z.object({ projection: z.string(), stream: z.string(), revision: z.int(), type: z.string() }),
  sealed: z.object({}),
});

/** An operator retried a parked stream. */
export const ParkedStreamRetried = defineEvent({
  type: 'ParkedStreamRetried',
  category: 'projection',
  version: 1,
  routing: z.object({ projection: z.string(), stream: z.string() }),
  sealed: z.object({}),
});

/** Results of a new embedding model were compared with those of the live one, without being shown to callers. */
export const ModelsCompared = defineEvent({
  type: 'ModelsCompared',
  category: 'projection',
  version: 1,
  routing: z.object({ projection: z.string(), generation: z.int(), ...modelComparison.shape }),
  sealed: z.object({}),
});

export type OperationEvent =
  | EventOf<typeof ProjectionRebuildBegun>
  | EventOf<typeof ParkedStreamRetried>
  | EventOf<typeof ProjectionRebuilt>
  | EventOf<typeof ProjectionRebuildEnded>
  | EventOf<typeof ModelsCompared>
  | EventOf<typeof ProjectionSwitched>
  | EventOf<typeof ParkedEventSkipped>;
