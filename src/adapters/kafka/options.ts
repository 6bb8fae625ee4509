import type { ConnectionOptions } from 'node:tls';
import type { RetryOptions } from 'kafkajs';

export interface KafkaLogin {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

export interface KafkaTransportOptions {
  /** `host:port` of at least one broker; the others are discovered. */
  readonly brokers: readonly string[];
  /** TLS: `true` trusts the authorities of Node.js; an object sets `ca`, `cert`, `key` and so on. */
  readonly tls?: boolean | ConnectionOptions;
  readonly sasl?: KafkaLogin;
  /**
   * Replicas of the topics that are created; the brokers' setting by default. With three or more, two must have a record before
   * it is acknowledged (`min.insync.replicas`).
   */
  readonly replicas?: number;
  /** How long one publish is retried before it rejects. Should be longer than a broker's restart. 60 s by default. */
  readonly publishTimeoutMs?: number;
  /** Called for warnings and errors that the client recovers from by itself. */
  readonly onNotice?: (notice: { readonly severity: string; readonly message: string }) => void;
}

/** `max.message.bytes` of a topic: the largest record and the overhead of the batch format. */
export const maxBatchBytes = 5 * 1024 * 1024;

/** Every option is set, because some defaults of kafkajs depend on NODE_ENV. */
export const retries = {
  initialRetryTime: 100,
  maxRetryTime: 1000,
  factor: 0.2,
  multiplier: 2,
} satisfies RetryOptions;

export const requests = {
  connectionTimeout: 3000,
  authenticationTimeout: 5000,
  requestTimeout: 15_000,
} as const;

/**
 * `maxWaitTimeInMs` also determines how long joining, leaving and resuming take. `sessionTimeout` is the shortest that brokers
 * allow by default: after it a dead member's partitions are assigned to others.
 */
export const consumption = {
  sessionTimeout: 6000,
  heartbeatInterval: 500,
  rebalanceTimeout: 30_000,
  maxWaitTimeInMs: 200,
  maxBytesPerPartition: maxBatchBytes,
  maxBytes: 4 * maxBatchBytes,
} as const;
