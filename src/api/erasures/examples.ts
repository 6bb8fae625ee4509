import { at, position } from '../example-values.ts';
import { headsExample, proofExample } from '../audit/examples.ts';

const id = '019a0c3f-4b21-7c55-9d10-7a2f6f0a11c9';

export const eraseSubjectExample = { id: 'alice', reason: 'asked to be forgotten (ticket 4711)' };

export const eraseTenantExample = { id: 'acme', confirm: 'acme', reason: 'the contract has ended' };

export const requestedExample = { receipt: id, position };

const surfaces = [
  { name: 'keys', count: 43, state: 'cleared' as const, at },
  { name: 'memories', count: 42, state: 'cleared' as const, at },
  { name: 'files of the database', count: 1, state: 'cleared' as const, at, note: 'rewritten' },
];

export const erasureExample = {
  id,
  target: { kind: 'subject' as const, subject: '5f2b9c0d1e3a47658899aabbccddeeff' },
  state: 'complete' as const,
  files: 'scheduled' as const,
  requestedAt: at,
  requestedBy: 'user:ada',
  completedAt: at,
  reason: eraseSubjectExample.reason,
  surfaces,
  outOfReach: [{ what: 'exports', why: 'what callers have read or exported is theirs' }],
  position,
  proof: proofExample,
  signature: `{"erasureId":"${id}","log":"${headsExample.origin}",…}\n\n— ${headsExample.origin} 8N1hA2h…\n`,
};
