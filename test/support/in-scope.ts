import { scopeTests } from '../../src/domain/access/region.ts';
import type { Placement } from '../../src/domain/access/visibility.ts';
import type { Scope } from '../../src/domain/layers.ts';

/** Whether a memory is in `scope`: `scopeTests` as a predicate. The program compiles them to SQL and to OpenSearch queries. */
export function isInScope(scope: Scope, memory: Placement): boolean {
  return scopeTests(scope).every(({ key, value, without }) => {
    const own = memory.scope[key];
    return own === undefined ? without.includes(memory.layer) : own === value;
  });
}
