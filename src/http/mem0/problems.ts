import { Problem, type FieldError } from '../../domain/problems.ts';

/** mem0's names of fields, by their names in Stratalog. */
const ownNames: Readonly<Record<string, string>> = {
  'scope.user': 'user_id',
  'scope.agent': 'agent_id',
  'scope.session': 'run_id',
  'scope.project': 'app_id',
  content: 'text',
  topK: 'top_k',
  now: 'reference_date',
  filter: 'filters',
};

/** Runs `action`, and names the fields of its problems as mem0 does; `names` go before the general ones. */
export function inMem0Terms<Result>(names: Readonly<Record<string, string>>, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw error instanceof Problem ? translated(error, names) : error;
  }
}

export function translated(problem: Problem, names: Readonly<Record<string, string>> = {}): Problem {
  const { code, retryAfter, extra, cause } = problem;
  // To mem0 a deleted memory does not exist.
  if (code === 'memory-deleted') return new Problem('not-found', 'no such memory', { cause });
  if (problem.errors.length === 0) return problem;
  const errors = problem.errors.map(({ path, message }): FieldError => ({
    path: nameOf(path, { ...ownNames, ...names }),
    message,
  }));
  if (errors.every(({ path }, index) => path === problem.errors[index]!.path)) return problem;
  return new Problem(code, errors.map(({ path, message }) => `${path}: ${message}`).join('; '), {
    errors,
    extra,
    cause,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

function nameOf(path: string, names: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(names, path)) return names[path]!;
  const [first = '', ...rest] = path.split('.');
  return Object.hasOwn(names, first) ? [names[first], ...rest].join('.') : path;
}
