import { describe, expect, it } from 'vitest';
import { WrongExpectedRevision, type ExpectedRevision, type StreamName } from '../../src/ports/event-log.ts';
import {
  freshStream,
  ids,
  revisions,
  storedEvent,
  storedEvents,
  type ContractLog,
} from '../support/log-events.ts';

/** What an append asks of its stream, what it answers, and that it keeps every byte. */
export function appendContract(contract: ContractLog): void {
  const { log } = new Proxy({} as ContractLog, { get: () => lazily(contract) });

  const refusal = async (stream: StreamName, expected: ExpectedRevision): Promise<WrongExpectedRevision> => {
    const error: unknown = await log.append(stream, expected, [storedEvent()]).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(WrongExpectedRevision);
    return error as WrongExpectedRevision;
  };

  describe('an append', () => {
    it('answers the revision, position and time of its last event', async () => {
      const stream = freshStream();
      const result = await log.append(stream, 'noStream', storedEvents(3));
      const last = (await log.readStream(stream)).at(-1)!;
      expect(result).toEqual({ revision: 2, position: last.position, time: last.time, repeated: false });
      expect(result.position).toBeGreaterThanOrEqual(3);
    });
  });
}
