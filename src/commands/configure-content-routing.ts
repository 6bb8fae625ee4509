import {
  contentRoutingIn,
  type ConfiguredRouting,
  type ContentRoutingEvent,
} from '../domain/content-routing/events.ts';
import type { ContentRouting } from '../domain/content-routing/rules.ts';
import { canonicalJson } from '../domain/json.ts';
import { Problem } from '../domain/problems.ts';
import { contentRoutingStream } from '../domain/streams.ts';
import type { MatchCondition } from './change-memory.ts';
import { changeStream } from './change-stream.ts';
import { tenantKey, type CommandContext, type CommandResult, type CommandServices } from './context.ts';

/** Replaces the rules for documents without spaces. `match` is the revision that they must be at; `*` is any. */
export async function configureContentRouting(
  services: CommandServices,
  context: CommandContext,
  routing: ContentRouting,
  match?: MatchCondition,
): Promise<CommandResult & ConfiguredRouting> {
  const { tenant } = context.caller;
  const { history, position, replayed } = await changeStream<ContentRoutingEvent>(services, context, {
    stream: contentRoutingStream(tenant),
    memoryId: '',
    decide: (loaded) => {
      const before = contentRoutingIn(loaded);
      assertMatches(before, match);
      if (before && canonicalJson(before.routing) === canonicalJson(routing)) return [];
      const { rules, fallback } = routing;
      return [
        {
          type: 'ContentRoutingConfigured',
          data: { ruleCount: rules.length, ...(fallback && { fallback }), rules },
        },
      ];
    },
    key: () => tenantKey(services.vault, tenant),
  });
  const { revision } = history.at(-1)!;
  return { routing, revision, position, replayed };
}

function assertMatches(before: ConfiguredRouting | undefined, match: MatchCondition | undefined): void {
  if (match === undefined) return;
  if (!before)
    throw new Problem('revision-mismatch', 'If-Match names a revision, and nobody configured rules yet');
  if (match !== '*' && match !== before.revision)
    throw new Problem('revision-mismatch', `If-Match does not name the revision ${before.revision}`);
}
