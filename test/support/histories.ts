import * as fc from 'fast-check';
import { v7 as uuid } from 'uuid';
import { archiveMemory, unarchiveMemory } from '../../src/commands/archive-memory.ts';
import { changeMemory } from '../../src/commands/change-memory.ts';
import { reviewMemory } from '../../src/commands/trust/review-memory.ts';
import { deleteMemory, restoreMemory } from '../../src/commands/delete-memory.ts';
import { eraseMemory } from '../../src/commands/erase-memory.ts';
import { eraseTrace } from '../../src/commands/experience/erase-trace.ts';
import { recordSearchTrace } from '../../src/commands/experience/record-search-trace.ts';
import { recordTrace, recordTraceInput } from '../../src/commands/experience/record-trace.ts';
import { resolveTrace } from '../../src/commands/experience/resolve-trace.ts';
import { giveFeedback } from '../../src/commands/give-feedback.ts';
import { linkMemories, unlinkMemories } from '../../src/commands/link-memories.ts';
import { recordUse } from '../../src/commands/outcomes/record-use.ts';
import { recordAuditRead } from '../../src/commands/record-audit-read.ts';
import { storeMemory, storeMemoryInput } from '../../src/commands/store-memory.ts';
import { updateMemory } from '../../src/commands/update-memory.ts';
import {
  commandServices,
  eventContext,
  type CommandContext,
  type CommandServices,
} from '../../src/commands/context.ts';
import { traceOutcomes } from '../../src/domain/experience/trace.ts';
import { linkTypes } from '../../src/domain/links/links.ts';
import { Problem } from '../../src/domain/problems.ts';
import { feedbackKinds } from '../../src/domain/retrieval/events.ts';
import { signSearchId } from '../../src/domain/retrieval/search-id.ts';
import { outcomeStream, retrievalStream } from '../../src/domain/streams.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { TestStore } from './event-store.ts';

const words = fc
  .array(fc.constantFrom('tea', 'Bob:', 'kettle', 'the', 'running', 'böiler', '1.27', 'Zürich', 'x'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((list) => list.join(' '));
const names = fc.uniqueArray(fc.constantFrom('recipes', 'notes', 'ä'), { maxLength: 2 });
/** Chooses one of the tenant's memories so far. */
const pick = fc.nat(30);
const linkType = fc.constantFrom(...linkTypes.slice(0, 3));
const tenant = fc.constantFrom('acme', 'globex');
const speaker = fc.constantFrom(null, 'Ada', 'user');

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('store' as const),
      tenant,
      layer: fc.constantFrom('user' as const, 'team' as const, 'company' as const),
      words,
      spaces: names,
      tags: names,
      externalId: fc.option(fc.constantFrom('e1', 'e2')),
      session: fc.option(fc.constantFrom('s1', 's2')),
      occurredAt: fc.option(fc.constantFrom('2025-03-01T12:00:00Z', '2025-03-01T12:00:00.123456Z')),
      speaker,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      tenant,
      pick,
      words: fc.option(words),
      spaces: fc.option(names),
      metadata: fc.option(fc.record({ rating: fc.nat(2), speaker })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('delete' as const, 'restore' as const, 'archive' as const, 'unarchive' as const),
      tenant,
      pick,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('hold' as const),
      tenant,
      pick,
      state: fc.constantFrom('trusted' as const, 'quarantined' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('review' as const),
      tenant,
      pick,
      decision: fc.constantFrom('approve' as const, 'reject' as const, 'undo' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), tenant, pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('link' as const, 'unlink' as const),
      tenant,
      pick,
      target: pick,
      type: linkType,
      confidence: fc.constantFrom(0, 0.25, 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('feedback' as const),
      tenant,
      pick,
      of: fc.constantFrom(...feedbackKinds),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('trace' as const),
      tenant,
      pick,
      words,
      outcome: fc.constantFrom(...traceOutcomes),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('search' as const),
      tenant,
      words,
      found: fc.uniqueArray(pick, { maxLength: 4 }),
      /** Qualities of the outcomes that its caller posts, one after another. */
      outcomes: fc.array(fc.constantFrom(0, 0.3, 1), { maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('audit' as const), tenant }) },
);

export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Actions of a few users of two tenants, in sequence. Refused actions have no effect. */
export const steps: fc.Arbitrary<readonly Step[]> = fc.array(step, {
  minLength: 10,
  maxLength: 45,
  size: 'max',
});

const sharedPassage = 'The kitchen keeps its knives dry, and counts them in the evening. '.repeat(12).trim();

/** Executes steps with the program's commands. Each text contains a unique word, `only<n>`, by which it can be found. */
export class HistoryWriter {
  readonly #test: TestStore;
  readonly #services: CommandServices;
  readonly #memories = new Map<string, string[]>();
  /** The last search of each tenant, which feedback is about. */
  readonly #searches = new Map<string, string>();
  /** The unique words that each memory has contained, by memory id. */
  readonly words = new Map<string, string[]>();
  readonly erased = new Set<string>();
  /** The traces that name each memory. */
  readonly #traces = new Map<string, string[]>();
  #texts = 0;

  constructor(test: TestStore) {
    this.#test = test;
    this.#services = commandServices({
      store: test.store,
      vault: test.vault,
      clock: systemClock,
      newId: uuid,
    });
  }

  async write(step: Step): Promise<void> {
    try {
      await this.#write(step);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  async #write(step: Step): Promise<void> {
    const services = this.#services;
    const context = contextOf(step.tenant);
    if (step.kind === 'store') return this.#store(context, step);
    if (step.kind === 'search') return this.#search(context, step);
    if (step.kind === 'audit') return recordAuditRead(services, context, { what: 'events', items: 1 });
    const id = this.#pick(step.tenant, step.pick);
    if (id === undefined) return;
    switch (step.kind) {
      case 'update': {
        const content = step.words === null ? undefined : this.#text(step.words, id);
        const { spaces, metadata } = step;
        const patch = { content, ...(spaces && { spaces }), ...(metadata && { metadata }) };
        return void (await updateMemory(services, context, id, patch, '*'));
      }
      case 'hold': {
        const trust = { source: 'web' as const, state: step.state, flags: [] };
        return void (await changeMemory(services, context, id, { type: 'flag', trust }));
      }
      case 'review': {
        // Another person than the one who writes.
        const caller = { ...context.caller, principal: 'key:2', user: 'bob' };
        const { decision } = step;
        return void (await reviewMemory(services, { ...context, caller }, { memoryId: id, decision }));
      }
      case 'delete':
        return void (await deleteMemory(services, context, id, undefined));
      case 'restore':
        return void (await restoreMemory(services, context, id, undefined));
      case 'archive':
        return void (await archiveMemory(services, context, id, undefined));
      case 'unarchive':
        return void (await unarchiveMemory(services, context, id, undefined));
      case 'erase':
        await eraseMemory(services, context, id);
        this.erased.add(id);
        for (const traceId of this.#traces.get(id) ?? [])
          await eraseTrace(services, context, { traceId, memoryId: id });
        return;
      case 'trace': {
        const { words: query, outcome } = step;
        const attempt = { query, approach: 'search', outcome, memoriesUsed: [id] };
        const { trace } = await recordTrace(services, context, recordTraceInput.parse(attempt));
        this.#traces.set(id, [...(this.#traces.get(id) ?? []), trace.id]);
        return;
      }
      case 'feedback':
        return void (await giveFeedback(services, context, id, {
          kind: step.of,
          searchId: this.#searches.get(step.tenant),
        }));
      case 'link':
      case 'unlink': {
        const target = this.#pick(step.tenant, step.target)!;
        if (step.kind === 'unlink') await unlinkMemories(services, context, id, step.type, target);
        else await linkMemories(services, context, id, step.type, target, step.confidence);
        return;
      }
      default:
        return step satisfies never;
    }
  }

  async #store(context: CommandContext, step: Extract<Step, { kind: 'store' }>): Promise<void> {
    const { layer, spaces, tags, externalId, session, occurredAt, speaker } = step;
    const scope = {
      user: 'alice',
      ...(layer === 'team' && { team: 'kitchen' }),
      ...(session && { session }),
    };
    const content = this.#text(step.words);
    const input = {
      content,
      layer,
      scope,
      spaces,
      tags,
      metadata: { speaker, mark: content.split(' ').at(-1)! },
      ...(externalId !== null && { externalId }),
      ...(occurredAt !== null && { occurredAt }),
    };
    const { snapshot } = await storeMemory(this.#services, context, storeMemoryInput.parse(input));
    const { id } = snapshot.state.value;
    const present = this.#memories.get(step.tenant) ?? [];
    this.#memories.set(step.tenant, [...present, id]);
    this.words.set(id, [content.split(' ').at(-1)!]);
  }

  /** Records a search like the search service, but immediately. */
  async #search(context: CommandContext, step: Extract<Step, { kind: 'search' }>): Promise<void> {
    const id = uuid();
    const searchId = signSearchId(this.#test.vault, context.caller, id);
    this.#searches.set(step.tenant, searchId);
    const found = step.found.map((n) => this.#pick(step.tenant, n)).filter((id) => id !== undefined);
    const memoryIds = [...new Set(found)];
    const subject = this.#test.vault.pseudonym('subject', step.tenant, 'alice');
    const key = { tenant: step.tenant, id: `retrieval.${subject}`, subject };
    await this.#test.store.append(
      retrievalStream(step.tenant, id),
      'any',
      [
        {
          type: 'SearchPerformed',
          data: {
            searchId,
            topK: 10,
            threshold: 0.7,
            order: 'relevance',
            readPosition: 0,
            results: memoryIds.map((memoryId, index) => ({
              memoryId,
              rank: index + 1,
              relevance: 0.8,
              score: 0.892,
            })),
            warnings: [],
            durationMs: 1,
            route: 'standard',
            query: step.words,
          },
        },
        { type: 'MemoriesAccessed', data: { searchId, how: 'search', memoryIds } },
      ],
      eventContext(context, key),
    );
    const experience = { bucket: 'levels-0000', arm: 'default', applied: true, explored: false };
    const trace = { traceId: id, searchId, memoryIds, query: step.words, approach: 'default', experience };
    await recordSearchTrace(this.#services, context, trace);
    for (const quality of step.outcomes) {
      const used = quality > 0 ? { kind: 'used' as const, quality } : { kind: 'ignored' as const };
      await this.#test.store.append(
        outcomeStream(step.tenant, id),
        'any',
        [{ type: 'OutcomeObserved', data: { searchId, source: 'caller', memoryIds: [], ...used } }],
        eventContext(context, key),
      );
      const memoryIdsUsed = quality > 0 ? memoryIds.slice(0, 1) : [];
      await recordUse(this.#services, context, id, [
        { kind: used.kind, source: 'caller', memoryIds: memoryIdsUsed },
      ]);
      await resolveTrace(this.#services, context, id);
    }
  }

  #pick(tenant: string, n: number): string | undefined {
    const present = this.#memories.get(tenant) ?? [];
    return present[n % Math.max(1, present.length)];
  }

  #text(text: string, id?: string): string {
    const word = `only${++this.#texts}`;
    if (id !== undefined) this.words.get(id)!.push(word);
    // A long text has passages. The first one is the same in all long texts.
    const isLong = this.#texts % 3 === 0;
    return isLong ? `${sharedPassage}\n\n${`${text}. `.repeat(40)}\n\n${text} ${word}` : `${text} ${word}`;
  }
}

function contextOf(tenant: string): CommandContext {
  const noGroups = { orgs: [], projects: [], sessions: [], agents: [] };
  const caller = {
    tenant,
    principal: 'key:1',
    roles: ['admin'] as const,
    user: 'alice',
    teams: ['kitchen'],
    ...noGroups,
  };
  return { caller, cause: 'user', correlationId: 'request' };
}
