import type { z } from 'zod';
import { actedForSchema } from '../../domain/access/on-behalf.ts';
import type { Act } from '../session.ts';

/** What a tool answers: fields for programs, and the same in words. */
export interface ToolAnswer<Output> {
  readonly fields: Output;
  readonly text: string;
}

/** A tool of MCP. Its rules are those of the operations that it calls; it only names, describes and shows. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: `memory_${string}`;
  readonly title: string;
  /** Tells a model that has to choose what the tool does, when to call it, and what to call instead. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly effect: Effect;
  /** The parameter for a field of an operation, if its name is not the field's name in snake_case. */
  readonly parameters?: Readonly<Record<string, string>>;
  call(input: z.output<Input>, act: Act): Promise<ToolAnswer<Unchanged<z.output<Output>>>>;
}

/** Lists in the output of an operation are readonly. */
type Unchanged<Value> = Value extends readonly (infer Item)[]
  ? readonly Unchanged<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Unchanged<Value[Key]> }
    : Value;

export type Effect = 'reads' | 'adds' | 'changes' | 'changes-once' | 'deletes';

/** Hints for the client, which may ask its user before a call that changes something. */
export const annotationsOf: Readonly<
  Record<
    Effect,
    { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: false }
  >
> = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  'changes-once': { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  deletes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
};

/** Parameter of every tool. */
export const userIdField = actedForSchema.optional().meta({
  description: 'User you act for; only with a credential of role agent',
});

type WithUser<Input extends z.ZodObject> = Input & z.ZodObject<{ user_id: typeof userIdField }>;

/** Infers the types of a tool, and adds the parameter `user_id`. */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Tool<Input, Output>,
): Tool<WithUser<Input>, Output> {
  return {
    ...definition,
    input: definition.input.extend({ user_id: userIdField }) as unknown as WithUser<Input>,
  };
}
