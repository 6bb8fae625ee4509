import { SealedEventStore } from '../adapters/eventstore/sealed-event-store.ts';
import { newId } from '../adapters/random.ts';
import { readPrices } from '../backends/prices.ts';
import { openVault } from '../backends/vault.ts';
import { commandServices, type CommandServices } from '../commands/context.ts';
import { Ledger } from '../commands/ledger/ledger.ts';
import { observeAllowances } from '../observability/telemetry.ts';
import type { PriceList } from '../domain/ledger/prices.ts';
import { systemClock } from '../ports/clock.ts';
import type { KeyVault } from '../ports/key-vault.ts';
import { TenantDirectory } from '../queries/tenant-directory.ts';
import type { Process } from './process.ts';

/** What writes events, and reads them back from the log: shared by the roles api, projector and worker. */
export interface CommandSide {
  readonly vault: KeyVault;
  readonly store: SealedEventStore;
  readonly commands: CommandServices;
  readonly directory: TenantDirectory;
  readonly ledger: Ledger;
  readonly prices: PriceList;
}

export async function openCommandSide({ config, stores, metrics }: Process): Promise<CommandSide> {
  const vault = await openVault(config, stores.sql);
  const store = new SealedEventStore(stores.log, vault);
  const commands = commandServices({ store, vault, clock: systemClock, newId });
  const prices = readPrices(config.pricesFile);
  const ledger = new Ledger(commands, prices);
  observeAllowances(metrics.meter, { budgets: ledger, quotas: commands.quotas });
  return { vault, store, commands, directory: new TenantDirectory(store, systemClock), ledger, prices };
}
