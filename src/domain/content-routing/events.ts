import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { contentRuleSchema, type ContentRouting } from './rules.ts';

/** Without its name: each event has a schema of its own. */
const rule = z.object({ when: contentRuleSchema.shape.when, spaces: contentRuleSchema.shape.spaces });

/**
 * The rules for documents without spaces from now on: all of them, not only those that changed. What they look for may say what a tenant works
 * on, so it is sealed.
 */
export const ContentRoutingConfigured = defineEvent({
  type: 'ContentRoutingConfigured',
  category: 'policy',
  version: 1,
  routing: z.object({ ruleCount: z.int().nonnegative(), fallback: z.array(z.string()).optional() }),
  sealed: z.object({ rules: z.array(rule) }),
});

export type ContentRoutingEvent = EventOf<typeof ContentRoutingConfigured>;

/** The rules that a tenant has configured, with the revision of their event. */
export interface ConfiguredRouting {
  readonly routing: ContentRouting;
  readonly revision: number;
}

/** The rules that the latest event says; undefined if nobody configured any. */
export function contentRoutingIn(
  history: readonly {
    readonly event: ContentRoutingEvent;
    readonly revision: number;
    readonly erased: boolean;
  }[],
): ConfiguredRouting | undefined {
  const last = history.at(-1);
  if (!last || last.erased) return undefined;
  const { rules, fallback } = last.event.data;
  return { routing: { rules, ...(fallback && { fallback }) }, revision: last.revision };
}
