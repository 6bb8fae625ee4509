import { inputProblem } from '../../domain/input/parse-input.ts';
import type { JsonObject } from '../../domain/json.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import { defaultSpace, spaceConfigSchema, type SpaceConfig } from '../../domain/spaces/space-config.ts';
import type { SpaceEvent } from '../../domain/spaces/events.ts';
import {
  decideConfiguration,
  decideRemoval,
  decideRestriction,
  decideTrust,
  foldSpaces,
  noSpaces,
  patchedConfig,
  type Space,
  type Spaces,
} from '../../domain/spaces/spaces.ts';
import type { TrustPolicy } from '../../domain/trust/policy.ts';
import { spacesStream } from '../../domain/streams.ts';
import { compileSchema } from '../../support/json-schema.ts';
import type { MatchCondition } from '../change-memory.ts';
import { changeStream } from '../change-stream.ts';
import { tenantKey, type CommandContext, type CommandResult, type CommandServices } from '../context.ts';

/** Bytes of JSON of a metadata schema. */
const maxSchemaBytes = 16_000;
/** Spaces that a tenant may configure. */
const maxSpaces = 1_000;

export interface SpaceConditions {
  /** Revision that the space must be at; `*` is any. The space must be configured. */
  readonly match?: MatchCondition;
  /** The space must not be configured yet. */
  readonly isNew?: boolean | undefined;
}

export interface SpaceResult extends CommandResult {
  readonly space: Space;
  readonly isNew: boolean;
}

/** Gives a space this configuration in place of the one that it has. */
export async function configureSpace(
  services: CommandServices,
  context: CommandContext,
  spaceId: string,
  config: SpaceConfig,
  conditions: SpaceConditions = {},
): Promise<SpaceResult> {
  await assertUsableSchema(config);
  return change(services, context, spaceId, conditions, () => config);
}

/** Changes what the merge patch names; null brings back the default. The space may have none but the default configuration. */
export async function patchSpace(
  services: CommandServices,
  context: CommandContext,
  spaceId: string,
  patch: JsonObject,
  conditions: SpaceConditions = {},
): Promise<SpaceResult> {
  const schema = patch['metadataSchema'];
  const patched = (spaces: Spaces) => {
    const before = spaces.configured.get(spaceId)?.config ?? defaultSpace;
    const { data, error } = spaceConfigSchema.safeParse(patchedConfig(before, patch));
    if (error) throw inputProblem(error, spaceConfigSchema);
    return data;
  };
  if (schema !== undefined && schema !== null)
    await assertUsableSchema(patched(await services.spaces.current(context.caller.tenant)));
  return change(services, context, spaceId, conditions, patched);
}

/** Takes the configuration from a space. Its memories keep the label, unless it is to be detached from them. */
export async function removeSpace(
  services: CommandServices,
  context: CommandContext,
  spaceId: string,
  { detach, match }: { readonly detach: boolean; readonly match?: MatchCondition },
): Promise<CommandResult> {
  return changeSpaces(services, context, (spaces) => {
    assertMatches(spaces, spaceId, { match });
    return decideRemoval(spaces, spaceId, detach);
  });
}

/** Records that no memory has the label of a removed space any more, unless the space was configured or removed again. */
export async function recordDetached(
  services: CommandServices,
  context: CommandContext,
  spaceId: string,
  { memories, removedAt }: { readonly memories: number; readonly removedAt: number },
): Promise<void> {
  const { tenant } = context.caller;
  await changeStream<SpaceEvent>(services, context, {
    stream: spacesStream(tenant),
    memoryId: '',
    decide: (loaded) => {
      const last = loaded.findLast(({ event }) => 'spaceId' in event.data && event.data.spaceId === spaceId);
      if (last?.position !== removedAt) return [];
      return [{ type: 'SpaceDetached', data: { spaceId, memories } }];
    },
    key: () => tenantKey(services.vault, tenant),
  });
}

/** Sets whether memories may name spaces that nobody configured. */
export async function restrictSpaces(
  services: CommandServices,
  context: CommandContext,
  strict: boolean,
): Promise<CommandResult> {
  return changeSpaces(services, context, (spaces) => decideRestriction(spaces, strict));
}

/** Sets what waits for a review in the whole tenant, and who reviews. */
export async function configureTrust(
  services: CommandServices,
  context: CommandContext,
  policy: TrustPolicy,
): Promise<CommandResult & { readonly policy: TrustPolicy }> {
  const { spaces, ...result } = await changeSpaces(services, context, (spaces) =>
    decideTrust(spaces, policy),
  );
  return { ...result, policy: spaces.trust };
}

async function change(
  services: CommandServices,
  context: CommandContext,
  spaceId: string,
  conditions: SpaceConditions,
  configOf: (spaces: Spaces) => SpaceConfig,
): Promise<SpaceResult> {
  let isNew = false;
  const result = await changeSpaces(services, context, (spaces) => {
    assertMatches(spaces, spaceId, conditions);
    isNew = !spaces.configured.has(spaceId);
    if (isNew && spaces.configured.size >= maxSpaces)
      throw invalid('spaceId', `a tenant may configure ${maxSpaces} spaces: remove one first`);
    return decideConfiguration(spaces, spaceId, configOf(spaces));
  });
  const space = result.spaces.configured.get(spaceId);
  // A repeated command whose space has been removed since: its first answer is there no more.
  if (!space) throw unknownSpace();
  return { ...result, space, isNew };
}

async function changeSpaces(
  services: CommandServices,
  context: CommandContext,
  decide: (spaces: Spaces) => readonly SpaceEvent[],
): Promise<CommandResult & { readonly spaces: Spaces }> {
  const { tenant } = context.caller;
  const { history, position, replayed } = await changeStream<SpaceEvent>(services, context, {
    stream: spacesStream(tenant),
    memoryId: '',
    decide: (loaded) => decide(foldSpaces(noSpaces, loaded)),
    key: () => tenantKey(services.vault, tenant),
  });
  await services.spaces.current(tenant);
  return { spaces: foldSpaces(noSpaces, history), position, replayed };
}

function assertMatches(spaces: Spaces, spaceId: string, { match, isNew }: SpaceConditions): void {
  const space = spaces.configured.get(spaceId);
  if (isNew && space)
    throw new Problem('revision-mismatch', 'If-None-Match is *, and the space is configured');
  if (match === undefined) return;
  if (!space)
    throw new Problem('revision-mismatch', 'If-Match names a configuration, and the space has none');
  if (match !== '*' && match !== space.revision)
    throw new Problem(
      'revision-mismatch',
      `If-Match does not name the revision ${space.revision} of the space`,
    );
}

/** Throws if the metadata schema is none, or could take very long to check. */
async function assertUsableSchema({ metadataSchema }: SpaceConfig): Promise<void> {
  if (!metadataSchema) return;
  const text = JSON.stringify(metadataSchema);
  if (Buffer.byteLength(text) > maxSchemaBytes)
    throw invalid(
      'metadataSchema',
      `has ${Buffer.byteLength(text)} bytes, at most ${maxSchemaBytes} are allowed`,
    );
  if (/"pattern":"|"patternProperties":/.test(text))
    throw invalid(
      'metadataSchema',
      'must not use pattern or patternProperties: a regular expression can take for ever. Use enum or format',
    );
  try {
    await compileSchema(metadataSchema);
  } catch (error) {
    throw invalid('metadataSchema', `is no JSON Schema: ${(error as Error).message.slice(0, 300)}`);
  }
}

export function unknownSpace(): Problem {
  return new Problem('not-found', 'no such space');
}
