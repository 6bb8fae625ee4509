// Measures plans on complex questions, compared with plain search. See README.md.
import { parseArgs } from 'node:util';
import { planOf, RULES, type RuleName } from '../../src/domain/routing/planner.ts';
import { vocabularyRequestOf } from '../../src/domain/routing/vocabulary-request.ts';
import { kindOf } from '../../src/domain/routing/planner/ordered-values.ts';
import type { Plan } from '../../src/domain/routing/plan.ts';
import type { Vocabulary } from '../../src/domain/routing/vocabulary.ts';
import { vocabularyOf } from '../../test/support/vocabulary.ts';
import { readDataSet, type DataSet, type Query } from '../ranking/datasets.ts';
import { embedAll, openModel, type BenchModel } from '../ranking/embed.ts';
import { mean, rankingScores } from '../ranking/metrics.ts';
import { execute, PARTS, type Part, type Tenant } from './executing.ts';
import { reworded } from './rewordings.ts';
import { filterJson, MemorySearch, storedOf, type Stored } from './memory-search.ts';

const TOP = 100;
const rules = Object.keys(RULES) as RuleName[];

interface Variant {
  readonly label: string;
  readonly rules: readonly RuleName[];
  readonly parts: readonly Part[];
}

const everything: Variant = { label: 'all', rules, parts: PARTS };

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string' },
      embedder: { type: 'string' },
      set: { type: 'string', default: 'orgmem' },
      ablate: { type: 'boolean', default: false },
      reworded: { type: 'boolean', default: false },
      show: { type: 'string' },
    },
  });
  if (values.data === undefined)
    throw new Error(
      'usage: main.ts --data DIR [--embedder NAME] [--set NAME] [--reworded] [--ablate] [--show TYPE]',
    );
  const read = await readDataSet(values.data, values.set);
  const set = values.reworded ? { ...read, queries: reworded(read.queries) } : read;
  const variants = [everything];
  if (values.ablate) {
    for (const rule of rules)
      variants.push({
        ...everything,
        label: `without ${rule}`,
        rules: rules.filter((other) => other !== rule),
      });
    for (const part of PARTS)
      variants.push({
        ...everything,
        label: `without ${part}`,
        parts: PARTS.filter((other) => other !== part),
      });
  }
  const model = await openModel(values.embedder);
  const tenants = await tenantsOf(set, model);
  const plans = new Map(
    variants.map((variant) => [variant, set.queries.map((query) => plan(tenants, query, variant))]),
  );
  const asked = [...plans.values()].flat().flatMap(({ operands }) => operands.map(({ query }) => query));
  const vectors = await vectorsOf(model, [...set.queries.map(({ query }) => query), ...asked]);
  await model.close();
  const tenantOf = ({ scope }: Query): Tenant => ({
    ...tenants.get(scope['tenant']!)!,
    vector: (query) => vectors.get(query)!,
  });
  const plain = set.queries.map((query) => {
    const { search, vector } = tenantOf(query);
    return scoresOf(query, search.search(query.query, vector(query.query), undefined, TOP));
  });
  for (const [variant, planned] of plans) {
    const scores = set.queries.map((query, i) =>
      scoresOf(query, execute(tenantOf(query), query.query, planned[i]!, new Set(variant.parts), TOP)),
    );
    print(variant.label, set.queries, plain, scores, variant === everything);
  }
  if (values.show !== undefined) show(values.show, set.queries, plans.get(everything)!);
  if (!values.ablate) printTimes(tenants, set.queries);
}

async function tenantsOf(set: DataSet, model: BenchModel): Promise<Map<string, Omit<Tenant, 'vector'>>> {
  const texts = set.memories.map(({ text }) => text);
  const vectors = await embedAll(model, texts, 'passage', `${set.name}-memories`);
  const byTenant = new Map<string, { memories: Stored[]; vectors: Float32Array[] }>();
  for (const [i, memory] of set.memories.entries()) {
    const name = memory.scope['tenant'] ?? '';
    const tenant = byTenant.get(name) ?? { memories: [], vectors: [] };
    byTenant.set(name, tenant);
    tenant.memories.push(storedOf(memory));
    tenant.vectors.push(vectors[i]!);
  }
  return new Map(
    [...byTenant].map(([name, { memories, vectors: own }]) => [
      name,
      { search: new MemorySearch(memories, own), vocabulary: vocabularyOf(memories) },
    ]),
  );
}

async function vectorsOf(model: BenchModel, queries: readonly string[]): Promise<Map<string, Float32Array>> {
  const distinct = [...new Set(queries)];
  const vectors = await embedAll(model, distinct, 'query', 'routing-queries');
  return new Map(distinct.map((query, i) => [query, vectors[i]!]));
}

function plan(
  tenants: ReadonlyMap<string, Pick<Tenant, 'vocabulary'>>,
  { query, scope }: Query,
  variant: Variant,
): Plan {
  const { vocabulary } = tenants.get(scope['tenant']!)!;
  return planOf(query, wantedOf(vocabulary, query), { rules: variant.rules });
}

/** The vocabulary as the server reads it: all fields, and the values that the question may mean. */
function wantedOf({ fields, values }: Vocabulary, query: string): Vocabulary {
  const { keys, kinds } = vocabularyRequestOf(query);
  const wanted = new Set(keys);
  return {
    fields,
    values: values.filter(({ key, value }) => wanted.has(key) || kinds.includes(kindOf(value))),
  };
}

interface Scores {
  readonly recall10: number;
  readonly recall50: number;
  readonly ndcg: number;
}

function scoresOf({ gold, gold_docs: documents }: Query, found: readonly Stored[]): Scores {
  const keys = [...new Set(found.map(({ id, document }) => (documents ? document : id)))];
  const wanted = new Set(documents ?? gold);
  const { recall, ndcg } = rankingScores(keys, wanted);
  return {
    recall10: recall,
    ndcg,
    recall50: keys.slice(0, 50).filter((key) => wanted.has(key)).length / wanted.size,
  };
}

function print(
  label: string,
  queries: readonly Query[],
  plain: readonly Scores[],
  planned: readonly Scores[],
  byType: boolean,
): void {
  console.log(`\n${label}: recall@10, recall@50, nDCG@10, each of the plain search and planned`);
  const groups = new Map<string, number[]>();
  for (const [i, { category, type }] of queries.entries())
    for (const group of byType ? [String(category), `  ${type}`] : [String(category)])
      groups.set(group, [...(groups.get(group) ?? []), i]);
  for (const [group, members] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const figures = (['recall10', 'recall50', 'ndcg'] as const).map((key) =>
      [plain, planned].map((scores) => mean(members.map((i) => scores[i]![key])).toFixed(3)).join(' -> '),
    );
    console.log(`${group.padEnd(28)} ${String(members.length).padStart(4)}  ${figures.join('   ')}`);
  }
}

function show(type: string, queries: readonly Query[], plans: readonly Plan[]): void {
  for (const [i, query] of queries.entries()) {
    if (query.type !== type) continue;
    console.log(`\n${query.query}`);
    for (const { query: text, filter, otherwise = [], follow } of plans[i]!.operands)
      console.log(
        `  ${text} | ${[filter, ...otherwise].map((one) => one && JSON.stringify(filterJson(one))).join(' | ')} ${follow ?? ''}`,
      );
  }
}

/** CPU time of the planner alone. The part of the vocabulary that the question may mean is already loaded. */
function printTimes(
  tenants: ReadonlyMap<string, Pick<Tenant, 'vocabulary'>>,
  queries: readonly Query[],
): void {
  const asked = queries.map(({ query, scope }) => ({
    query,
    vocabulary: wantedOf(tenants.get(scope['tenant']!)!.vocabulary, query),
  }));
  const rounds = 20;
  const started = process.cpuUsage();
  for (let round = 0; round < rounds; round++)
    for (const { query, vocabulary } of asked) planOf(query, vocabulary);
  const { user, system } = process.cpuUsage(started);
  const each = (user + system) / rounds / asked.length;
  console.log(`\nplanning: ${each.toFixed(0)} µs of CPU a question`);
}
