import { valuesOff } from '../../domain/learning/value-gain.ts';
import type { ValuesComparison } from '../../domain/learning/value-events.ts';
import type { PolicyEvent } from '../../domain/routing/events.ts';
import type { SpaceEvent } from '../../domain/spaces/events.ts';
import { rankingRulesOf, type RankingRules } from '../../domain/spaces/ranking-rules.ts';
import { foldSpaces, noSpaces, type Spaces } from '../../domain/spaces/spaces.ts';
import { killSwitchStream, spacesStream, valuesStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';
import { FreshCache } from '../../support/fresh-cache.ts';

/** What a tenant learned and configured about the order of its memories. Read for every search, so it answers from memory if it can. */
export interface RankingSettings {
  /** How much the values of memories weigh, in log-odds; 0 while values are not proven to help. */
  valueWeight(tenant: string): Promise<number>;
  /** Undefined if no space of the tenant says anything about the order. */
  rules(tenant: string): Promise<RankingRules | undefined>;
}

export const noRankingSettings: RankingSettings = {
  valueWeight: () => Promise.resolve(0),
  rules: () => Promise.resolve(undefined),
};

/** The settings of now: the value weights from the log, and the rules of the spaces. */
export class RankingDirectory implements RankingSettings {
  readonly #store: EventStore;
  readonly #spacesOf: (tenant: string) => Promise<Spaces>;
  readonly #weights = new FreshCache<number>({ max: 10_000, freshMs: 1_000 });
  /** By the object that `spacesOf` returns, which is the same until a space changes. */
  readonly #rules = new WeakMap<Spaces, { readonly rules: RankingRules | undefined }>();

  constructor(store: EventStore, spacesOf: (tenant: string) => Promise<Spaces>) {
    this.#store = store;
    this.#spacesOf = spacesOf;
  }

  /** Also 0 while the kill switch is engaged. */
  valueWeight(tenant: string): Promise<number> {
    return this.#weights.get(tenant, () => readValueWeight(this.#store, tenant));
  }

  async rules(tenant: string): Promise<RankingRules | undefined> {
    const spaces = await this.#spacesOf(tenant);
    let known = this.#rules.get(spaces);
    if (!known) this.#rules.set(spaces, (known = { rules: rankingRulesOf(spaces) }));
    return known.rules;
  }
}

/** The settings when the log had reached the position `upTo`. */
export function rankingSettingsAt(store: EventStore, upTo: number): RankingSettings {
  return {
    valueWeight: (tenant) => readValueWeight(store, tenant, upTo),
    async rules(tenant) {
      const events = await store.load<SpaceEvent>(spacesStream(tenant));
      return rankingRulesOf(
        foldSpaces(
          noSpaces,
          events.filter(({ position }) => position <= upTo),
        ),
      );
    },
  };
}

/** How much the values of memories weigh, or weighed when the log had reached the position `upTo`. */
async function readValueWeight(store: EventStore, tenant: string, upTo: number = Infinity): Promise<number> {
  const [comparisons, switches] = await Promise.all([
    store.load<ValuesComparison>(valuesStream(tenant)),
    store.load<PolicyEvent>(killSwitchStream),
  ]);
  const isKnown = ({ position }: { readonly position: number }) => position <= upTo;
  const last = switches.findLast(isKnown)?.event;
  if (last?.type === 'KillSwitchSet' && last.data.engaged) return 0;
  return comparisons.findLast(isKnown)?.event.data.weight ?? valuesOff.weight;
}
