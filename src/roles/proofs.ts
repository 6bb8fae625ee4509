import { headPublisher } from '../backends/head-publisher.ts';
import { openLogSigners, originOf } from '../backends/log-signers.ts';
import { ConfigError } from '../config.ts';
import type { Signer } from '../domain/tlog/note.ts';
import { CheckpointSigner } from '../tlog/checkpoint-signer.ts';
import { LogProofs } from '../tlog/log-proofs.ts';
import { LogTree } from '../tlog/tree.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import { startProcessor } from './start-processor.ts';

/** Opens the tree over the log, and in a process with the role `worker` signs its heads. */
export async function openProofs(
  own: Process,
  { store }: CommandSide,
): Promise<{ readonly proofs: LogProofs; readonly signers: readonly Signer[] }> {
  const { config, stores } = own;
  const { logId } = stores.log;
  const tree = await LogTree.open(stores.sql, stores.log);
  await assertNotShorter(tree, await stores.log.head());
  const origin = originOf(config, logId);
  const signers = await openLogSigners(config, stores.sql, logId);
  if (config.roles.includes('worker')) {
    const intervalMs = config.tlog.intervalMs;
    const context = systemCommandContext('checkpoints');
    const publish = headPublisher(config.tlog.publishTo);
    startProcessor(own, new CheckpointSigner({ tree, store, origin, signers, context, intervalMs, publish }));
  }
  return { proofs: new LogProofs({ tree, store, origin, verifiers: signers }), signers };
}

/** A log that lost its end must not go on: its new events would contradict what was signed. */
async function assertNotShorter(tree: LogTree, head: number): Promise<void> {
  const { position } = await tree.state();
  if (position > head)
    throw new ConfigError(
      `the log ends at position ${head}, but its events up to ${position} were signed: a part of it was removed, or an older backup was restored over it. Restore the whole log`,
    );
}
