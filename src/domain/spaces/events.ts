import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { jsonObject } from '../json.ts';
import { trustPolicySchema } from '../trust/policy.ts';
import { spaceConfigSchema } from './space-config.ts';

const { description, sources, metadataSchema, ...settings } = spaceConfigSchema.shape;
/** Without its name: each event has a schema of its own. */
const trust = z.object(trustPolicySchema.shape).optional();

/** The whole configuration of a space from now on. All spaces of a tenant have one stream. */
export const SpaceConfigured = defineEvent({
  type: 'SpaceConfigured',
  category: 'space',
  version: 3,
  routing: z.object({ spaceId: z.string(), settings: z.object({ ...settings, trust }) }),
  sealed: z.object({ description, sources, metadataSchema: jsonObject.optional() }),
  upcasters: {
    // Version 2 added the preset.
    1: (data) => data,
    // Before version 3, `autoIngest` had no effect and was false by default. With true, sources go on as before.
    2: (data) => ({ ...data, settings: { ...(data['settings'] as object), autoIngest: true } }),
  },
});

/** The space has no configuration any more. With `detach`, its memories lose the label. */
export const SpaceRemoved = defineEvent({
  type: 'SpaceRemoved',
  category: 'space',
  version: 1,
  routing: z.object({ spaceId: z.string(), detach: z.boolean() }),
  sealed: z.object({}),
});

/** No memory has the label of the removed space any more, apart from those that got it since. */
export const SpaceDetached = defineEvent({
  type: 'SpaceDetached',
  category: 'space',
  version: 1,
  routing: z.object({ spaceId: z.string(), memories: z.int().nonnegative() }),
  sealed: z.object({}),
});

/** Whether memories may name spaces that nobody configured. */
export const SpacesRestricted = defineEvent({
  type: 'SpacesRestricted',
  category: 'space',
  version: 1,
  routing: z.object({ strict: z.boolean() }),
  sealed: z.object({}),
});

/** What waits for a review in the whole tenant, whatever its spaces, and who reviews. */
export const TrustConfigured = defineEvent({
  type: 'TrustConfigured',
  category: 'space',
  version: 1,
  routing: z.object({ policy: z.object(trustPolicySchema.shape) }),
  sealed: z.object({}),
});

export type SpaceEvent =
  | EventOf<typeof SpaceConfigured>
  | EventOf<typeof SpaceRemoved>
  | EventOf<typeof SpaceDetached>
  | EventOf<typeof SpacesRestricted>
  | EventOf<typeof TrustConfigured>;
