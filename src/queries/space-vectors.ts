import { hasRole, type TenantContext } from '../domain/access/context.ts';
import { visible } from '../domain/access/visibility.ts';
import { variantOf } from '../read-models/generation-variant.ts';
import { spaceVectorTable } from '../read-models/vectors/tables.ts';
import type { ReadModels, Wait } from './read-models.ts';
import { regionCondition } from './scope-sql.ts';
import { Parameters } from './sql-builder.ts';

/**
 * How many active memories of a space have no vector of a model yet: of the whole tenant for admins and auditors, and of the visible memories
 * for all others.
 */
export function countWithoutVector(
  models: ReadModels,
  caller: TenantContext,
  { space, model, wait }: { readonly space: string; readonly model: string; readonly wait: Wait },
): Promise<number> {
  return models.read({ projections: ['memories', 'vectors'], ...wait }, async (view) => {
    if (variantOf(view.signature('vectors')) === model) return 0;
    const parameters = new Parameters();
    const visibility = hasRole(caller, 'admin', 'auditor') ? 'all' : visible(caller);
    const [row] = await models.sql.queryAs<{ missing: number }>(
      caller.tenant,
      `select count(*) as missing from ${view.table('memories')} m
       join ${view.table('vectors')} v on v.tenant = m.tenant and v.memory_id = m.memory_id and v.active
       where m.to_position is null and ${regionCondition({ tenant: caller.tenant, visibility }, 'm', parameters)}
         and ${parameters.bind(space)} = any (m.spaces)
         and not exists (
           select from ${spaceVectorTable} s where s.tenant = m.tenant and s.memory_id = m.memory_id
             and s.model = ${parameters.bind(model)} and s.text_hash = v.text_hash)`,
      parameters.values,
    );
    return row!.missing;
  });
}
