import { describe } from 'vitest';
import { openKafkaTransport } from '../../src/adapters/kafka/transport.ts';
import { transportContract } from '../contract/transport.ts';

const brokers = process.env['STRATALOG_KAFKA_BROKERS']?.split(',');

if (brokers) transportContract('Kafka', () => openKafkaTransport({ brokers }));
else describe.skip('Kafka as Transport: STRATALOG_KAFKA_BROKERS is not set', () => {});
