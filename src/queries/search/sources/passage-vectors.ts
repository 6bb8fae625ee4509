import type { CandidateQuery, CandidateSource, Hit } from './candidate-source.ts';

/** Passages requested for each memory wanted: several of one memory may be among the nearest. */
export const passagesPerMemory = 3;

/** The memories with the nearest passages, each once. `passages` finds passages as if each were a memory. */
export class PassageVectorSource implements CandidateSource {
  readonly #passages: CandidateSource;

  constructor(passages: CandidateSource) {
    this.#passages = passages;
  }

  get kind() {
    return 'passages' as const;
  }

  async find(query: CandidateQuery, limit: number): Promise<readonly Hit[]> {
    const { dense } = query;
    if (!dense?.passages) return [];
    const ofPassages = { ...query, dense: { vector: dense.vector, table: dense.passages, hasSeveral: true } };
    const hits = await this.#passages.find(ofPassages, passagesPerMemory * limit);
    const nearest = new Map<string, Hit>();
    for (const hit of hits) if (!nearest.has(hit.memory_id)) nearest.set(hit.memory_id, hit);
    return [...nearest.values()].slice(0, limit);
  }
}
