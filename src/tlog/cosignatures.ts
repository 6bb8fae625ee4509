import { inTenant, unsealedContext, type CommandContext } from '../commands/context.ts';
import { systemTenant } from '../domain/access/context.ts';
import { invalid } from '../domain/problems.ts';
import { cosignatureStream } from '../domain/streams.ts';
import { parseCheckpoint } from '../domain/tlog/checkpoint.ts';
import { CheckpointCosigned, type CheckpointEvent, type CosignatureEvent } from '../domain/tlog/events.ts';
import { linesOf, MalformedNote, parseVerifierKey, verifierKey } from '../domain/tlog/note.ts';
import type { EventStore, LoadedEvent } from '../ports/event-store.ts';
import { signedHeads } from './heads.ts';

const filter = { categories: [CheckpointCosigned.category], types: [CheckpointCosigned.type] };
const pageSize = 500;

export interface KeptCosignature {
  readonly size: number;
  /** Name of the witness. */
  readonly witness: string;
  readonly position: number;
  /** It was kept before. */
  readonly replayed: boolean;
}

/**
 * Keeps in the log that a witness confirmed one of its heads. Throws `validation-failed` if the note is not such a head, or has no
 * signature of the witness.
 */
export async function keepCosignature(
  store: EventStore,
  context: CommandContext,
  { note, witnessKey }: { readonly note: string; readonly witnessKey: string },
): Promise<KeptCosignature> {
  const witness = parsed('witnessKey', () => parseVerifierKey(witnessKey));
  const { origin, size, root, note: signed } = parsed('note', () => parseCheckpoint(note));
  const head = await headOf(store, size);
  if (!head || head.event.data.origin !== origin || head.event.data.root !== root.toString('base64'))
    throw invalid('note', 'is not a head that this log has signed: GET /v1/audit/heads lists them');
  if (witness.name === origin) throw invalid('witnessKey', 'is a key of this log, and not of a witness');
  const lines = linesOf(signed, witness);
  if (lines.length === 0) throw invalid('note', `has no valid signature of ${witness.name}`);
  const kept = await cosignaturesAfter(store, head.position);
  const before = kept.find(
    ({ event }) => event.data.witnessKey === verifierKey(witness) && event.data.size === size,
  );
  if (before) return { size, witness: witness.name, position: before.position, replayed: true };
  const data = {
    origin,
    size,
    root: root.toString('base64'),
    lines: [...lines],
    witnessKey: verifierKey(witness),
  };
  const { position } = await store.append(
    cosignatureStream,
    'any',
    [{ type: CheckpointCosigned.type, data }],
    unsealedContext(inTenant(context, systemTenant)),
  );
  return { size, witness: witness.name, position, replayed: false };
}

/** A head as callers see it: its note has the signatures of witnesses, too. */
export interface Head {
  readonly event: LoadedEvent<CheckpointEvent>;
  readonly note: string;
  /** Names of the witnesses. */
  readonly cosignedBy: readonly string[];
}

/** Adds to heads, newest first, what witnesses signed of them. */
export async function withCosignatures(
  store: EventStore,
  heads: readonly LoadedEvent<CheckpointEvent>[],
): Promise<readonly Head[]> {
  const last = heads.at(-1);
  const kept = last ? await cosignaturesAfter(store, last.position) : [];
  return heads.map((event) => {
    const { size, root, note } = event.event.data;
    const own = kept.filter(({ event: { data } }) => data.size === size && data.root === root);
    const lines = own.flatMap(({ event: { data } }) => data.lines);
    const cosignedBy = own.map(({ event: { data } }) => parseVerifierKey(data.witnessKey).name);
    return { event, note: `${note}${lines.join('')}`, cosignedBy };
  });
}

/** The head of this size; undefined if none was signed. */
async function headOf(store: EventStore, size: number): Promise<LoadedEvent<CheckpointEvent> | undefined> {
  for (let before: number | undefined; ;) {
    const heads = await signedHeads(store, pageSize, before);
    const head = heads.find(({ event }) => event.data.size === size);
    if (head || heads.length < pageSize || heads.at(-1)!.event.data.size < size) return head;
    before = heads.at(-1)!.position;
  }
}

/** What witnesses signed behind a position. */
async function cosignaturesAfter(
  store: EventStore,
  after: number,
): Promise<readonly LoadedEvent<CosignatureEvent>[]> {
  const kept: LoadedEvent<CosignatureEvent>[] = [];
  for (let position = after; ;) {
    const { events, scannedTo } = await store.readAll({ after: position, limit: pageSize, filter });
    kept.push(...(events as readonly LoadedEvent<CosignatureEvent>[]));
    if (events.length === 0) return kept;
    position = scannedTo;
  }
}

function parsed<T>(field: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof MalformedNote) throw invalid(field, error.message);
    throw error;
  }
}
