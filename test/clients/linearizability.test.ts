import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { withStaleRead, type Operation } from '../../bench/chaos/history.ts';
import { runChecker } from '../../bench/chaos/linearizability.ts';

/** Also false if the one module that it needs cannot be downloaded. */
const hasGo =
  spawnSync('go', ['mod', 'download'], { cwd: 'bench/linearizability', timeout: 60_000 }).status === 0;

let time = 0;
const shown = (revision: number, value: string, deleted = false) => ({
  status: 200,
  revision,
  value,
  deleted,
});
const refused = (status: number) => ({ status, revision: 0, value: '', deleted: false });

/** An operation that begins and ends before the next one. */
function next(fields: Omit<Operation, 'client' | 'memory' | 'call' | 'return'>): Operation {
  const operation = { client: 0, memory: 'm', ...fields, call: ++time };
  return fields.answer ? { ...operation, return: ++time } : operation;
}

/** Porcupine, which knows nothing of this program. */
describe.skipIf(!hasGo)('the linearizability checker (Go is needed to build it)', () => {
  const history: Operation[] = [
    next({ kind: 'read', answer: shown(0, 'v0') }),
    next({ kind: 'write', value: 'v1', answer: shown(1, 'v1') }),
    next({ kind: 'conditional', value: 'v2', expected: 0, answer: refused(412) }),
    next({ kind: 'conditional', value: 'v3', expected: 1, answer: shown(2, 'v3') }),
    next({ kind: 'delete', answer: shown(3, 'v3', true) }),
    next({ kind: 'delete', answer: shown(3, 'v3', true) }),
    next({ kind: 'write', value: 'v4', answer: refused(409) }),
    next({ kind: 'restore', answer: shown(4, 'v3') }),
    next({ kind: 'write', value: 'v5' }),
    next({ kind: 'read', answer: shown(4, 'v3') }),
    next({ kind: 'read', answer: shown(5, 'v5') }),
  ];

  it('accepts a history in which each call changes the memory once, also one without an answer', async () => {
    expect(await runChecker(history)).toMatchObject({ operations: 11, unknown: 1, memories: 1, illegal: [] });
  });

  it.each([
    ['a stale read', withStaleRead(history)!],
    ['a lost write', [...history, next({ kind: 'write', value: 'v6', answer: shown(5, 'v6') })]],
    [
      'two writes on the same revision',
      [
        ...history,
        next({ kind: 'conditional', value: 'v6', expected: 5, answer: shown(6, 'v6') }),
        next({ kind: 'conditional', value: 'v7', expected: 5, answer: shown(6, 'v7') }),
      ],
    ],
  ])('finds %s', async (_, wrong) => {
    expect(await runChecker(wrong)).toMatchObject({ illegal: ['m'] });
  });
});
