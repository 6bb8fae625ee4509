import { migrate } from '../adapters/migrate.ts';
import { observeRelay } from '../observability/telemetry.ts';
import { Relay } from '../relay/relay.ts';
import { relaySchema } from '../relay/schema.ts';
import type { Process } from './process.ts';

/** The role `relay`: publishes the events of the log to Kafka. */
export async function startRelay({
  config,
  logger,
  stores,
  leases,
  metrics,
  cleanup,
}: Process): Promise<Relay> {
  const { sql, log, transport } = stores;
  if (!transport) throw new Error(`the profile ${config.profile} has no relay`);
  await migrate(sql, 'relay', relaySchema);
  const relay = new Relay({
    log,
    transport,
    sql,
    leases,
    prefix: config.kafka.topicPrefix,
    onError: (error) => logger.warn({ err: error }, 'the relay failed and will retry'),
  });
  relay.start();
  cleanup.add(() => relay.stop());
  observeRelay(metrics.meter, relay);
  return relay;
}
