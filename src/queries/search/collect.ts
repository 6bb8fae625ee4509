import type { MemoryUse } from '../../domain/learning/memory-value.ts';
import { heaviest, weigh, type TermStatistics } from '../../domain/ranking/bm25.ts';
import type { Judgement } from '../../domain/ranking/feedback.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';
import { Parameters } from '../sql-builder.ts';
import { useSql, type Asker } from '../use-sql.ts';
import type { Corpus, Degradation } from './corpus.ts';
import type { AttemptNotes } from './explanation.ts';
import type { Query } from './query.ts';
import { readDecays, type DecayDemand } from './read-decays.ts';
import { readFeedback } from './read-feedback.ts';
import type { Candidate } from './sources/candidate-source.ts';

/** The candidates of a search, with everything that their scores depend on. */
export interface Collected {
  readonly candidates: readonly Candidate[];
  /** The words of the query that count, with their statistics. */
  readonly terms: readonly string[];
  readonly statistics: TermStatistics;
  /** Judgements by memory id. */
  readonly judgements: ReadonlyMap<string, readonly Judgement[]>;
  /** Uses by memory id, as far as the caller may know them; none if values do not change the ranking. */
  readonly uses: ReadonlyMap<string, MemoryUse>;
  /** Log-odds that age takes, by memory id; none where no space has a decay. */
  readonly decays: ReadonlyMap<string, number>;
  readonly degradation: Degradation;
}

export interface CollectOptions {
  /** Number of candidates wanted of each source. */
  readonly limit: number;
  /** A position: the feedback given until then. */
  readonly asOf?: number | undefined;
  readonly readsUses: boolean;
  /** Undefined if no memory of the tenant loses by its age. */
  readonly decay: Pick<DecayDemand, 'rules' | 'now'> | undefined;
  readonly notes?: AttemptNotes | undefined;
}

/** Finds the candidates in a corpus, and reads what callers said about them. */
export async function collect(
  tx: SqlExecutor,
  corpus: Corpus,
  { terms: asked, restrictions }: Pick<Query, 'terms' | 'restrictions'>,
  { limit, asOf, readsUses, decay, notes }: CollectOptions,
): Promise<Collected> {
  const { view, vector } = corpus;
  const opened = await corpus.open(tx);
  const { statistics } = opened;
  const terms = heaviest(asked, statistics);
  const candidates = await opened.find(weigh(terms, statistics), limit, notes);
  const ids = candidates.map(({ memory_id: id }) => id);
  const {
    asker,
    region: { tenant },
  } = restrictions;
  const [judgements, uses, decays] = await Promise.all([
    readFeedback(tx, view, { tenant, ids, vector, at: asOf }),
    readsUses ? readUses(tx, view, { tenant, asker, ids }) : new Map<string, MemoryUse>(),
    decay ? readDecays(tx, view, { tenant, ids, ...decay }) : new Map<string, number>(),
  ]);
  return { candidates, terms, statistics, judgements, uses, decays, degradation: opened.degradation };
}

interface UseRow extends Record<string, unknown> {
  readonly memory_id: string;
  readonly use: MemoryUse;
}

interface AskedUses {
  readonly tenant: string;
  readonly asker: Asker;
  readonly ids: readonly string[];
}

/** How often these memories were used in searches with an explicit outcome, by memory id. */
async function readUses(
  tx: SqlExecutor,
  view: Pick<ReadView, 'table'>,
  { tenant, asker, ids }: AskedUses,
): Promise<ReadonlyMap<string, MemoryUse>> {
  if (ids.length === 0) return new Map();
  const parameters = new Parameters();
  const keys = { tenant: parameters.bind(tenant), memoryId: 'found.memory_id' };
  const rows = await tx.query<UseRow>(
    `select found.memory_id, ${useSql(view, asker, keys, parameters)} as use
     from unnest(${parameters.bind(ids)}::uuid[]) as found(memory_id)`,
    parameters.values,
  );
  return new Map(rows.map(({ memory_id: id, use }) => [id, use]));
}
