import { contentOf, tagsOfSections, type DocumentState } from '../../domain/documents/document.ts';
import type { DocumentEvent, RecordedSection, SkipReason } from '../../domain/documents/events.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { MemoryState, MemoryValue } from '../../domain/memory/memory.ts';
import { foldMemory } from '../../domain/memory/snapshot.ts';
import { Problem } from '../../domain/problems.ts';
import { withoutCopies, type Spaces } from '../../domain/spaces/spaces.ts';
import { documentStream, memoryStream } from '../../domain/streams.ts';
import { changeMemory } from '../change-memory.ts';
import { unsealedContext, type CommandContext, type CommandServices } from '../context.ts';
import { storeUnclaimed, type Draft } from '../create-memory.ts';
import { retentionUntil } from '../delete-memory.ts';
import { checkEntry } from '../entry/check-entry.ts';
import { storeInSpaces } from '../store-in-spaces.ts';
import { newMemoryKey } from '../store-memory.ts';
import { loadText } from './load-document.ts';
import { saidAlready, type FindSame } from './said-already.ts';

/** Memories that are written between two checkpoints. */
const memoriesAtOnce = 32;
/** Quality that a section must reach where no space of the document is configured. */
const defaultThreshold = 0.2;

/** What became of one section: undefined if its memory is as planned. */
type Outcome = { readonly reason: SkipReason; readonly of?: string } | undefined;

/**
 * Brings the memories of a document's sections to what its plan says: stores, changes, restores and deletes them. Each step can be repeated
 * and is recorded once it is done, so a process that is killed continues where it was. A section that a rule of its spaces refuses is
 * skipped, and the document lists it.
 */
export async function carryOutDocument(
  services: CommandServices,
  context: CommandContext,
  state: DocumentState,
  { findSame, signal }: { readonly findSame: FindSame; readonly signal: AbortSignal },
): Promise<void> {
  const { good, place, due } = state;
  if (!good || due.size === 0 || state.status === 'failed' || state.status === 'erased') return;
  const { tenant } = context.caller;
  const spaces = await services.spaces.of(tenant);
  const texts = new Map<number, string | undefined>();
  for (const { revision } of state.sections.values())
    if (!texts.has(revision)) texts.set(revision, await loadText(services, tenant, state, revision));
  const steps = new SectionSteps(services, context, { ...state, good }, { spaces, texts, findSame });
  const ids = [...due];
  for (let from = 0; from < ids.length; from += memoriesAtOnce) {
    signal.throwIfAborted();
    const done = ids.slice(from, from + memoriesAtOnce);
    const outcomes = await Promise.all(done.map((id) => steps.carryOut(id)));
    const skipped = outcomes.flatMap((outcome, index) =>
      outcome ? [{ memoryId: done[index]!, ...outcome }] : [],
    );
    const { documentId } = place;
    const { revision } = state;
    const advanced = { type: 'DocumentAdvanced', data: { documentId, revision, done, skipped } } as const;
    const stored = { type: 'DocumentStored', data: { documentId, revision } } as const;
    const isLast = from + memoriesAtOnce >= ids.length;
    await record(services, context, documentId, isLast ? [advanced, stored] : [advanced]);
  }
}

/** The outcome of a step does not depend on what others append meanwhile. */
async function record(
  { store }: CommandServices,
  context: CommandContext,
  documentId: string,
  events: readonly DocumentEvent[],
): Promise<void> {
  const stream = documentStream(context.caller.tenant, documentId);
  await store.append(stream, 'exists', events, unsealedContext(context));
}

type StoredDocument = DocumentState & { readonly good: NonNullable<DocumentState['good']> };

class SectionSteps {
  readonly #services: CommandServices;
  readonly #context: CommandContext;
  readonly #document: StoredDocument;
  readonly #spaces: Spaces;
  readonly #texts: ReadonlyMap<number, string | undefined>;
  readonly #findSame: FindSame;

  constructor(
    services: CommandServices,
    context: CommandContext,
    document: StoredDocument,
    {
      spaces,
      texts,
      findSame,
    }: {
      readonly spaces: Spaces;
      readonly texts: ReadonlyMap<number, string | undefined>;
      readonly findSame: FindSame;
    },
  ) {
    this.#services = services;
    this.#context = context;
    this.#document = document;
    this.#spaces = spaces;
    this.#texts = texts;
    this.#findSame = findSame;
  }

  async carryOut(memoryId: string): Promise<Outcome> {
    const section = this.#document.status === 'deleted' ? undefined : this.#document.sections.get(memoryId);
    if (!section) {
      const status = await this.#statusOf(memoryId);
      if (status === 'active' || status === 'archived') await this.#delete(memoryId);
      return undefined;
    }
    try {
      if (await this.#storesUnread(section)) return undefined;
      return await this.#bring(section, await this.#statusOf(memoryId));
    } catch (error) {
      const reason = skipReasonOf(error);
      if (!reason) throw error;
      // Otherwise its memory would go on saying what the document no longer says.
      if ((await this.#statusOf(memoryId)) === 'active') await this.#delete(memoryId);
      return { reason };
    }
  }

  async #statusOf(memoryId: string): Promise<MemoryState['status']> {
    const stream = memoryStream(this.#context.caller.tenant, memoryId);
    return foldMemory(await this.#services.store.load<MemoryEvent>(stream)).state.status;
  }

  async #bring(section: RecordedSection, status: MemoryState['status']): Promise<Outcome> {
    if (status === 'erased') return undefined;
    const { memoryId } = section;
    const text = this.#texts.get(section.revision);
    if (status === 'absent') {
      // Its text was erased before it was stored.
      if (text === undefined) return undefined;
      return this.#store(section, text);
    }
    if (status === 'archived') return undefined;
    if (status === 'deleted') {
      // What somebody deleted stays deleted while the section does not change.
      if (section.action === 'keep' && !this.#returns()) return undefined;
      await changeMemory(this.#services, this.#context, memoryId, {
        type: 'restore',
        now: this.#services.clock.now(),
      });
    }
    if (text === undefined) return undefined;
    const { spaces, trustSource: source } = this.#document.good;
    const patch = {
      content: contentOf(text, section, this.#document.good),
      spaces,
      tags: tagsOfSections(this.#document.good),
      metadata: this.#metadata(),
    };
    const isAccepted = this.#isAccepted;
    await changeMemory(this.#services, this.#context, memoryId, {
      type: 'update',
      patch,
      source,
      isAccepted,
    });
    return undefined;
  }

  /** The document was deleted and is back: so are all its sections. */
  #returns(): boolean {
    return this.#document.due.size === this.#document.sections.size + this.#document.removed.size;
  }

  /** Stores the memory of a plain new section without reading its stream first. False if it is not plain, or the stream has events. */
  async #storesUnread(section: RecordedSection): Promise<boolean> {
    const text = this.#texts.get(section.revision);
    const isPlain = section.action === 'add' && !this.#isPoor(section) && this.#withoutCopies().length === 0;
    return isPlain && text !== undefined && (await this.#create(section, await this.#draft(section, text)));
  }

  async #store(section: RecordedSection, text: string): Promise<Outcome> {
    if (this.#isPoor(section)) return { reason: 'low-quality' };
    const draft = await this.#draft(section, text);
    const single = this.#withoutCopies();
    if (single.length > 0) {
      const same = await this.#saidAlready(section, draft.value);
      if (same !== undefined) return { reason: 'duplicate', of: same };
      const fact = { ...draft, duplicates: 'affirm' as const, subject: undefined };
      const stored = await storeInSpaces(this.#services, this.#context, fact, single, section.memoryId);
      return stored?.affirmed ? { reason: 'duplicate', of: stored.snapshot.state.value.id } : undefined;
    }
    await this.#create(section, draft);
    return undefined;
  }

  /** A memory that says the same in other words, in a space of the document that collects duplicates. */
  #saidAlready({ memoryId: id, kind }: RecordedSection, value: Draft['value']): Promise<string | undefined> {
    const within = { caller: this.#context.caller, spaces: this.#spaces };
    return saidAlready(this.#services, this.#findSame, within, { ...value, id }, kind);
  }

  /** False if another run has stored it. */
  async #create({ memoryId }: RecordedSection, draft: Draft): Promise<boolean> {
    return (await storeUnclaimed(this.#services, this.#context, draft, memoryId)) !== undefined;
  }

  async #draft(section: RecordedSection, text: string): Promise<Draft> {
    const { layer, scope, spaces, createdBy, documentId, trustSource, occurredAt } = this.#document.good;
    const at = section.at ?? occurredAt;
    const placed: Omit<MemoryValue, 'id'> = {
      content: contentOf(text, section, this.#document.good),
      layer,
      scope,
      spaces,
      tags: tagsOfSections(this.#document.good),
      metadata: this.#metadata(),
      representations: {},
      createdBy,
      documentId,
      ...(at !== undefined && { occurredAt: at }),
    };
    const value = {
      ...placed,
      ...(await checkEntry(this.#services, this.#context, placed, {
        source: trustSource,
        isAccepted: this.#isAccepted,
      })),
    };
    return {
      value,
      key: newMemoryKey(this.#services, this.#context, {}, value),
      inTurn: (append) => append(),
    };
  }

  /** Whether somebody has overruled the types and metadata that its spaces accept. */
  get #isAccepted(): boolean {
    return this.#document.accepts.has('not-accepted');
  }

  #isPoor({ quality }: RecordedSection): boolean {
    return quality < this.#threshold() && !this.#document.accepts.has('low-quality');
  }

  /** Spaces of the document that store each text only once. */
  #withoutCopies(): readonly string[] {
    const { accepts, good } = this.#document;
    return accepts.has('duplicate') ? [] : withoutCopies(this.#spaces, good.spaces);
  }

  #metadata(): JsonObject {
    const { metadata, contentType, programmingLanguage, source } = this.#document.good;
    return {
      content_type: contentType,
      ...(programmingLanguage !== undefined && { programming_language: programmingLanguage }),
      ...(source !== undefined && { source }),
      ...metadata,
    };
  }

  /** The highest threshold of its configured spaces. */
  #threshold(): number {
    const configured = this.#document.good.spaces.flatMap(
      (label) => this.#spaces.configured.get(label) ?? [],
    );
    if (configured.length === 0) return defaultThreshold;
    return Math.max(...configured.map(({ config }) => config.qualityThreshold));
  }

  async #delete(memoryId: string): Promise<void> {
    const until = retentionUntil(this.#services.clock.now());
    await changeMemory(this.#services, this.#context, memoryId, { type: 'delete', retentionUntil: until });
  }
}

/** Why a section is skipped; undefined for an error that says nothing about it. */
function skipReasonOf(error: unknown): SkipReason | undefined {
  if (!(error instanceof Problem)) return undefined;
  switch (error.code) {
    case 'personal-data-refused':
    case 'space-quota-exceeded':
    case 'content-too-large':
    case 'retention-over':
    case 'awaits-review':
      return 'refused';
    case 'validation-failed':
      return 'not-accepted';
    default:
      return undefined;
  }
}
