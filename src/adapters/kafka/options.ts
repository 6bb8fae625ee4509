import type { ConnectionOptions } from 'node:tls';
import type { RetryOptions } from 'kafkajs';

export interface KafkaLogin {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

export interface KafkaTransportOptions {
  /** `host:port` of any of the brokers: they name the others. */
  readonly brokers: readonly string[];
  /** TLS, with `true` against the authorities that Node.js trusts, else as given: `ca`, `cert` and `key`, … */
  readonly tls?: boolean | ConnectionOptions;
  readonly sasl?: KafkaLogin;
  /**
   * Replicas of the topics made here; default: as the brokers are set up. From three on, two must have a record before
   * it is acknowledged (`min.insync.replicas`).
   */
  readonly replicas?: number;
  /** How long one publish tries before it rejects: a restart of a broker should fit into it. 60 s by default. */
  readonly publishTimeoutMs?: number;
  /** Warnings and errors of the client, which goes on by itself. */
  readonly onNotice?: (notice: { readonly severity: string; readonly message: string }) => void;
}

/** What a topic takes as one batch: the largest record, and what the format adds to it. */
export const maxBatchBytes = 5 * 1024 * 1024;

/** All of them stated: some of the package's defaults depend on NODE_ENV. */
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
 * `maxWaitTimeInMs` is also how long joining, leaving and resuming take; the session is the shortest that brokers allow
 * by default: after it, the partitions of a dead member go to others.
 */
export const consumption = {
  sessionTimeout: 6000,
  heartbeatInterval: 500,
  rebalanceTimeout: 30_000,
  maxWaitTimeInMs: 200,
  maxBytesPerPartition: maxBatchBytes,
  maxBytes: 4 * maxBatchBytes,
} as const;
