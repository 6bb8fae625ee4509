import { Kafka, logLevel, type logCreator, type SASLOptions } from 'kafkajs';
import { abandonAfter } from '../../support/resilience/time-limit.ts';
import { requests, retries, type KafkaTransportOptions } from './options.ts';
import { Sockets } from './sockets.ts';

export interface KafkaClient {
  readonly kafka: Kafka;
  /** Disconnects `member`, waiting `farewellMs` at most, then cuts every connection. */
  close(member: { disconnect(): Promise<void> }, farewellMs?: number): Promise<void>;
  /** Cuts every connection at once: requests in flight fail, and nothing more is sent. */
  cut(): void;
}

/**
 * Every producer, consumer and admin needs a client of its own: kafkajs shares a group's committed offsets between the
 * consumers of one client, so that a rebalance of one consumer corrupts the state of the others.
 */
export function openClient(options: KafkaTransportOptions, attempts: number): KafkaClient {
  const sockets = new Sockets();
  let closing = false;
  const kafka = new Kafka({
    brokers: [...options.brokers],
    // Names this process in the brokers' logs and quotas.
    clientId: 'stratalog',
    ...(options.tls && { ssl: options.tls }),
    ...(options.sasl && { sasl: { ...options.sasl } as SASLOptions }),
    ...requests,
    retry: { ...retries, retries: attempts },
    socketFactory: sockets.open,
    logLevel: logLevel.WARN,
    logCreator: noticesTo((notice) => {
      // Cutting the connections causes errors that say nothing new.
      if (!closing) options.onNotice?.(notice);
    }),
  });
  const cut = (): void => {
    closing = true;
    sockets.cut();
  };
  return {
    kafka,
    cut,
    async close(member, farewellMs = 5000) {
      await abandonAfter(farewellMs, () => member.disconnect()).catch(() => {});
      cut();
    },
  };
}

function noticesTo(onNotice: NonNullable<KafkaTransportOptions['onNotice']>): logCreator {
  return () =>
    ({ label, namespace, log }) => {
      // A warning about idempotent producers with few retries, which cannot be switched off. Our own retries repeat the same batch.
      if (log.message.startsWith('Limiting retries')) return;
      const reason: unknown = log['error'];
      // The topic is about to be created. If it stays missing, the calls that need it report that.
      if (reason === 'This server does not host this topic-partition') return;
      const what = typeof reason === 'string' && reason !== log.message ? `: ${reason}` : '';
      onNotice({ severity: label, message: `${namespace}: ${log.message}${what}` });
    };
}
