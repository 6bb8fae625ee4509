import { signCheckpoint } from '../domain/tlog/checkpoint.ts';
import { CheckpointSigned } from '../domain/tlog/events.ts';
import { isSignedBy, parseNote, verifierKey, type Signer } from '../domain/tlog/note.ts';
import { checkpointStream } from '../domain/streams.ts';
import { eventContext, type CommandContext } from '../commands/context.ts';
import type { EventProcessor, Term } from '../follow/processor.ts';
import type { EventStore } from '../ports/event-store.ts';
import { inBackground } from '../support/background.ts';
import { pause } from '../support/pause.ts';
import { longestSilenceMs, signedHeads } from './heads.ts';
import type { LogTree } from './tree.ts';

export interface SignerParts {
  readonly tree: LogTree;
  readonly store: EventStore;
  readonly origin: string;
  /** More than one while keys are exchanged: the note has a signature of each. */
  readonly signers: readonly Signer[];
  readonly context: CommandContext;
  /** Sends each head elsewhere. A failure is reported, and the next head says all that this one did. */
  readonly publish?: ((note: string) => Promise<void>) | undefined;
  /** How long new events wait for a signed head. */
  readonly intervalMs: number;
}

/** A head that was signed, and the position of the event about it. */
interface SignedHead {
  readonly note: string;
  readonly size: number;
  readonly position: number;
}

/** With so many new events a head is signed at once. */
const mostUnsigned = 10_000;
const shortestPauseMs = 250;
const longestPauseMs = 5_000;

/** Adds new events to the tree and signs its heads. One process at a time does it. */
export class CheckpointSigner implements EventProcessor {
  readonly name = 'checkpoints';
  readonly sharing = 'lease';
  readonly #parts: SignerParts;

  constructor(parts: SignerParts) {
    this.#parts = parts;
  }

  async run(term: Term): Promise<void> {
    const { tree, store, signers, intervalMs, publish } = this.#parts;
    const pauseMs = Math.min(Math.max(intervalMs / 10, shortestPauseMs), longestPauseMs);
    const [last] = await signedHeads(store, 1);
    term.began(last?.position ?? 0);
    // A new key signs at once: until then nothing vouches for the heads of the key before.
    const isCurrent = last && isSignedByAll(last.event.data.note, signers);
    // The tree of a head, and the event about it. What was appended between the two waits for the next head.
    let signedSize = isCurrent ? last.event.data.size + 1 : 0;
    let signedAt = performance.now() - intervalMs;
    while (!term.signal.aborted) {
      const { size } = await inBackground(() => tree.grow(term.signal));
      const unsigned = size - signedSize;
      const waitedMs = performance.now() - signedAt;
      if (
        (unsigned > 0 && waitedMs >= intervalMs) ||
        unsigned >= mostUnsigned ||
        waitedMs >= longestSilenceMs
      ) {
        const head = await inBackground(() => this.sign(term.signal));
        signedSize = head.size + 1;
        // The next head does not wait for the receiver.
        void publish?.(head.note).catch((error: unknown) => term.report(error));
        signedAt = performance.now();
        term.reached(head.position);
      }
      await pause(pauseMs, term.signal);
    }
  }

  /** Signs the head of the whole log. */
  async sign(signal: AbortSignal): Promise<SignedHead> {
    const { tree, store, origin, signers, context } = this.#parts;
    const { size } = await tree.grow(signal);
    const root = await tree.root(size);
    const note = signCheckpoint({ origin, size, root }, signers);
    const event = {
      type: CheckpointSigned.type,
      data: {
        origin,
        size,
        root: root.toString('base64'),
        note,
        verifierKeys: signers.map(verifierKey),
      },
    };
    const { position } = await store.append(checkpointStream, 'any', [event], eventContext(context));
    return { note, size, position };
  }
}

function isSignedByAll(note: string, signers: readonly Signer[]): boolean {
  const parsed = parseNote(note);
  return signers.every((signer) => isSignedBy(parsed, signer));
}
