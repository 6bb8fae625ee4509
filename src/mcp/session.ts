import type { z } from 'zod';
import type { Credential, Operation } from '../api/operation.ts';
import { perform } from '../api/perform.ts';
import type { Services } from '../api/services.ts';
import type { TenantContext } from '../domain/access/context.ts';
import { actingFor } from '../domain/access/on-behalf.ts';
import { invalid, type Problem } from '../domain/problems.ts';
import type { Tokenizer } from '../ports/tokenizer.ts';

/** The caller of a request over MCP, and the id under which the request is logged. */
export interface Session {
  readonly caller: TenantContext;
  readonly credential: Credential;
  readonly requestId: string;
  readonly traceId?: string | undefined;
  /** Which tools are listed. All can be called. */
  readonly tools?: ToolSet | undefined;
  /** Aborted when the client has gone or the server stops. */
  readonly signal: AbortSignal;
  /** Converts an error that fails a call, and logs it if it is a fault of the server. */
  readonly explain: (error: unknown) => Problem;
}

/** `core`: those that most conversations need. */
export const toolSets = ['all', 'core'] as const;
export type ToolSet = (typeof toolSets)[number];

/** Calls an operation in the name of the caller. */
export type Act = <Input extends z.ZodObject, Output>(
  operation: Operation<Input, Output>,
  input: z.input<Input>,
) => Promise<Output>;

export interface CallOptions {
  /** The user that a caller of role agent acts for. */
  readonly userId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal;
}

/** How long a query waits for the caller's last command: a model cannot choose, and asking again costs it a turn. In milliseconds. */
const ownWaitMs = 10_000;

/** Calls operations for MCP clients. */
export class Performer {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  get tokenizer(): Tokenizer {
    return this.#services.tokenizer;
  }

  for(session: Session, { userId, idempotencyKey, signal = session.signal }: CallOptions = {}): Act {
    const caller = inNameOf(session.caller, userId);
    return async (operation, input) => {
      const { output } = await perform(
        operation,
        {
          caller,
          input: given(input),
          ownWaitMs,
          correlationId: session.requestId,
          traceId: session.traceId,
          cause: 'llm',
          ...(operation.command && { idempotencyKey }),
          signal,
          credential: session.credential,
          explain: session.explain,
        },
        this.#services,
      );
      return output;
    };
  }
}

/** The caller with the user that it acts for. Naming oneself changes nothing. */
function inNameOf(caller: TenantContext, userId: string | undefined): TenantContext {
  if (userId === undefined || userId === caller.user) return caller;
  if (caller.users !== undefined && caller.user !== undefined)
    throw invalid('user_id', `must be the user of the header X-On-Behalf-Of, ${caller.user}, or left out`);
  return actingFor(caller, userId);
}

/** The input without the fields that were not given: a strict schema would still count them. */
function given<Input extends object>(input: Input): Partial<Input> {
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  ) as Partial<Input>;
}
