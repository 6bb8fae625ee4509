import { problems, type FieldError, type Problem, type ProblemCode } from '../domain/problems.ts';

/** What a model can do next, for problems whose remedy in the table is about HTTP. */
const nextSteps: Partial<Record<ProblemCode, string>> = {
  'validation-failed': 'Correct the parameters named above and call the tool again.',
  unauthenticated: 'Tell the user that the credential of this MCP server is missing or no longer valid.',
  forbidden: 'Do not repeat the call. Tell the user what the credential of this MCP server does not allow.',
  'not-found':
    'Check the id: take it from a result of memory_search. The answer does not say whether others may see it.',
  'external-id-taken': 'Call memory_update for the memory that has the external_id, or choose another one.',
  'memory-archived': 'The memory is archived and cannot be changed. Store a new one if it is still true.',
  'memory-deleted': 'The memory is deleted and cannot be changed. Store a new one if it is still true.',
  'revision-mismatch':
    'Somebody changed the memory. Call memory_get, and repeat the change with the revision that it answers.',
  'content-too-large': 'Store the text in several memories.',
  'position-timeout': 'The server is still indexing what was written. Call the tool again in a moment.',
  unavailable: 'Call the tool again in a few seconds. Nothing that was acknowledged is lost.',
  'command-in-progress': 'The same call is still running. Call the tool again in a few seconds.',
  'idempotency-key-reused': 'Repeat the call without the idempotency key, or with a new one.',
  internal: 'Try once more. If it fails again, tell the user, with the request id.',
};

/** A refusal in words for a model: what is wrong, and what to do next. */
export function refusalText(problem: Problem, requestId: string): string {
  const { code, errors, retryAfter } = problem;
  return [
    `Refused (${code}): ${problems[code].title}.`,
    ...(errors.length > 0 ? errors.map(({ path, message }) => `- ${path}: ${message}`) : [problem.message]),
    `What to do: ${nextSteps[code] ?? problems[code].remedy}`,
    ...(retryAfter === undefined ? [] : [`Wait ${retryAfter} s before you try again.`]),
    ...Object.entries(problem.extra).map(
      ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ),
    ...(problem.status >= 500 ? [`Request id: ${requestId}`] : []),
  ].join('\n');
}

/** The errors under the names that the parameters of a tool have. */
export function errorsByParameter(
  errors: readonly FieldError[],
  parameters: Readonly<Record<string, string>> = {},
): FieldError[] {
  return errors.map(({ path, message }) => {
    const [first = '', ...rest] = path.split('.');
    return { path: [parameters[first] ?? snakeCase(first), ...rest].join('.'), message };
  });
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
