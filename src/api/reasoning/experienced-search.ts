import { createHash } from 'node:crypto';
import { z } from 'zod';
import { searchShape } from '../../domain/admission/ceilings.ts';
import { readExperienceSettings } from '../../commands/experience/configure-experience.ts';
import { placeSearchTrace, recordSearchTrace } from '../../commands/experience/record-search-trace.ts';
import { countedArm, parametersSent } from '../../domain/experience/parameters.ts';
import { mostTraceMemories } from '../../domain/experience/trace.ts';
import { canonicalJson, type JsonObject } from '../../domain/json.ts';
import { searchedModels } from '../../queries/search/search.ts';
import { adviseSearch, type Advice } from '../../queries/experience/experienced-search.ts';
import { withPluralNames } from '../filter-names.ts';
import { operation, type Call } from '../operation.ts';
import { searchCost, searchFieldHints, searchRegion, timeOfAsking, withContent } from '../search/fields.ts';
import { inChosenSpaces, withSpaceList } from '../search/chosen-spaces.ts';
import { recordAnswer } from '../search/record-answer.ts';
import { search } from '../search/search.ts';
import { experiencedExample } from './examples.ts';
import { searchBodyExample } from '../search/examples.ts';
import { readers } from '../memories/roles.ts';

const { topK, order } = search.input.shape;

const input = search.input
  .extend({ topK: topK.unwrap().optional(), order: order.unwrap().optional() })
  .meta({ id: 'ExperiencedSearch' });

const reasoning = z.object({
  strategyUsed: z.string().meta({
    description:
      'Name of the parameters that were chosen: `default` changes nothing, `like-trace` are those of a similar attempt',
  }),
  learnedFrom: z
    .array(z.string())
    .meta({ description: 'Ids of traces of similar questions whose outcome was taken into account' }),
  outcome: z.literal('pending').meta({
    description:
      'Known later, from `POST /v1/searches/{searchId}/outcome`, feedback or what the session does next',
  }),
  adjustmentsMade: z
    .array(z.string())
    .meta({ description: 'Parameters that the request left open and experience has chosen' }),
  executionTimeMs: z.number(),
});

/** Parameters of a search that nobody has chosen. */
const defaults = { topK: topK.parse(undefined), order: order.parse(undefined) };

/** Records the search, the accessed memories, and the attempt as a trace of the caller. */
export const experiencedSearch = operation({
  name: 'experiencedSearch',
  summary: 'Search with the parameters that worked for similar questions, where the request leaves them open',
  area: 'Reasoning',
  input,
  fieldHints: searchFieldHints,
  output: search.output.extend({ reasoning }).meta({ id: 'ExperiencedSearchAnswer' }),
  examples: { input: searchBodyExample, output: experiencedExample },
  access: 'every-caller',
  serves: readers,
  reads: 'read-models',
  awaitsOwn: searchedModels,
  cost: searchCost,
  shape: (input) => searchShape(input),
  async handle(call) {
    const started = performance.now();
    const { caller, context, services, asOf, wait, token } = call;
    const { minPosition: _, waitMs: __, filter, scope, now, content, ...rest } = call.input;
    const region = searchRegion(caller, { scope, filter }, { isAsOf: asOf !== undefined });
    const { mode: sentMode, ...named } = withPluralNames(withSpaceList(rest));
    const sent = { mode: sentMode, ...named };
    const advice = await advise(call, sent);
    const { mode = sentMode, strategy, ...chosen } = advice.arm.parameters;
    const request = await inChosenSpaces(services, caller, call.input.spaces, {
      ...named,
      ...chosen,
      topK: named.topK ?? defaults.topK,
      order: named.order ?? defaults.order,
      ...region,
      ...timeOfAsking(now),
      asOf,
      ...wait,
    });
    const found = await services.search.search(caller, request, {
      asksForStandard: mode === 'standard',
      filterAsSent: filter,
      strategy,
    });
    const { fact, later, position, results, searchId, warnings } = found;
    recordAnswer(services, context, { fact, later });
    const executionTimeMs = Math.round(performance.now() - started);
    const memoryIds = results.slice(0, mostTraceMemories).map(({ memory }) => memory.id);
    const [space, ...others] = request.spaces ?? [];
    await record(call, advice, {
      strategy: { ...parametersSent(sent), ...(advice.arm.parameters as JsonObject) },
      counted: countedArm(sent, advice.arm),
      traceId: fact.id,
      searchId,
      memoryIds,
      executionTimeMs,
      ...(space !== undefined && others.length === 0 && { space }),
    });
    return {
      output: {
        searchId,
        warnings,
        results: withContent(results, content),
        position: token(position),
        ...(request.spaceChoice && { spaces: request.spaceChoice }),
        reasoning: {
          strategyUsed: advice.arm.name,
          learnedFrom: advice.neighbours.map(({ trace }) => trace.id),
          outcome: 'pending' as const,
          adjustmentsMade: adjustmentsOf(advice),
          executionTimeMs,
        },
      },
    };
  },
});

type ExperiencedCall = Call<z.output<typeof input>>;

/** What experience chooses for a search of the caller. */
async function advise(
  { caller, services, asOf, wait, input: { query, sessionId } }: ExperiencedCall,
  sent: Readonly<Record<string, unknown>>,
): Promise<Advice> {
  const { commands, traces, experience } = services;
  return adviseSearch(
    { traces, records: experience },
    caller,
    { query, sent, isAsOf: asOf !== undefined, ...wait },
    await readExperienceSettings(commands.store, caller.tenant),
    {
      group: uniform(`${caller.tenant}\n${caller.principal}\n${sessionId ?? query}`),
      exploration: sessionId === undefined ? undefined : uniform(commands.newId()),
    },
  );
}

/** A trace that cannot be recorded does not fail the search. */
async function record(
  { caller, context, services: { commands }, input: { query, sessionId }, explain }: ExperiencedCall,
  { bucket, arm, by, applied, neighbours }: Advice,
  {
    counted,
    ...made
  }: {
    /** The name of the arm that the outcome counts for. */
    readonly counted: string;
    /** The parameters of the search, both those that were sent and those that experience chose. */
    readonly strategy: JsonObject;
    readonly traceId: string;
    readonly searchId: string;
    readonly memoryIds: string[];
    readonly executionTimeMs: number;
    readonly space?: string;
  },
): Promise<void> {
  const placement = canonicalJson(placeSearchTrace(caller));
  const similar = neighbours.find(
    ({ trace: { layer, scope } }) => canonicalJson({ layer, scope }) === placement,
  );
  try {
    await recordSearchTrace(commands, context, {
      ...made,
      query,
      approach: `search with experience: ${arm.name}`,
      experience: { bucket, arm: counted, applied, explored: by === 'exploration' },
      ...(sessionId !== undefined && { sessionId }),
      ...(similar && { similarTo: { traceId: similar.trace.id, similarity: similar.similarity } }),
    });
  } catch (error) {
    explain(error);
  }
}

const reasons: Readonly<Record<Advice['by'], string>> = {
  exploration: 'tried to learn whether it works better',
  similar: 'it worked for similar questions',
  kind: 'it worked for questions of this kind',
};

function adjustmentsOf({ arm, by }: Advice): string[] {
  return Object.entries(arm.parameters).map(([name, value]) => `${name}: ${String(value)} (${reasons[by]})`);
}

/** A number from 0 to 1, always the same for the same text. */
function uniform(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}
