import { LRUCache } from 'lru-cache';
import type { TenantContext } from '../domain/access/context.ts';
import { unlessBehind, type ReadModels } from '../queries/read-models.ts';

/** Read models apply a command within milliseconds, or their process has a fault that others report. */
const rememberedMs = 60_000;
const maxCallers = 10_000;
const maxCommands = 10_000;

interface Written {
  /** Positions of the caller's latest commands, in order. */
  positions: number[];
  /** How far each group of read models was when it was last asked for. */
  readonly reached: Map<string, number>;
}

type Caller = Pick<TenantContext, 'tenant' | 'principal' | 'user'>;

/** What each caller has written through this process in the last minute, so that its next query can wait for it. */
export class OwnWrites {
  readonly #models: ReadModels;
  readonly #written = new LRUCache<string, Written>({ max: maxCallers, ttl: rememberedMs });

  constructor(models: ReadModels) {
    this.#models = models;
  }

  /** Remembers the position of a command that the caller is told of. */
  add(caller: Caller, position: number): void {
    const known = this.#written.get(keyOf(caller));
    if (!known) {
      this.#written.set(keyOf(caller), { positions: [position], reached: new Map() });
      return;
    }
    const { positions } = known;
    // The answer to a repeated command has its first position.
    if (position <= positions.at(-1)!) return;
    positions.push(position);
    if (positions.length > 2 * maxCommands) known.positions = positions.slice(-maxCommands);
    this.#written.set(keyOf(caller), known);
  }

  /**
   * Waits at most `waitMs` until these read models have the caller's own commands. Resolves with the number of commands that they do not
   * have by then, at most 10,000.
   */
  async missing(caller: Caller, projections: readonly string[], waitMs: number): Promise<number> {
    const written = this.#written.get(keyOf(caller));
    if (!written) return 0;
    const group = projections.join();
    const last = written.positions.at(-1)!;
    if ((written.reached.get(group) ?? 0) >= last) return 0;
    const view =
      (await unlessBehind(this.#models.view({ projections, minPosition: last, waitMs }), undefined)) ??
      (await this.#models.view({ projections, waitMs: 0 }));
    written.reached.set(group, view.position);
    return written.positions.filter((position) => position > view.position).slice(-maxCommands).length;
  }
}

function keyOf({ tenant, principal, user }: Caller): string {
  return JSON.stringify([tenant, principal, user]);
}
