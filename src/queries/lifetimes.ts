import { keyOf } from '../domain/retrieval/posting-keys.ts';
import type { ReadModels, ReadView, Wait } from './read-models.ts';

/** A memory of a tenant. */
export interface MemoryOfTenant {
  readonly tenant: string;
  readonly memoryId: string;
}

/** A page of the memories of a space, in the order of their creation. */
export interface SpacePage {
  readonly tenant: string;
  readonly space: string;
  /** Only those that were created before. */
  readonly before: Date;
  /** The last memory of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface SpaceMember {
  readonly memoryId: string;
  readonly spaces: readonly string[];
  readonly kept: boolean;
}

/** The first version of the read model `statistics` that knows when memories expire: an older one serves until it is rebuilt. */
const firstWithExpiry = 2;
/** A UUIDv7 has 48 bits for its milliseconds. */
const maxIdMs = 2 ** 48 - 1;
const firstId = '00000000-0000-0000-0000-000000000000';

/** Finds the memories whose time may be over, by indexes: the ones that expire, and those of a space by their age. */
export class Lifetimes {
  readonly #models: ReadModels;

  constructor(models: ReadModels) {
    this.#models = models;
  }

  /** Memories that have expired at a time, the longest first, without those in `except`. */
  expired(at: Date, limit: number, except: readonly string[], wait: Wait): Promise<MemoryOfTenant[]> {
    return this.#read(['statistics'], wait, [], (view) =>
      this.#models.sql.query<MemoryOfTenant & Record<string, unknown>>(
        `select tenant, memory_id as "memoryId" from ${countedIn(view)}
         where expires_at <= $1 and not kept and state <> 'deleted' and memory_id <> all ($3::uuid[])
         order by expires_at limit $2`,
        [at, limit, except],
      ),
    );
  }

  /** When the next memory expires; undefined if none does. */
  nextExpiry(except: readonly string[]): Promise<Date | undefined> {
    return this.#read(['statistics'], { waitMs: 0 }, undefined, async (view) => {
      const [row] = await this.#models.sql.query<{ readonly next: Date | null }>(
        `select min(expires_at) as next from ${countedIn(view)}
         where expires_at is not null and not kept and state <> 'deleted' and memory_id <> all ($1::uuid[])`,
        [except],
      );
      return row?.next ?? undefined;
    });
  }

  /** The active and archived memories of a space. Ids ascend with the time of creation, so they are the order of age. */
  inSpace({ tenant, space, before, after = firstId, limit }: SpacePage, wait: Wait): Promise<SpaceMember[]> {
    return this.#read(['memories', 'statistics'], wait, [], (view) =>
      this.#models.sql.query<SpaceMember & Record<string, unknown>>(
        `select c.memory_id as "memoryId", c.spaces, c.kept from (
           (select p.memory_id from ${view.table('memories', 'memories_postings')} p
            where p.tenant = $1 and p.key = $2::bigint and p.memory_id > $3::uuid and p.memory_id < $4::uuid
            order by p.memory_id limit $6)
           union all
           (select a.memory_id from ${countedIn(view)} a
            where a.tenant = $1 and a.state = 'archived' and a.memory_id > $3::uuid and a.memory_id < $4::uuid
              and $5 = any (a.spaces)
            order by a.memory_id limit $6)) found
         join ${countedIn(view)} c on c.tenant = $1 and c.memory_id = found.memory_id
         where $5 = any (c.spaces)
         order by c.memory_id limit $6`,
        [tenant, keyOf('spaces', [], space), after, firstIdAt(before), space, limit],
      ),
    );
  }

  #read<Result>(
    projections: readonly string[],
    wait: Wait,
    otherwise: Result,
    body: (view: ReadView) => Promise<Result>,
  ): Promise<Result> {
    return this.#models.read({ projections, ...wait }, (view) =>
      Number.parseInt(view.signature('statistics'), 10) >= firstWithExpiry
        ? body(view)
        : Promise.resolve(otherwise),
    );
  }
}

function countedIn(view: ReadView): string {
  return view.table('statistics', 'statistics_counted');
}

/** The smallest UUIDv7 of a time. */
function firstIdAt(time: Date): string {
  const ms = Math.min(Math.max(0, time.getTime()), maxIdMs);
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
