import type { z } from 'zod';
import { actedForSchema } from '../../domain/access/on-behalf.ts';
import type { Tokenizer } from '../../ports/tokenizer.ts';
import type { Act } from '../session.ts';

/** What a tool answers: the same in words for models and in fields for programs. */
export interface ToolAnswer {
  readonly text: string;
  /**
   * Absent if the text has a budget: many clients show their model the fields instead of the text, and some show both.
   */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A tool of MCP. Its rules are those of the operations that it calls; it only names, describes and shows. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: `memory_${string}`;
  readonly title: string;
  /** Tells a model that has to choose what the tool does, when to call it, and what to call instead. */
  readonly description: string;
  readonly input: Input;
  readonly effect: Effect;
  /** Whether most conversations need it. */
  readonly isCore?: boolean;
  /** The parameter for a field of an operation, if its name is not the field's name in snake_case. */
  readonly parameters?: Readonly<Record<string, string>>;
  call(input: z.output<Input>, act: Act, tokenizer: Tokenizer): Promise<ToolAnswer>;
}

/** Hints for the client, which may ask its user before a call that changes something. */
export const annotationsOf = {
  reads: { readOnlyHint: true, destructiveHint: false },
  adds: { readOnlyHint: false, destructiveHint: false },
  changes: { readOnlyHint: false, destructiveHint: true },
  deletes: { readOnlyHint: false, destructiveHint: true },
} as const satisfies Record<string, { readOnlyHint: boolean; destructiveHint: boolean }>;

export type Effect = keyof typeof annotationsOf;

/** Parameter of every tool, listed for credentials of role agent. */
export const userIdField = actedForSchema.optional().meta({ description: 'User you act for' });

type WithUser<Input extends z.ZodObject> = Input & z.ZodObject<{ user_id: typeof userIdField }>;

/** Infers the types of a tool, and adds the parameter `user_id`. */
export function tool<Input extends z.ZodObject>(definition: Tool<Input>): Tool<WithUser<Input>> {
  return {
    ...definition,
    input: definition.input.extend({ user_id: userIdField }) as unknown as WithUser<Input>,
  };
}
