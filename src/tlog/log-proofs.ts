import { parseCheckpoint, type TreeHead } from '../domain/tlog/checkpoint.ts';
import type { Restore } from '../domain/tlog/events.ts';
import { leafOf } from '../domain/tlog/leaf.ts';
import { inclusionProof } from '../domain/tlog/merkle.ts';
import type { Verifier } from '../domain/tlog/note.ts';
import { formatProof } from '../domain/tlog/proof-file.ts';
import { entryBundle, tileWidth, type TileName } from '../domain/tlog/tiles.ts';
import { hashBytes } from '../domain/tlog/merkle.ts';
import type { RecordedEvent } from '../ports/event-log.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { CommandContext } from '../commands/context.ts';
import { keepCosignature, withCosignatures, type Head, type KeptCosignature } from './cosignatures.ts';
import { signedHeads } from './heads.ts';
import { restoresOf } from './restores.ts';
import type { LogTree } from './tree.ts';
import { verifyLog, type LogReport } from './verify-log.ts';

export interface LogProofsParts {
  readonly tree: LogTree;
  readonly store: EventStore;
  /** Name of this log in its heads. */
  readonly origin: string;
  /** The keys that its heads are signed with, the present one first. */
  readonly verifiers: readonly Verifier[];
}

/** What proves to others that the log is the one that it was: signed heads, tiles and proofs. */
export class LogProofs {
  readonly origin: string;
  readonly verifiers: readonly Verifier[];
  readonly #parts: LogProofsParts;

  constructor(parts: LogProofsParts) {
    this.#parts = parts;
    this.origin = parts.origin;
    this.verifiers = parts.verifiers;
  }

  /** From which logs this one was restored, in order. */
  restores(): Promise<readonly Restore[]> {
    return restoresOf(this.#parts.store.log);
  }

  /** The heads that were signed, newest first, before a position, with what witnesses signed of them. */
  async heads(limit: number, before?: number): Promise<readonly Head[]> {
    const { store } = this.#parts;
    return withCosignatures(store, await signedHeads(store, limit, before));
  }

  /** The last signed head as a note; undefined if none was signed yet. */
  async checkpoint(): Promise<string | undefined> {
    const [head] = await this.heads(1);
    return head?.note;
  }

  /** Keeps in the log that a witness confirmed a head. */
  keepCosignature(
    context: CommandContext,
    cosigned: { readonly note: string; readonly witnessKey: string },
  ): Promise<KeptCosignature> {
    return keepCosignature(this.#parts.store, context, cosigned);
  }

  /** The event at a position, if the tree has it. */
  find(position: number): Promise<{ readonly event: RecordedEvent; readonly index: number } | undefined> {
    return this.#parts.tree.find(position);
  }

  /** Proof that the event at an index is in the log, as a `.tlog-proof` with its leaf; undefined if no signed head covers it yet. */
  async prove({
    event,
    index,
  }: {
    readonly event: RecordedEvent;
    readonly index: number;
  }): Promise<string | undefined> {
    const checkpoint = await this.checkpoint();
    if (checkpoint === undefined) return undefined;
    const { size } = parseCheckpoint(checkpoint);
    if (index >= size) return undefined;
    const proof = await inclusionProof(index, size, this.#parts.tree.nodes());
    return formatProof({ index, proof, checkpoint, extra: leafOf(event) });
  }

  /** The bytes of a tile; undefined if the tree does not have all of it. */
  async tile({ level, index, width }: TileName & { readonly level: number }): Promise<Buffer | undefined> {
    const hashes = await this.#parts.tree.tile(level, index);
    return hashes.length < width * hashBytes ? undefined : hashes.subarray(0, width * hashBytes);
  }

  /** The events of an entry bundle and its bytes; undefined if the tree does not have all of it. */
  async entries({
    index,
    width,
  }: Pick<TileName, 'index' | 'width'>): Promise<
    { readonly events: readonly RecordedEvent[]; readonly bundle: Buffer } | undefined
  > {
    const { size } = await this.#parts.tree.state();
    if (index * tileWidth + width > size) return undefined;
    const events = await this.#parts.tree.events(index, width);
    return events.length < width ? undefined : { events, bundle: entryBundle(events.map(leafOf)) };
  }

  /** Compares the whole log with its tiles and heads, and with heads from elsewhere. */
  verify(against: readonly TreeHead[], signal?: AbortSignal): Promise<LogReport> {
    const { tree, store, verifiers } = this.#parts;
    return verifyLog({ log: store.log, tree, verifiers, against, ...(signal && { signal }) });
  }
}
