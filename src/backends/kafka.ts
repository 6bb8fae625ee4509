import type { KafkaTransportOptions } from '../adapters/kafka/transport.ts';
import type { Config } from '../config.ts';
import { readPemFile } from './files.ts';

type Notice = NonNullable<KafkaTransportOptions['onNotice']>;

/** Options for `openKafkaTransport`. Throws `ConfigError` if a certificate cannot be read. */
export function kafkaOptions({ kafka }: Config, onNotice?: Notice): KafkaTransportOptions {
  const { brokers, replicas, tls, login } = kafka;
  return {
    brokers,
    ...(replicas !== undefined && { replicas }),
    ...(tls && { tls: certificates(tls) }),
    ...(login && { sasl: login }),
    ...(onNotice && { onNotice }),
  };
}

function certificates({ caFile, certFile, keyFile }: NonNullable<Config['kafka']['tls']>) {
  return {
    ...(caFile !== undefined && { ca: readPemFile('STRATALOG_KAFKA_CA_FILE', caFile) }),
    ...(certFile !== undefined && { cert: readPemFile('STRATALOG_KAFKA_CERT_FILE', certFile) }),
    ...(keyFile !== undefined && { key: readPemFile('STRATALOG_KAFKA_KEY_FILE', keyFile) }),
  };
}
