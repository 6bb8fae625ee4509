import { z } from 'zod';
import type { TenantContext } from '../../domain/access/context.ts';
import { identifier, layerSchema, scopeSchema } from '../../domain/layers.ts';
import { runProblems } from '../../domain/sources/events.ts';
import { sourceFields } from '../../domain/sources/source-config.ts';
import {
  nextRunOf,
  ownRun,
  sourceStates,
  stateOf,
  type Source,
  type SourceRun,
} from '../../domain/sources/sources.ts';
import { spacesHolding, type Spaces } from '../../domain/spaces/spaces.ts';
import { at, position } from '../example-values.ts';
import { positionField } from '../fields.ts';
import type { RoleAccess } from '../operation.ts';

export const sourceAdmins: RoleAccess = { roles: ['admin'], refusal: 'sources need the role admin' };

const count = z.int().nonnegative();
const time = z.iso.datetime();

const lastRunSchema = z.object({
  at: time.meta({ description: 'When it began' }),
  found: count.meta({ description: 'Entries, pages or files that were listed' }),
  new: count,
  changed: count,
  unchanged: count,
  removed: count.meta({ description: 'Documents that were deleted because a complete listing lacks them' }),
  failed: count,
  problem: z
    .object({ code: z.enum(runProblems), detail: z.string() })
    .optional()
    .meta({ description: 'Why it did not do all that it should' }),
});

/** A source as the API shows it. */
export const sourceSchema = z
  .object({
    id: z.string(),
    type: sourceFields.type,
    url: z.string().optional(),
    path: z.string().optional(),
    schedule: z.string(),
    layer: layerSchema,
    scope: scopeSchema.extend({ company: identifier }),
    spaces: z.array(z.string()),
    tags: z.array(z.string()),
    enabled: z.boolean(),
    revision: z.int().meta({ description: 'Its ETag' }),
    createdBy: z.string(),
    updatedAt: time.meta({ description: 'When it was configured' }),
    state: z.enum(sourceStates).meta({
      description:
        '`waiting` for its next run; `due`: it is about to be read, or just being read; `failing`: the last run failed as a whole, and the next ones wait longer; `disabled`; `held`: one of its spaces has `autoIngest: false`',
    }),
    held: z
      .object({ spaces: z.array(z.string()), detail: z.string() })
      .optional()
      .meta({
        description:
          'The spaces whose `autoIngest: false` keeps it from running on its schedule, and what to do',
      }),
    lastRun: lastRunSchema.optional(),
    nextRun: time.optional().meta({ description: 'Absent while its schedule does not count' }),
  })
  .meta({ id: 'Source' });

export type SourceView = z.output<typeof sourceSchema>;

export function viewOfSource(
  { tenant }: Pick<TenantContext, 'tenant'>,
  source: Source,
  run: SourceRun | undefined,
  { now, spaces: configured }: { readonly now: Date; readonly spaces: Spaces },
): SourceView {
  const { id, type, location, schedule, layer, scope, spaces, tags, enabled } = source;
  const last = ownRun(source, run);
  const holding = spacesHolding(configured, source);
  const isHeld = holding.length > 0;
  const next = nextRunOf(source, run, isHeld);
  return {
    id,
    type,
    ...(type === 'directory' ? { path: location } : { url: location }),
    schedule,
    layer,
    scope: { company: tenant, ...scope },
    spaces,
    tags,
    enabled,
    revision: source.revision,
    createdBy: source.createdBy,
    updatedAt: source.updatedAt.toISOString(),
    state: stateOf(source, run, { now, isHeld }),
    ...(isHeld && { held: { spaces: holding, detail: heldBecause(id, holding) } }),
    ...(last && { lastRun: viewOfRun(last) }),
    ...(next && { nextRun: next.toISOString() }),
  };
}

function heldBecause(id: string, spaces: readonly string[]): string {
  const which = spaces.length === 1 ? `the space ${spaces[0]} has` : `the spaces ${spaces.join(', ')} have`;
  return `${which} autoIngest false, so it does not run on its schedule: set autoIngest to true, or ask for a run with POST /v1/sources/${id}/run`;
}

function viewOfRun(run: SourceRun): z.output<typeof lastRunSchema> {
  const { at, found, new: added, changed, unchanged, removed, failed, problem, detail } = run;
  return {
    at,
    found,
    new: added,
    changed,
    unchanged,
    removed,
    failed,
    ...(problem && { problem: { code: problem, detail: detail ?? '' } }),
  };
}

export const configExample = {
  type: 'rss' as const,
  url: 'https://blog.example.com/feed.xml',
  schedule: '@hourly',
  layer: 'company' as const,
  spaces: ['news'],
};

export const sourceExample: SourceView = {
  id: 'blog',
  ...configExample,
  scope: { company: 'acme' },
  tags: [],
  enabled: true,
  revision: 3,
  createdBy: 'user:ada',
  updatedAt: at,
  state: 'waiting',
  lastRun: { at, found: 20, new: 2, changed: 1, unchanged: 17, removed: 0, failed: 0 },
  nextRun: '2026-11-28T10:00:00.000Z',
};

export const sourceAnswerSchema = z.object({ source: sourceSchema, position: positionField });
export const sourceAnswerExample = { source: sourceExample, position };
