import type { z } from 'zod';
import { parseInput } from '../../domain/input/parse-input.ts';
import type { Mem0Session } from './session.ts';

/** A request to one of the paths of mem0. */
export interface Mem0Request {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
  /** URL without the query, for links to other pages. */
  readonly url: string;
  readonly session: Mem0Session;
  /** Reads the JSON body. */
  readonly json: () => Promise<unknown>;
}

/** Returns the JSON of the answer. */
export type Handler = (request: Mem0Request) => Promise<unknown>;

export async function bodyOf<Schema extends z.ZodType>(
  { json }: Mem0Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  return parseInput(schema, await json());
}
