import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KafkaRefused } from '../../src/adapters/kafka/errors.ts';
import { openKafkaTransport, type KafkaTransportOptions } from '../../src/adapters/kafka/transport.ts';
import { TransportUnavailable } from '../../src/ports/transport.ts';
import { Member } from '../support/group-member.ts';
import { hasKafka } from '../support/private-kafka.ts';
import { SecuredKafka } from '../support/secured-kafka.ts';
import { freshName, freshTopic, record } from '../support/transport-records.ts';

describe.runIf(hasKafka())('Kafka as Transport, over TLS with a login', () => {
  let broker: SecuredKafka;

  beforeAll(async () => {
    broker = await SecuredKafka.start();
  }, 300_000);

  afterAll(() => broker?.remove());

  function secured(
    mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512',
    word = broker.password,
  ): KafkaTransportOptions {
    return {
      brokers: [broker.address],
      tls: { ca: [broker.certificate] },
      sasl: { mechanism, username: broker.username, password: word },
    };
  }

  describe.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)('by %s', (mechanism) => {
    it('[I5] publishes and consumes', async () => {
      const transport = await openKafkaTransport(secured(mechanism));
      const topic = await freshTopic(transport, 2);
      await transport.publish([record(topic, 'one', 'sealed')]);
      const member = new Member(transport, { group: freshName('group'), topics: [topic] });
      await member.receives(1);
      await member.leave();
      await transport.close();
      expect(member.values).toEqual(['sealed']);
    });

    it('[I5] is refused with another password, which the error does not contain', async () => {
      const wrong = 'another secret';
      const notices: string[] = [];
      const opening = openKafkaTransport({
        ...secured(mechanism, wrong),
        onNotice: ({ message }) => notices.push(message),
      });
      const error: unknown = await opening.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(KafkaRefused);
      expect([(error as Error).message, ...notices].join('\n')).not.toContain(wrong);
    });
  });

  it('[I5] does not trust a broker with an unknown certificate authority', async () => {
    const { sasl } = secured('plain');
    const opening = openKafkaTransport({ brokers: [broker.address], tls: true, sasl: sasl! });
    await expect(opening).rejects.toThrow(TransportUnavailable);
    await expect(opening).rejects.toThrow(/self-signed|certificate/);
  });
});
