import { z } from 'zod';
import { modelComparison } from '../retrieval/model-comparison.ts';
import { defineEvent, type EventOf } from '../events/define.ts';

/** An operator has a read model built anew beside the live one. */
export const ProjectionRebuildBegun = defineEvent({
  type: 'ProjectionRebuildBegun',
  category: 'projection',
  version: 1,
  routing: z.object({ projection: z.string(), generation: z.int() }),
  sealed: z.object({}),
});

/** An operator had a read model built anew beside the live one. */
export const ProjectionRebuilt = defineEvent({
  type: 'ProjectionRebuilt',
  category: 'projection',
  version: 1,
  routing: z.object({
    projection: z.string(),
    generation: z.int(),
    events: z.int(),
    /** Of the rebuilt and of the live read model at the same bookmark. */
    digest: z.string(),
    liveDigest: z.string(),
    equal: z.boolean(),
  }),
  sealed: z.object({}),
});

/** An operator ended a rebuild that was under way: what it had built is gone. */
export const ProjectionRebuildEnded = defineEvent({
  type: 'ProjectionRebuildEnded',
  category: 'projection',
  version: 1,
  routing: z.object({ projection: z.string(), generation: z.int() }),
  sealed: z.object({}),
});

/** Queries read another generation from now on. */
export const ProjectionSwitched = defineEvent({
  type: 'ProjectionSwitched',
  category: 'projection',
  version: 1,
  routing: z.object({ projection: z.string(), from: z.int(), to: z.int(), rollback: z.boolean() }),
  sealed: z.object({}),
});

/** An operator gave up an event that a read model cannot apply, so that its stream goes on there. */
export const ParkedEventSkipped = defineEvent({
  type: 'ParkedEventSkipped',
  category: 'projection',
  version: 1,
  routing: z.object({ projection: z.string(), stream: z.string(), revision: z.int(), type: z.string() }),
  sealed: z.object({}),
});

/** An operator gave a stream that waits to its read model again. */
export const ParkedStreamRetried = defineEvent({
  type: 'ParkedStreamRetried',
  category: 'projection',
  version: 1,
  routing: z.object({ projection: z.string(), stream: z.string() }),
  sealed: z.object({}),
});

/** The answers of a new embedding model were compared with those of the live one, in shadow. */
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
