// Fits where a context stops: how much of the evidence it holds, and how many of its tokens are no evidence. See README.md.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { o200k } from '../../src/adapters/tokenizer/o200k.ts';
import { assemblySteps, type AssembledContext } from '../../src/domain/context/assemble.ts';
import type { ContextCandidate, CountTokens } from '../../src/domain/context/candidate.ts';
import { evidenceIn, type EvidenceLimits } from '../../src/domain/context/evidence.ts';
import { SCORE_OF_FLOOR } from '../../src/domain/ranking/score-scale.ts';
import { groupBy } from '../../src/domain/group-by.ts';
import { readDataSets, type DataSet, type Query } from '../ranking/datasets.ts';
import { mean } from '../ranking/metrics.ts';
import { withScratch } from '../support/folders.ts';
import type { HttpClient, Json } from '../support/http.ts';
import { Program } from '../support/program.ts';

const BUDGETS = [500, 2_000];
const QUOTED = [5, 5.4, 5.8, 6.2];
const EXTENDED = [2.5, 3, 3.5];
/** As many candidates as a context of 2,000 tokens has. */
const MOST_CANDIDATES = 200;

/** A question with what a context without a threshold is made from. */
interface Asked {
  readonly query: Query & { readonly answer?: string };
  readonly candidates: readonly ContextCandidate[];
}

interface Figures {
  /** Mean share of the gold memories that a context holds. */
  readonly evidence: number;
  /** Mean tokens of items that are not gold. */
  readonly others: number;
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { data: { type: 'string' }, every: { type: 'string', default: '1' } },
  });
  if (values.data === undefined) throw new Error('usage: evidence.ts --data DIR [--every N]');
  const count = await o200k.counter();
  for (const set of await readDataSets(values.data)) {
    const queries = set.queries.filter(({ gold }, at) => gold.length > 0 && at % Number(values.every) === 0);
    const asked = await askAll({ ...set, queries });
    // Limits are chosen on the even questions and checked on the odd ones.
    for (const half of [0, 1])
      print(
        `${set.name}, ${half === 0 ? 'even' : 'odd'}`,
        asked.filter((_, at) => at % 2 === half),
        count,
      );
  }
}

/** Loads the memories of a data set into a server and searches for its questions as contexts do. */
function askAll({ memories, queries }: DataSet): Promise<Asked[]> {
  return withScratch(async (folder) => {
    const program = await Program.start({ dataDir: path.join(folder, 'data'), embedder: 'onnx' });
    const clients = new Map<string, HttpClient>();
    for (const [tenant, own] of groupBy(memories, ({ scope }) => scope['tenant'] ?? 'bench')) {
      const client = await program.client({ tenant, role: 'admin' });
      clients.set(tenant, client);
      await client.bulk(
        own.map(
          ({ id, text, layer = 'company', scope: { tenant: _, ...scope }, timestamp, metadata = {} }) => ({
            externalId: id,
            content: text,
            layer,
            scope,
            metadata,
            ...(timestamp !== undefined && { occurredAt: new Date(timestamp).toISOString() }),
          }),
        ),
      );
    }
    await program.caughtUp();
    const asked: Asked[] = [];
    for (const query of queries) {
      const { tenant = 'bench', ...scope } = query.scope;
      const { results } = await clients.get(tenant)!.expect(200, 'POST', '/v1/search', {
        query: query.query,
        scope,
        now: query.now,
        threshold: SCORE_OF_FLOOR,
        order: 'precedence',
        topK: MOST_CANDIDATES,
      });
      asked.push({ query, candidates: results.map(candidateOf) });
    }
    for (const client of clients.values()) client.close();
    await program.stop();
    return asked;
  });
}

function candidateOf({ memory, relevance, passage, supersededBy }: Json): ContextCandidate {
  const { externalId: id, layer, content, occurredAt, createdAt } = memory;
  return { id, layer, content, time: occurredAt ?? createdAt, relevance, passage, supersededBy };
}

function print(name: string, asked: readonly Asked[], count: CountTokens): void {
  const measure = (budget: number, limits?: EvidenceLimits) => figuresOf(asked, { budget, limits, count });
  console.log(`\n${name} (${asked.length}): share of evidence held, tokens of others | ratios to no limit`);
  const all = BUDGETS.map((budget) => measure(budget));
  const cells = all.map(({ evidence, others }) => `${evidence.toFixed(3)} ${others.toFixed(0)}`);
  console.log(`no limit | ${cells.join(' | ')}`);
  for (const quoted of QUOTED)
    for (const extended of EXTENDED) {
      const ratios = BUDGETS.map((budget, at) => {
        const { evidence, others } = measure(budget, { quoted, extended });
        return `${(evidence / all[at]!.evidence).toFixed(3)} ${(others / all[at]!.others).toFixed(3)}`;
      });
      console.log(`${quoted} ${extended} | ${ratios.join(' | ')}`);
    }
}

interface Options {
  readonly budget: number;
  readonly limits: EvidenceLimits | undefined;
  readonly count: CountTokens;
}

function figuresOf(asked: readonly Asked[], { budget, limits, count }: Options): Figures {
  const contexts = asked.map(({ query, candidates }) => {
    const kept = limits ? evidenceIn(candidates, limits) : candidates;
    const { items } = contextOf(query.query, kept, budget, count);
    const gold = new Set(query.gold);
    const contents = new Map(candidates.map(({ id, content }) => [id, content]));
    const held = items.filter(({ id, text }) => gold.has(id) && says(text, contents.get(id)!, query.answer));
    const others = items.filter(({ id }) => !gold.has(id)).reduce((sum, { tokens }) => sum + tokens, 0);
    return { evidence: held.length / gold.size, others };
  });
  return {
    evidence: mean(contexts.map(({ evidence }) => evidence)),
    others: mean(contexts.map(({ others }) => others)),
  };
}

function contextOf(
  query: string,
  candidates: readonly ContextCandidate[],
  budget: number,
  count: CountTokens,
): AssembledContext {
  const steps = assemblySteps({ query, candidates, budget, count, asksPast: false, asksTime: false });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Whether a quotation has at least half of the words of its memory, or of the answer if the memory is long. */
function says(text: string, content: string, answer = content): boolean {
  const longest = 120;
  const all = wordsOf(content);
  const wanted = all.size > longest ? wordsOf(answer) : all;
  const said = wordsOf(text);
  return [...wanted].filter((word) => said.has(word)).length >= wanted.size / 2;
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);
