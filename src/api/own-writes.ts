import { LRUCache } from 'lru-cache';
import type { TenantContext } from '../domain/access/context.ts';
import { unlessBehind, type ReadModels } from '../queries/read-models.ts';

/** Read models apply a command within milliseconds, or their process has a fault that others report. */
const rememberedMs = 60_000;
const maxCallers = 10_000;
const maxCommands = 10_000;

/** What is in these read models is found. The others add meaning and judgements. */
const findable: ReadonlySet<string> = new Set([
  'memories',
  'lexical',
  'links',
  'statistics',
  'traces',
  'lessons',
  'audit',
  'summaries',
]);

interface Written {
  /** Positions of the caller's latest commands, in order. */
  positions: number[];
  /** How far each group of read models was when it was last asked for, and the command that was waited for then. */
  readonly reached: Map<string, { readonly position: number; readonly waitedFor: number }>;
}

type Caller = Pick<TenantContext, 'tenant' | 'principal' | 'user'>;

/** What each caller has written through this process in the last minute, so that its next query can wait for it. */
export class OwnWrites {
  readonly #models: ReadModels;
  readonly #written = new LRUCache<string, Written>({ max: maxCallers, ttl: rememberedMs });

  constructor(models: ReadModels) {
    this.#models = models;
  }

  /** Records the position of an acknowledged command. */
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
   * Waits at most `waitMs` until these read models have the caller's own commands, once for each command. Resolves with the number of
   * commands that cannot be found by then, at most 10,000: a memory is found by its words while its vector is still made.
   */
  async missing(caller: Caller, projections: readonly string[], waitMs: number): Promise<number> {
    const written = this.#written.get(keyOf(caller));
    if (!written) return 0;
    const group = projections.join();
    const last = written.positions.at(-1)!;
    const before = written.reached.get(group);
    if (before && before.position >= last) return 0;
    const patienceMs = before?.waitedFor === last ? 0 : waitMs;
    const whole = await unlessBehind(
      this.#models.view({ projections, minPosition: last, waitMs: patienceMs }),
      undefined,
    );
    if (whole) {
      written.reached.set(group, { position: whole.position, waitedFor: last });
      return 0;
    }
    const found = projections.filter((name) => findable.has(name));
    const { position } = await this.#models.view({ projections: found, waitMs: 0 });
    written.reached.set(group, { position: before?.position ?? 0, waitedFor: last });
    return written.positions.filter((own) => own > position).slice(-maxCommands).length;
  }
}

function keyOf({ tenant, principal, user }: Caller): string {
  return JSON.stringify([tenant, principal, user]);
}
