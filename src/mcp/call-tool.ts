import type { CallToolResult } from '@modelcontextprotocol/server';
import { problemDocument } from '../api/problem.ts';
import { isAgentWithoutUser } from '../domain/access/on-behalf.ts';
import type { FieldHints } from '../domain/input/parse-input.ts';
import { invalid, Problem } from '../domain/problems.ts';
import { readArguments } from './arguments.ts';
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
    const { input: read, ignored } = readArguments(tool.input, sent, hintsOf(tool));
    const { user_id: userId, ...input } = read as { user_id?: string };
    const idempotencyKey = keyIn(meta);
    const act = performer.for(session, {
      userId,
      idempotencyKey,
      signal: AbortSignal.any([signal, session.signal]),
    });
    const servesNobody = isAgentWithoutUser(session.caller) && userId === undefined;
    const { fields, text } = await tool.call(input, act, performer.tokenizer).catch((error: unknown) => {
      throw error instanceof Problem ? inTermsOf(tool, error, servesNobody) : error;
    });
    const notes = [
      ...(ignored.length > 0 ? [`Ignored: ${ignored.join(', ')}`] : []),
      ...(servesNobody ? [`Without user_id this credential sees only what is shared. ${nameTheUser}`] : []),
    ];
    return {
      content: [{ type: 'text', text: [text, ...notes.map((note) => `Note: ${note}`)].join('\n\n') }],
      ...(fields && { structuredContent: { ...fields, ...(notes.length > 0 && { notes }) } }),
    };
  } catch (error) {
    const problem = session.explain(error);
    return {
      content: [{ type: 'text', text: refusalText(problem, session.requestId) }],
      isError: true,
      _meta: { [problemName]: problemDocument(problem, session.requestId) },
    };
  }
}

const nameTheUser = 'Name the user you act for in user_id.';

/** An argument under the name that an operation has for it is answered with the tool's name. */
function hintsOf({ parameters = {} }: Tool): FieldHints {
  return Object.fromEntries(
    Object.entries(parameters).map(([field, parameter]) => [field, `use ${parameter}`]),
  );
}

function keyIn(meta: ToolCall['meta']): string | undefined {
  const key = meta[idempotencyKeyName];
  if (key !== undefined && typeof key !== 'string')
    throw invalid(`_meta.${idempotencyKeyName}`, 'must be text');
  return key;
}

/** A problem of an operation with the names of the tool's parameters. */
function inTermsOf({ parameters }: Tool, problem: Problem, servesNobody: boolean): Problem {
  if (problem.errors.length === 0) return problem;
  const errors = errorsByParameter(problem.errors, parameters).map(({ path, message }) =>
    servesNobody && path === 'scope.user'
      ? { path: 'user_id', message: `is required. ${nameTheUser}` }
      : { path, message },
  );
  const { code, retryAfter, extra } = problem;
  return new Problem(code, errors.map(({ path, message }) => `${path}: ${message}`).join('; '), {
    errors,
    extra,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
