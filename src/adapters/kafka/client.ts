import { Kafka, logLevel, type logCreator, type SASLOptions } from 'kafkajs';
import { pause } from '../../support/pause.ts';
import { requests, retries, type KafkaTransportOptions } from './options.ts';
import { Sockets } from './sockets.ts';

export interface KafkaClient {
  readonly kafka: Kafka;
  /** Lets `member` say goodbye to the brokers, for `farewellMs` at most, and cuts every connection. */
  close(member: { disconnect(): Promise<void> }, farewellMs?: number): Promise<void>;
  /** Cuts every connection now: what is under way fails and nothing more is sent. */
  cut(): void;
}

/**
 * A client of its own for each producer, consumer and administrator: the package shares the committed offsets of a group
 * between the consumers of one client, and then each rebalance of one confuses the others.
 */
export function openClient(options: KafkaTransportOptions, attempts: number): KafkaClient {
  const sockets = new Sockets();
  let closing = false;
  const kafka = new Kafka({
    brokers: [...options.brokers],
    // How the brokers' logs and quotas name this process.
    clientId: 'stratalog',
    ...(options.tls && { ssl: options.tls }),
    ...(options.sasl && { sasl: { ...options.sasl } as SASLOptions }),
    ...requests,
    retry: { ...retries, retries: attempts },
    socketFactory: sockets.open,
    logLevel: logLevel.WARN,
    logCreator: noticesTo((notice) => {
      // What is cut off complains of it.
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
      const patience = new AbortController();
      const farewell = member.disconnect().catch(() => {});
      await Promise.race([farewell, pause(farewellMs, patience.signal)]);
      patience.abort();
      cut();
    },
  };
}

function noticesTo(onNotice: NonNullable<KafkaTransportOptions['onNotice']>): logCreator {
  return () =>
    ({ label, namespace, log }) => {
      // It cannot be configured otherwise, and our own repetitions keep what it warns of.
      if (log.message.startsWith('Limiting retries')) return;
      const reason: unknown = log['error'];
      // A topic that is about to be made; where one stays missing, the calls that need it say so.
      if (reason === 'This server does not host this topic-partition') return;
      const what = typeof reason === 'string' && reason !== log.message ? `: ${reason}` : '';
      onNotice({ severity: label, message: `${namespace}: ${log.message}${what}` });
    };
}
