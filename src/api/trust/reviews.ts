import { z } from 'zod';
import { memorySchema } from '../../domain/memory/view.ts';
import { Problem } from '../../domain/problems.ts';
import { duplicated } from '../../queries/reviews/duplicates-to-review.ts';
import { conflicting, quarantined, stale } from '../../queries/reviews/memories-to-review.ts';
import { readReviews } from '../../queries/reviews/read-reviews.ts';
import { reviewKinds, type ReviewItem } from '../../queries/reviews/review-source.ts';
import type { ConflictFinder } from '../../queries/conflicts.ts';
import type { TenantContext } from '../../domain/access/context.ts';
import { positionField, waitFields } from '../fields.ts';
import { reviewerRoles } from '../../domain/trust/policy.ts';
import { operation, type RoleAccess } from '../operation.ts';
import { position as examplePosition } from '../example-values.ts';
import { withheldInList } from '../memories/withheld.ts';
import { memoryExample } from '../memories/examples.ts';

export const reviewers: RoleAccess = {
  roles: reviewerRoles,
  refusal: 'reviews are for people: agents and operators have none',
};

/** Most memories that are shown beside an item. */
const maxAlike = 3;
const defaultReviews = 20;

const reviewSchema = z
  .object({
    id: z.string().meta({ description: 'For POST /v1/reviews/{id}' }),
    kind: z.enum(reviewKinds).meta({
      description:
        '`quarantine`: it waits for a review. `conflict`: it contradicts the memory in `others`. `duplicate`: those in `others` say the same. `stale`: callers judged it outdated',
    }),
    memory: memorySchema.meta({ description: 'The memory that the decision is about' }),
    others: z
      .array(memorySchema)
      .meta({ description: 'The memories that it contradicts, or that say the same' }),
    alike: z
      .array(memorySchema)
      .meta({ description: 'Up to three memories of its place that are most like it' }),
  })
  .meta({ id: 'Review' });

const quarantinedExample = {
  ...memoryExample,
  trust: { source: 'web' as const, state: 'quarantined' as const, flags: ['instruction'] },
};
export const reviewExample = {
  id: `quarantine.${memoryExample.id}`,
  kind: 'quarantine' as const,
  memory: quarantinedExample,
  others: [],
  alike: [],
};

export const listReviews = operation({
  name: 'listReviews',
  summary: 'List what waits for a review, with the memories that are most like it',
  area: 'Memories',
  input: z.strictObject({
    kind: z.array(z.enum(reviewKinds)).min(1).optional(),
    limit: z
      .int()
      .min(1)
      .max(500)
      .optional()
      .meta({ description: 'Maximum number of items in a page. Default: 20' }),
    cursor: z.string().optional().meta({ description: '`nextCursor` of the previous page' }),
    ...waitFields,
  }),
  output: z.object({
    items: z.array(reviewSchema),
    nextCursor: z.string().optional(),
    position: positionField,
  }),
  examples: {
    input: { kind: ['quarantine'] },
    output: { items: [reviewExample], position: examplePosition },
  },
  access: reviewers,
  reads: 'read-models',
  awaitsOwn: ['memories', 'links', 'feedback', 'duplicates'],
  cost: () => 3,
  audit: { what: 'reviews', when: 'always' },
  async handle(call) {
    const { caller, input, services, wait, token } = call;
    const { spaces } = (await withheldInList({ ...call, input: { includeQuarantined: true } }))!;
    if (spaces !== 'all' && spaces.length === 0)
      throw new Problem('forbidden', 'this credential has none of the roles that review memories');
    const { models, conflicts } = services;
    const { items, nextCursor, position } = await readReviews(
      [quarantined(models), conflicting(models), duplicated(models), stale(models)],
      {
        caller,
        spaces,
        kinds: input.kind,
        cursor: input.cursor,
        limit: input.limit ?? defaultReviews,
        wait,
      },
    );
    const shown = await withAlike(conflicts, caller, items);
    const memories = shown.flatMap(({ memory, others, alike }) => [memory, ...others, ...alike]);
    return {
      output: { items: shown, nextCursor, position: token(position) },
      read: { items: memories.length, memories },
    };
  },
});

async function withAlike(finder: ConflictFinder, caller: TenantContext, items: readonly ReviewItem[]) {
  const shown = [];
  for (const item of items) {
    const isShown = new Set(item.others.map(({ id }) => id));
    const { company: _, ...scope } = item.memory.scope;
    const alike = await finder.alike(caller, { ...item.memory, scope }, maxAlike);
    shown.push({ ...item, others: [...item.others], alike: alike.filter(({ id }) => !isShown.has(id)) });
  }
  return shown;
}
