import { headPublisher, lastPublished } from '../backends/head-publisher.ts';
import { openLogKeys } from '../backends/log-signers.ts';
import { ConfigError } from '../config.ts';
import type { TreeHead } from '../domain/tlog/checkpoint.ts';
import type { Signer } from '../domain/tlog/note.ts';
import { observeCheckpoints } from '../observability/telemetry.ts';
import { systemClock } from '../ports/clock.ts';
import { CheckpointSigner } from '../tlog/checkpoint-signer.ts';
import { overdueMs } from '../tlog/heads.ts';
import { LogProofs } from '../tlog/log-proofs.ts';
import { restoresOf } from '../tlog/restores.ts';
import { LogTree } from '../tlog/tree.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import { startProcessor } from './start-processor.ts';

/** Opens the tree over the log, and in a process with the role `worker` signs its heads. */
export async function openProofs(
  own: Process,
  { store }: CommandSide,
): Promise<{ readonly proofs: LogProofs; readonly signers: readonly Signer[] }> {
  const { config, stores, metrics } = own;
  const tree = await LogTree.open(stores.sql, stores.log);
  await assertNotShorter(tree, await stores.log.head());
  const { origin, signers, verifiers } = await openLogKeys(
    config,
    stores.sql,
    stores.log.logId,
    await restoresOf(stores.log),
  );
  await assertContinuesPublished(tree, await lastPublished(config.tlog.publishTo, origin, verifiers));
  const { intervalMs } = config.tlog;
  observeCheckpoints(metrics.meter, () => overdueMs(store, intervalMs, systemClock.now()));
  if (config.roles.includes('worker')) {
    const context = systemCommandContext('checkpoints');
    const publish = headPublisher(config.tlog.publishTo);
    startProcessor(own, new CheckpointSigner({ tree, store, origin, signers, context, intervalMs, publish }));
  }
  return { proofs: new LogProofs({ tree, store, origin, verifiers }), signers };
}

const howToGoOn =
  'Restore a newer backup, or run `stratalog restore --in-place` with the same settings: then this log goes on under a new name, which says what it begins with';

/** A log that lost its end must not go on: its new events would contradict what was signed. */
async function assertNotShorter(tree: LogTree, head: number): Promise<void> {
  const { position } = await tree.state();
  if (position > head)
    throw new ConfigError(
      `the log ends at position ${head}, but its events up to ${position} were signed: a part of it was removed, or an older backup was restored over it. ${howToGoOn}`,
    );
}

/** The same for a log that was restored together with its tree: it is sound by itself, and only what was published shows it. */
async function assertContinuesPublished(tree: LogTree, published: TreeHead | undefined): Promise<void> {
  if (!published) return;
  let { size } = await tree.state();
  if (size < published.size) ({ size } = await tree.grow(new AbortController().signal));
  if (size < published.size)
    throw new ConfigError(
      `the log has ${size} events, but a head of ${published.size} was published (STRATALOG_TLOG_PUBLISH): an older copy of it was restored, or its end was lost. ${howToGoOn}`,
    );
  if (!(await tree.root(published.size)).equals(published.root))
    throw new ConfigError(
      `the first ${published.size} events of the log are not those of the head that was published (STRATALOG_TLOG_PUBLISH): an older copy of it was restored and used, or the log was changed. ${howToGoOn}`,
    );
}
