import { afterAll, beforeAll, describe } from 'vitest';
import type { ContractLog, LogUnderTest } from '../support/log-events.ts';
import { appendContract } from './event-log-append.ts';
import { concurrencyContract } from './event-log-concurrency.ts';
import { idempotencyContract } from './event-log-idempotency.ts';
import { largeEventsContract } from './event-log-large.ts';
import { readContract } from './event-log-read.ts';
import { subscriptionContract } from './event-log-subscription.ts';

/** Contract of every `EventLog`. `open` returns an empty log. */
export function eventLogContract(name: string, open: () => Promise<LogUnderTest>): void {
  describe(`${name} as EventLog`, () => {
    let opened: LogUnderTest;

    beforeAll(async () => {
      opened = await open();
    });

    afterAll(() => opened?.close());

    const contract: ContractLog = {
      get log() {
        return opened.log;
      },
    };
    // First, while the log is empty.
    readContract(contract);
    appendContract(contract);
    idempotencyContract(contract);
    subscriptionContract(contract);
    concurrencyContract(contract);
    // Last: other parts read the log in one page.
    largeEventsContract(contract);
  });
}
