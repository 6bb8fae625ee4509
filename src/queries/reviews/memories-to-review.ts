import { visible } from '../../domain/access/visibility.ts';
import { quarantinedKey } from '../../domain/retrieval/postings.ts';
import { isMemoryId } from '../../domain/streams.ts';
import { joinUsage, memoryColumns, memoryOf, type MemoryRow } from '../memory-row.ts';
import { filedUnderAll } from '../postings-sql.ts';
import type { ReadModels, ReadView } from '../read-models.ts';
import { regionCondition } from '../scope-sql.ts';
import { allOf, Parameters } from '../sql-builder.ts';
import { readVisibleMemories } from '../validate.ts';
import type { ReviewItem, ReviewItems, ReviewKind, ReviewPage, ReviewSource } from './review-source.ts';

/** Memories that wait for a review. */
export function quarantined(models: ReadModels): ReviewSource {
  return {
    kind: 'quarantine',
    read: (page) =>
      readPage(models, page, 'quarantine', (view, parameters, tenant) => [
        `m.memory_id = any (array(${filedUnderAll([{ keys: [quarantinedKey], ranges: [] }], view, tenant, parameters)}))`,
        "m.state = 'withheld'",
      ]),
  };
}

/** Memories that callers judged outdated since they were last changed or reviewed. */
export function stale(models: ReadModels): ReviewSource {
  return {
    kind: 'stale',
    read: (page) =>
      readPage(models, page, 'stale', (view, parameters, tenant) => [
        "m.state = 'active'",
        `exists (select 1 from ${view.table('feedback')} f where f.tenant = m.tenant and f.memory_id = m.memory_id
           and f.kind = 'outdated' and f.score < 0 and f.position > m.from_position)`,
        // Found through the few memories that were judged, which are read once: nothing in the array depends on `m`.
        `m.memory_id = any (array(select f.memory_id from ${view.table('feedback')} f
           where f.tenant = ${parameters.bind(tenant)} and f.kind = 'outdated' and f.score < 0))`,
      ]),
  };
}

/** Memories that contradict another one, until a review of the newer one. */
export function conflicting(models: ReadModels): ReviewSource {
  return {
    kind: 'conflict',
    async read(page) {
      const { caller, limit, wait } = page;
      return models.read({ projections: [...read, 'links'], ...wait }, async (view) => {
        const parameters = new Parameters();
        const tenant = parameters.bind(caller.tenant);
        const [, afterSource = '', afterTarget = ''] = page.after?.split('.') ?? [];
        const conditions = [
          `l.tenant = ${tenant}`,
          "l.type = 'contradicts'",
          'l.to_position is null',
          "m.state = 'active' and o.state = 'active'",
          `not (m.value->'trust' ? 'reviewedBy' and m.from_position > l.from_position)`,
          ...inReach(page, 'm', parameters),
          regionCondition({ tenant: caller.tenant, visibility: visible(caller) }, 'o', parameters),
          ...(isMemoryId(afterSource) && isMemoryId(afterTarget)
            ? [
                `(l.source, l.target) > (${parameters.bind(afterSource)}::uuid, ${parameters.bind(afterTarget)}::uuid)`,
              ]
            : []),
        ];
        const rows = await models.sql.queryAs<{ source: string; target: string }>(
          caller.tenant,
          `select l.source, l.target from ${view.table('links')} l
           join ${view.table('memories')} m on m.tenant = l.tenant and m.memory_id = l.source and m.to_position is null
           join ${view.table('memories')} o on o.tenant = l.tenant and o.memory_id = l.target and o.to_position is null
           where ${allOf(conditions)} order by l.source, l.target limit ${parameters.bind(limit)}`,
          parameters.values,
        );
        const ids = [...new Set(rows.flatMap(({ source, target }) => [source, target]))];
        const found = ids.length === 0 ? [] : await readVisibleMemories(models, view, caller, ids);
        const byId = new Map(found.map((row) => [row.memory_id, memoryOf(row)]));
        const items = rows.flatMap(({ source, target }): ReviewItem[] => {
          const [memory, other] = [byId.get(source), byId.get(target)];
          if (!memory || !other) return [];
          return [{ id: `conflict.${source}.${target}`, kind: 'conflict', memory, others: [other] }];
        });
        return { items, position: view.position };
      });
    },
  };
}

const read = ['memories', 'usage', 'feedback', 'values'];

async function readPage(
  models: ReadModels,
  page: ReviewPage,
  kind: ReviewKind,
  conditionsOf: (view: ReadView, parameters: Parameters, tenant: string) => string[],
): Promise<ReviewItems> {
  const { caller, limit, wait } = page;
  return models.read({ projections: read, ...wait }, async (view) => {
    const parameters = new Parameters();
    const [, after = ''] = page.after?.split('.') ?? [];
    const conditions = [
      ...conditionsOf(view, parameters, caller.tenant),
      'm.to_position is null',
      ...inReach(page, 'm', parameters),
      ...(isMemoryId(after) ? [`m.memory_id > ${parameters.bind(after)}::uuid`] : []),
    ];
    const rows = await models.sql.queryAs<MemoryRow>(
      caller.tenant,
      `select ${memoryColumns(view, caller.user, parameters)} from ${view.table('memories')} m ${joinUsage(view.table('usage'))}
       where ${allOf(conditions)} order by m.memory_id limit ${parameters.bind(limit)}`,
      parameters.values,
    );
    const items = rows.map((row) => ({
      id: `${kind}.${row.memory_id}`,
      kind,
      memory: memoryOf(row),
      others: [],
    }));
    return { items, position: view.position };
  });
}

/** The memories that the caller sees and reviews. */
function inReach({ caller, spaces }: ReviewPage, alias: string, parameters: Parameters): string[] {
  return [
    regionCondition({ tenant: caller.tenant, visibility: visible(caller) }, alias, parameters),
    ...(spaces === 'all' ? [] : [`${alias}.spaces && ${parameters.bind([...spaces])}::text[]`]),
  ];
}
