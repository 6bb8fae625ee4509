import type { z } from 'zod';
import type { CommandContext } from '../commands/context.ts';
import { roles, type Role, type TenantContext } from '../domain/access/context.ts';
import type { Shape } from '../domain/admission/ceilings.ts';
import type { FieldHints } from '../domain/input/parse-input.ts';
import type { Placement } from '../domain/access/visibility.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Problem } from '../domain/problems.ts';
import type { Services } from './services.ts';

/**
 * One operation of the API, independent of any transport. HTTP routes, MCP tools and in-process callers are bindings of
 * it, and all of them call it through `perform`, which applies the rules declared here.
 */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output = unknown> {
  /** Unique; the `operationId` of the OpenAPI document. */
  readonly name: string;
  readonly summary: string;
  readonly area:
    | 'Memories'
    | 'Documents'
    | 'Search'
    | 'Summaries'
    | 'Spaces'
    | 'Reasoning'
    | 'Operation'
    | 'Audit'
    | 'Administration';
  /** Schema of the input: one object, even if a transport takes its fields from several parts of a request. */
  readonly input: Input;
  /** Messages for fields that the input does not have, although callers may expect them. */
  readonly fieldHints?: FieldHints;
  /** Schema of the output, or of one item if the output is always an `ItemStream`. */
  readonly output: z.ZodType;
  /** Shown in documentation. An input that is a stream is shown as text. */
  readonly examples: { readonly input: JsonObject | string; readonly output: unknown };
  readonly access: Access;
  /**
   * Roles that can use the operation, if `access` admits others too: its command refuses the others whatever they send, or they never see
   * anything in its answer. Clients offer it to these roles only.
   */
  readonly serves?: readonly Role[];
  /** Present if the operation changes something. */
  readonly command?: CommandRule<z.output<Input>>;
  /** Whether `expectedRevision` of the input may be left out; absent if the input has no such field. */
  readonly expectedRevision?: 'required' | 'optional';
  /** Whether the input has a field `mustBeNew`: the command is refused if what it would store exists. */
  readonly mustBeNew?: true;
  /**
   * What must include the `minPosition` of the input before it is read. `log`: `perform` waits until the log has reached
   * it (and `asOf`). `read-models`: the query waits itself, for `call.wait`.
   */
  readonly reads?: 'log' | 'read-models';
  /** The read models that should have the caller's own latest commands before they are read, unless the input says what to wait for. */
  readonly awaitsOwn?: readonly string[];
  readonly audit?: AuditRule;
  /**
   * Estimated work of a call that reads much, in units of a plain search. Such a call waits for its turn among those of others. Absent for
   * an operation that takes little, or whose work is grouped with that of others, as appends are.
   */
  cost?(input: z.output<Input>): number;
  /** What a call counts as against the ceilings of a credential. Every stream has a shape. */
  shape?(input: z.output<Input>): Shape | undefined;
  /** Whether a call without a deadline of its own has none, because it reads the whole log or a large file. */
  readonly takesLong?: true;
  handle(call: Call<z.output<Input>>): Promise<Outcome<Output>>;
}

/**
 * Who may call. Rules that depend on data, such as who may see or write a memory, are checked by the command or query and
 * not declared here.
 */
export type Access = 'every-caller' | RoleAccess;

export interface RoleAccess {
  readonly roles: readonly Role[];
  /** Detail of the `forbidden` problem of other callers. */
  readonly refusal: string;
  /** The master key, which has no role and no tenant, may call too. */
  readonly masterKey?: true;
}

/** Roles that can use an operation. */
export function rolesOf({ access, serves }: Pick<Operation, 'access' | 'serves'>): readonly Role[] {
  return serves ?? (access === 'every-caller' ? roles : access.roles);
}

/**
 * How a repeated command is recognised. Command ids and hashes of arguments are in the log, so what is declared here for an operation
 * never changes. All transports use the method and path of HTTP, because a command may be repeated through another transport.
 */
export interface CommandRule<Input> {
  /** Scope of an idempotency key: the same key in another scope is another command. */
  scope(input: Input): readonly [method: string, path: string];
  /**
   * Schema of the part of the input that must be equal in a repetition: without the fields that `scope` or a condition
   * covers. Absent if that is the whole input, `null` if the command takes nothing else.
   */
  readonly arguments?: z.ZodObject | null;
  /** A further value that must be equal in a repetition, computed from the input with its defaults. */
  variant?(input: Input): string;
}

/** When an `AuditRead` event is recorded, before the output is returned. */
export interface AuditRule {
  readonly what: string;
  /** `watched`: only if the caller is an auditor, or an admin who reads what a member in the same place could not see. */
  readonly when: 'always' | 'watched';
}

/** What a call read, for the audit. */
export interface AuditedRead {
  readonly items: number;
  readonly memoryId?: string;
  readonly parameters?: JsonObject;
  /** The memories that were read; they decide whether the read is `watched`. */
  readonly memories?: readonly Placement[];
}

/** A call whose caller, input and positions have been checked. */
export interface Call<Input> {
  readonly caller: TenantContext;
  readonly input: Input;
  readonly context: CommandContext;
  readonly services: Services;
  /** Position named by `asOf` of the input. */
  readonly asOf: number | undefined;
  readonly wait: Wait;
  /** Aborted when the caller has gone or the process stops; a stream without an end must end then. */
  readonly signal: AbortSignal;
  readonly credential: Credential;
  /** Converts an error that fails a part of the call, and logs the first of each kind. */
  readonly explain: (error: unknown) => Problem;
  /** Token of a position, as callers see it. */
  readonly token: (position: number) => string;
}

export interface Wait {
  readonly minPosition?: number;
  readonly waitMs?: number;
}

/** Rechecks the credential of a caller, for calls that last longer than a request usually does. */
export interface Credential {
  readonly isStillValid: () => Promise<boolean>;
  /** Throws `unauthenticated`. */
  readonly assertStillValid: () => Promise<void>;
}

export interface Outcome<Output> {
  readonly output: Output;
  /** True if the command was carried out before: `output` is its first answer. */
  readonly replayed?: boolean;
  /** True if a command that stores or replaces has stored something new. */
  readonly isNew?: boolean;
  /** Absent if nothing was read that the audit rule applies to. */
  readonly read?: AuditedRead;
}

/** An output that arrives piece by piece. */
export class ItemStream<Item> {
  /** A batch may be empty. */
  readonly batches: AsyncIterable<readonly Item[]>;
  /** Names of the fields to show as columns, if the caller wants a table. */
  readonly columns: readonly string[] | undefined;

  constructor(batches: AsyncIterable<readonly Item[]>, columns?: readonly string[]) {
    this.batches = batches;
    this.columns = columns;
  }

  /** The same stream, which calls `close` at its end, however it ends. */
  endingWith(close: () => void): ItemStream<Item> {
    return new ItemStream(closedAfter(this.batches, close), this.columns);
  }
}

async function* closedAfter<Each>(items: AsyncIterable<Each>, close: () => void): AsyncGenerator<Each> {
  try {
    yield* items;
  } finally {
    close();
  }
}

/** Infers the types of an operation from its schemas and its handler. */
export function operation<Input extends z.ZodObject, Output, Schema extends z.ZodType = z.ZodType>(
  definition: Operation<Input, Output> & { readonly output: Schema },
): Operation<Input, Output> & { readonly output: Schema } {
  return definition;
}
