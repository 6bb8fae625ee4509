import { afterAll, beforeAll, describe } from 'vitest';
import type { Transport } from '../../src/ports/transport.ts';
import type { ContractTransport } from '../support/transport-records.ts';
import { assignmentContract } from './transport-assignment.ts';
import { consumingContract } from './transport-consuming.ts';
import { groupContract } from './transport-groups.ts';
import { publishingContract } from './transport-publishing.ts';
import { topicContract } from './transport-topics.ts';

/** Contract of every `Transport`. `open` returns a new handle each time; topics and groups are new. */
export function transportContract(name: string, open: () => Promise<Transport>): void {
  describe(`${name} as Transport`, () => {
    let transport: Transport;
    const others: Transport[] = [];

    beforeAll(async () => {
      transport = await open();
    });

    afterAll(async () => {
      await Promise.all([transport, ...others].map((handle) => handle?.close()));
    });

    const contract: ContractTransport = {
      get transport() {
        return transport;
      },
      async open() {
        const other = await open();
        others.push(other);
        return other;
      },
    };
    topicContract(contract);
    publishingContract(contract);
    consumingContract(contract);
    groupContract(contract);
    assignmentContract(contract);
  });
}
