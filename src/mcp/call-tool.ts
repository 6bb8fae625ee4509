import type { CallToolResult } from '@modelcontextprotocol/server';
import { problemDocument } from '../api/problem.ts';
import { parseInput, type FieldHints } from '../domain/input/parse-input.ts';
import { invalid, Problem } from '../domain/problems.ts';
import { errorsByParameter, refusalText } from './refusal.ts';
import type { Performer, Session } from './session.ts';
import type { Tool } from './tools/tool.ts';

/** Name, in the `_meta` of a call, of the key under which the call is carried out only once. */
export const idempotencyKeyName = 'stratalog/idempotencyKey';
/** Name, in the `_meta` of a refusal, of the problem document. */
const problemName = 'stratalog/problem';

export interface ToolCall {
  readonly arguments: unknown;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Calls a tool. A refusal is an answer that the model reads, not an error of the protocol. */
export async function callTool(
  tool: Tool,
  { arguments: sent, meta, signal }: ToolCall,
  session: Session,
  performer: Performer,
): Promise<CallToolResult> {
  try {
    const { user_id: userId, ...input } = readArguments(tool, sent);
    const idempotencyKey = keyIn(meta);
    const act = performer.for(session, {
      userId: userId as string | undefined,
      idempotencyKey,
      signal: AbortSignal.any([signal, session.signal]),
    });
    const { fields, text } = await tool.call(input, act).catch((error: unknown) => {
      throw error instanceof Problem ? inTermsOf(tool, error) : error;
    });
    return { content: [{ type: 'text', text }], structuredContent: fields };
  } catch (error) {
    const problem = session.explain(error);
    return {
      content: [{ type: 'text', text: refusalText(problem, session.requestId) }],
      isError: true,
      _meta: { [problemName]: problemDocument(problem, session.requestId) },
    };
  }
}

/** The arguments of a call. An argument under the name that an operation has for it is answered with the tool's name. */
function readArguments({ input, parameters = {} }: Tool, sent: unknown) {
  const hints = Object.entries(parameters).map(([field, parameter]) => [field, `use ${parameter}`]);
  return parseInput(input, sent ?? {}, Object.fromEntries(hints) as FieldHints);
}

function keyIn(meta: ToolCall['meta']): string | undefined {
  const key = meta[idempotencyKeyName];
  if (key !== undefined && typeof key !== 'string')
    throw invalid(`_meta.${idempotencyKeyName}`, 'must be text');
  return key;
}

/** A problem of an operation with the names of the tool's parameters. */
function inTermsOf({ parameters }: Tool, problem: Problem): Problem {
  if (problem.errors.length === 0) return problem;
  const errors = errorsByParameter(problem.errors, parameters);
  const { code, retryAfter, extra } = problem;
  return new Problem(code, errors.map(({ path, message }) => `${path}: ${message}`).join('; '), {
    errors,
    extra,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
