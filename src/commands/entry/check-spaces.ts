import { invalid, type FieldError, type Problem } from '../../domain/problems.ts';
import type { Space, Spaces } from '../../domain/spaces/spaces.ts';
import type { MemoryValue } from '../../domain/memory/memory.ts';
import type { SchemaCheck } from '../../support/json-schema.ts';

/** The field of the metadata that says what kind of text a memory is. */
const typeField = 'content_type';

/**
 * Checks a memory against the configuration of its spaces: known labels, accepted types and metadata schemas. Throws a `validation-failed`
 * problem, or returns flags for what the spaces only note. With `isAccepted`, types and metadata are noted instead of refused.
 */
export async function checkSpaces(
  spaces: Spaces,
  checkOf: (space: Space) => Promise<SchemaCheck | undefined>,
  { spaces: labels, metadata }: Pick<MemoryValue, 'spaces' | 'metadata'>,
  {
    before,
    isAccepted = false,
  }: { readonly before?: Pick<MemoryValue, 'spaces'> | undefined; readonly isAccepted?: boolean } = {},
): Promise<{ readonly flags: readonly string[] }> {
  assertKnownSpaces(spaces, labels, before?.spaces);
  const flags = new Set<string>();
  for (const label of labels) {
    const space = spaces.configured.get(label);
    if (!space) continue;
    const isOfType = accepts(space, metadata[typeField]);
    if (!isOfType && !isAccepted) throw notAccepted(space);
    const check = await checkOf(space);
    const fault = check?.(metadata);
    if (fault && space.config.metadataPolicy === 'reject' && !isAccepted) throw refused(space, fault);
    if (fault || !isOfType) flags.add('metadata');
  }
  return { flags: [...flags] };
}

/** Refuses labels that a strict tenant has not configured. Those that the memory has already may stay, so that it can still be changed. */
export function assertKnownSpaces(
  { strict, configured }: Spaces,
  labels: readonly string[],
  kept: readonly string[] = [],
): void {
  if (!strict) return;
  const unknown = labels.find((label) => !configured.has(label) && !kept.includes(label));
  if (unknown === undefined) return;
  throw invalid(
    'spaces',
    `names the space ${unknown}, which is not configured, and this tenant allows no others`,
  );
}

function accepts({ config: { acceptedTypes } }: Space, type: unknown): boolean {
  return !acceptedTypes || type === undefined || acceptedTypes.includes(type as string);
}

function notAccepted({ id, config: { acceptedTypes = [] } }: Space): Problem {
  return invalid(`metadata.${typeField}`, `must be one of ${acceptedTypes.join(', ')} in the space ${id}`);
}

function refused({ id }: Space, { path, message }: FieldError): Problem {
  const field = path === '' ? 'metadata' : `metadata.${path}`;
  return invalid(field, `${message}, as the space ${id} requires`);
}
