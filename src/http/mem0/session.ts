import type { z } from 'zod';
import { actingForUserOf } from '../../api/identity/user-of-memory.ts';
import type { Operation } from '../../api/operation.ts';
import { perform, type Request } from '../../api/perform.ts';
import { untilSearchable } from '../../api/search/until-searchable.ts';
import type { Services } from '../../api/services.ts';
import { hasRole, type TenantContext } from '../../domain/access/context.ts';
import { actingFor } from '../../domain/access/on-behalf.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import type { TranslatedFilter } from './filters.ts';

/**
 * How long an answer to a write waits until the write can be found. Clients of mem0 read at once, and cannot pass a
 * position on.
 */
const maxWaitMs = 10_000;

export type SessionRequest = Omit<Request, 'caller' | 'input'>;

/** A request of a client of mem0. It calls the operations of Stratalog in the name of its caller. */
export class Mem0Session {
  readonly caller: TenantContext;
  readonly #request: SessionRequest;
  readonly #services: Services;

  constructor(caller: TenantContext, request: SessionRequest, services: Services) {
    this.caller = caller;
    this.#request = request;
    this.#services = services;
  }

  /** Whether a language model draws facts from what is added. */
  get drawsFacts(): boolean {
    return this.#services.languageModels.length > 0;
  }

  async perform<Input extends z.ZodObject, Output>(
    operation: Operation<Input, Output>,
    input: z.input<Input>,
  ): Promise<Output> {
    const { caller } = this;
    return (await perform(operation, { ...this.#request, caller, input }, this.#services)).output;
  }

  /** The session for a call about one user. A caller of role agent acts for that user. For other callers the id is only data. */
  inNameOf(userId: string | null | undefined): Mem0Session {
    const { caller } = this;
    if (typeof userId !== 'string' || !hasRole(caller, 'agent') || caller.user === userId) return this;
    if (caller.user !== undefined)
      throw invalid('user_id', `must be the user of the header X-On-Behalf-Of, ${caller.user}`);
    return this.#as(actingFor(caller, userId));
  }

  /** The session for a read with filters. A caller of role agent reads the memories of one user at a time. */
  inNameOfUsers({ users, anyUser }: Pick<TranslatedFilter, 'users' | 'anyUser'>): Mem0Session {
    const [user, ...others] = users;
    if (hasRole(this.caller, 'agent') && (anyUser || others.length > 0))
      throw new Problem(
        'forbidden',
        'a key of role agent reads the memories of one user at a time: give one user_id, or use a key of role admin or auditor',
      );
    return this.inNameOf(user);
  }

  /** The session for a call that names a memory and no user. */
  async forMemory(memoryId: string): Promise<Mem0Session> {
    const caller = await actingForUserOf(this.caller, memoryId, this.#services);
    return caller === this.caller ? this : this.#as(caller);
  }

  untilSearchable(position: string | undefined): Promise<void> {
    return position === undefined
      ? Promise.resolve()
      : untilSearchable(this.caller, this.#services, position, maxWaitMs);
  }

  #as(caller: TenantContext): Mem0Session {
    return new Mem0Session(caller, this.#request, this.#services);
  }
}
