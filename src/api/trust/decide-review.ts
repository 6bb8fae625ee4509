import { z } from 'zod';
import type { MemoryResult } from '../../commands/change-memory.ts';
import type { CommandContext, CommandServices } from '../../commands/context.ts';
import { reviewDuplicates, type ReviewOfDuplicates } from '../../commands/trust/review-duplicates.ts';
import { reviewMemory, type ReviewCommand } from '../../commands/trust/review-memory.ts';
import { memorySchema, viewOf } from '../../domain/memory/view.ts';
import { Problem } from '../../domain/problems.ts';
import { reviewDecisions, type ReviewDecision } from '../../domain/trust/decisions.ts';
import { reviewKinds } from '../../queries/reviews/review-source.ts';
import { readCounters } from '../../queries/get-memory.ts';
import { lineIdentity } from '../command-id.ts';
import { asProblem } from '../problem.ts';
import { positionField } from '../fields.ts';
import { position } from '../example-values.ts';
import { operation } from '../operation.ts';
import { reviewers, reviewExample } from './reviews.ts';

const reason = z.string().min(1).max(500).optional().meta({
  description: 'Why, for the history of the memory. Takes the place of the header X-Reason',
});
const decision = z.enum(reviewDecisions).meta({
  description:
    '`approve`: everybody finds it. `reject`: nobody does. `keep`: it stays as it is, and the question is closed. `merge`: it is deleted, because `with` says it; of duplicates, the others are deleted. `supersede`: it is approved and replaces `with`. `undo`: take the last decision back',
});
const other = z.string().optional().meta({
  description:
    'Id of the other memory, for `merge` and `supersede`. Default: that of the conflict. Of duplicates the memory that stays; default: the representative',
});

const body = z.strictObject({ decision, reason, with: other }).meta({ id: 'ReviewDecision' });

export const decideReview = operation({
  name: 'decideReview',
  summary:
    'Decide about a memory that waits for a review, contradicts or repeats another one, or is outdated',
  area: 'Memories',
  input: body.extend({ id: z.string() }),
  output: z.object({ memory: memorySchema, position: positionField }),
  examples: {
    input: { id: reviewExample.id, decision: 'reject', reason: 'it tells the model what to do' },
    output: {
      memory: {
        ...reviewExample.memory,
        trust: { ...reviewExample.memory.trust, state: 'rejected', reviewedBy: 'user:bob' },
      },
      position,
    },
  },
  access: reviewers,
  command: { scope: ({ id }) => ['POST', `/v1/reviews/${id}`], arguments: body },
  async handle({ caller, context, input, services, token }) {
    const command = commandOf(input.id, input.decision, input.with);
    const own = input.reason === undefined ? context : { ...context, reason: input.reason };
    const { snapshot, position: at, replayed } = await decide(services.commands, own, command);
    const counters = await readCounters(services.models, caller, snapshot.state.value.id);
    return { output: { memory: viewOf(caller.tenant, snapshot, counters), position: token(at) }, replayed };
  },
});

const result = z.object({
  id: z.string(),
  status: z.int(),
  problem: z.object({ code: z.string(), detail: z.string() }).optional(),
});

export const decideReviews = operation({
  name: 'decideReviews',
  summary: 'Decide the same about many reviews; each succeeds or fails on its own',
  area: 'Memories',
  input: z
    .strictObject({
      ids: z.array(z.string()).min(1).max(500).meta({ description: 'Ids of reviews' }),
      revisions: z.record(z.string(), z.int().min(0)).optional().meta({
        description:
          'Revisions that the memories must have, by id of the review. One that has changed fails with `revision-mismatch`, such as when somebody else has decided meanwhile. Reviews of duplicates ignore it',
      }),
      decision,
      reason,
      with: other,
    })
    .meta({ id: 'ReviewDecisions' }),
  output: z.object({ items: z.array(result), position: positionField }),
  examples: {
    input: { ids: [reviewExample.id], decision: 'approve' },
    output: { items: [{ id: reviewExample.id, status: 200 }], position },
  },
  access: reviewers,
  command: { scope: () => ['POST', '/v1/reviews/bulk'] },
  async handle({ caller, context, input, services, token }) {
    const { idempotency: whole, ...each } = context;
    const own = input.reason === undefined ? each : { ...each, reason: input.reason };
    const items: z.output<typeof result>[] = [];
    let reached = 0;
    for (const [index, id] of input.ids.entries()) {
      try {
        const command = commandOf(id, input.decision, input.with, input.revisions?.[id]);
        const idempotency = lineIdentity(services.commands.vault, caller, whole, index, command);
        const one = { ...own, ...(idempotency && { idempotency }) };
        const { position: at } = await decide(services.commands, one, command);
        reached = Math.max(reached, at);
        items.push({ id, status: 200 });
      } catch (error) {
        const problem = asProblem(error);
        items.push({ id, status: problem.status, problem: { code: problem.code, detail: problem.message } });
      }
    }
    return { output: { items, position: token(reached) } };
  },
});

type Decided = ReviewCommand | ReviewOfDuplicates;

function decide(services: CommandServices, context: CommandContext, command: Decided): Promise<MemoryResult> {
  return 'clusterId' in command
    ? reviewDuplicates(services, context, command)
    : reviewMemory(services, context, command);
}

/** What a review is about. An id without a kind is that of a memory. */
function commandOf(
  id: string,
  decision: ReviewDecision,
  other: string | undefined,
  expectedRevision?: number,
): Decided {
  const [kind, about, conflicting, ...rest] = id.includes('.') ? id.split('.') : ['quarantine', id];
  if (!(reviewKinds as readonly string[]).includes(kind!) || about === undefined || rest.length > 0)
    throw new Problem('not-found', 'no such review');
  if (kind === 'duplicate') return { clusterId: about, decision, other };
  const isPaired = decision === 'merge' || decision === 'supersede';
  return {
    memoryId: about,
    decision,
    other: isPaired ? (other ?? conflicting) : undefined,
    ...(expectedRevision !== undefined && { expectedRevision }),
  };
}
