import { isWriter, isVisible, visibilityKeys, visible } from '../../domain/access/visibility.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import { scopeKeys, type Layer, type Scope } from '../../domain/layers.ts';
import type { TenantContext } from '../../domain/access/context.ts';
import type { Depth } from '../../domain/summaries/depths.ts';
import type { SummaryEvent } from '../../domain/summaries/events.ts';
import { seesPerson, type Person, type SummaryScope } from '../../domain/summaries/summary-scope.ts';
import { changeStream } from '../change-stream.ts';
import { callerKey, type CommandContext, type CommandResult, type CommandServices } from '../context.ts';
import { readSummarySettings } from './configure-summaries.ts';
import { summaryStreamOf } from './summary-stream.ts';

export interface SummaryRequest {
  readonly layer: Layer;
  readonly scope: Scope;
  /** The person of a variant. */
  readonly person?: Person | undefined;
  /** Default: those of the settings of the layer. */
  readonly depths?: readonly Depth[] | undefined;
}

export interface RequestedSummary extends CommandResult, SummaryScope {}

/**
 * Asks for new summaries of a scope; a worker makes them. Throws if the caller may not write or does not see the scope, or what
 * `refusal` returns for a request that was not made before.
 */
export async function requestSummary(
  services: CommandServices,
  context: CommandContext,
  { depths: wanted, ...named }: SummaryRequest,
  refusal: (depths: readonly Depth[]) => Promise<Problem | undefined>,
): Promise<RequestedSummary> {
  const { caller } = context;
  if (!isWriter(caller)) throw new Problem('forbidden', 'this credential may not have summaries made');
  const { person } = named;
  const summarized = { ...completeScope(caller, named), ...(person && { person }) };
  const visibility = visible(caller);
  if (!isVisible(visibility, summarized))
    throw new Problem('not-found', `no such ${summarized.layer} that this caller can see`);
  if (person && !seesPerson(visibility, person))
    throw new Problem('not-found', 'no such user that this caller can see');
  const settings = (await readSummarySettings(services.store, caller.tenant))[summarized.layer];
  if (person && !settings.personalized)
    throw invalid('user', `must be left out: \`personalized\` is off for the layer ${summarized.layer}`);
  const depths = wanted ?? settings.depths;
  const refused = await refusal(depths);
  const { position, replayed } = await changeStream<SummaryEvent>(services, context, {
    stream: summaryStreamOf(services.vault, caller.tenant, summarized),
    memoryId: '',
    decide: () => {
      if (refused) throw refused;
      return [{ type: 'SummaryRequested', data: { ...summarized, depths: [...depths] } }];
    },
    key: () => callerKey(services.vault, caller),
  });
  return { ...summarized, position, replayed };
}

/** Adds the caller's own user and agent to the scope if the layer needs them and the request leaves them out. */
function completeScope(caller: TenantContext, { layer, scope }: SummaryScope): SummaryScope {
  const wanted = visibilityKeys(layer);
  const surplus = scopeKeys.find((key) => scope[key] !== undefined && !wanted.includes(key));
  if (surplus !== undefined) {
    const needed = wanted.length === 0 ? 'nothing' : wanted.join(' and ');
    throw invalid(`scope.${surplus}`, `must be left out: a summary of the layer ${layer} is of ${needed}`);
  }
  const own = { user: caller.user, agent: layer === 'agent' ? caller.agent : undefined };
  const completed: Scope = { ...scope };
  for (const key of ['user', 'agent'] as const)
    if (wanted.includes(key) && completed[key] === undefined && own[key] !== undefined)
      completed[key] = own[key];
  if (layer !== 'company' && completed[layer] === undefined)
    throw invalid(`scope.${layer}`, `is required for the layer ${layer}`);
  return { layer, scope: completed };
}
