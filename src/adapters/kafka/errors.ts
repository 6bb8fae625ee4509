import { TransportUnavailable } from '../../ports/transport.ts';

/** The brokers answer and refuse the request, because of the login, a missing right or an invalid name. Retrying does not help. */
export class KafkaRefused extends Error {
  override readonly name = 'KafkaRefused';
}

const refusals =
  /AUTHORIZATION_FAILED|SASL_AUTHENTICATION_FAILED|UNSUPPORTED_SASL_MECHANISM|INVALID_TOPIC_EXCEPTION|MESSAGE_TOO_LARGE|RECORD_LIST_TOO_LARGE|INVALID_RECORD|POLICY_VIOLATION|INVALID_REPLICATION_FACTOR|INVALID_PARTITIONS|INVALID_CONFIG|SECURITY_DISABLED|UNSUPPORTED_VERSION/;
/** After these errors the broker accepts nothing more under the producer's id. */
const lostProducer =
  /^(OUT_OF_ORDER_SEQUENCE_NUMBER|DUPLICATE_SEQUENCE_NUMBER|INVALID_PRODUCER_EPOCH|UNKNOWN_PRODUCER_ID|INVALID_PRODUCER_ID_MAPPING)$/;

/** Converts an error of kafkajs into `KafkaRefused` or `TransportUnavailable`. */
export function translate(error: unknown): Error {
  if (error instanceof KafkaRefused || error instanceof TransportUnavailable) return error;
  const reasons = chainOf(error);
  const refusal = reasons.find(({ name, type }) => name.includes('SASLAuth') || refusals.test(type));
  if (refusal) return new KafkaRefused(`Kafka refuses: ${refusal.message}`, { cause: error });
  return new TransportUnavailable(`Kafka cannot be reached: ${reasons[0]?.message ?? String(error)}`, {
    cause: error,
  });
}

export function losesProducer(error: unknown): boolean {
  return chainOf(error).some(({ type }) => lostProducer.test(type));
}

/** Whether `error` or one of its causes has this error code of Kafka, such as `UNKNOWN_TOPIC_OR_PARTITION`. */
export function hasType(error: unknown, type: string): boolean {
  return chainOf(error).some((reason) => reason.type === type);
}

interface Reason {
  readonly name: string;
  readonly message: string;
  readonly type: string;
}

function chainOf(error: unknown): Reason[] {
  if (!(error instanceof Error)) return [];
  const { type, cause, errors } = error as Error & { type?: unknown; cause?: unknown; errors?: unknown };
  const own = { name: error.name, message: error.message, type: typeof type === 'string' ? type : '' };
  const inner = Array.isArray(errors) ? errors : [];
  return [own, ...inner.flatMap(chainOf), ...(cause === error ? [] : chainOf(cause))];
}
