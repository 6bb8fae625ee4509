import { causedBy, type CommandContext, type CommandServices } from '../commands/context.ts';
import { forgetLesson, learnLesson } from '../commands/experience/learn-lesson.ts';
import type { Placement } from '../domain/access/visibility.ts';
import type { LearnedLesson, TraceEvent } from '../domain/experience/events.ts';
import { findingsOf, lessonOf, rules, type Attempt, type Findings } from '../domain/experience/lessons.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { ReactorContext, Reactor } from '../follow/reactor.ts';
import type { LessonWriter } from './lesson-writer.ts';

type Followed = LoadedEvent<TraceEvent>;

/** What the read models know; each call waits for a position. */
export interface LessonReads {
  readonly attemptsLike: (
    tenant: string,
    query: string,
    placement: Placement,
    minPosition: number,
  ) => Promise<readonly Attempt[]>;
  readonly attempts: (
    tenant: string,
    ids: readonly string[],
    minPosition: number,
  ) => Promise<readonly Attempt[]>;
  readonly drawnFrom: (
    tenant: string,
    traceIds: readonly string[],
    minPosition: number,
    placement?: Placement,
  ) => Promise<readonly DrawnLesson[]>;
}

interface DrawnLesson extends Placement {
  readonly lessonId: string;
  readonly traceIds: readonly string[];
}

export interface LessonReactorParts {
  readonly services: CommandServices;
  readonly reads: LessonReads;
  /** Absent without a language model: the rules write all lessons. */
  readonly writer?: LessonWriter | undefined;
}

type Texts = Omit<LearnedLesson, 'lessonId' | 'layer' | 'scope' | 'traceIds'>;
type Write = (findings: Findings) => Promise<Texts>;

/**
 * Draws lessons from the attempts of callers: after each attempt from all at similar questions in exactly the same scope, so that a
 * lesson never mixes users. Lessons that turn out to be about the same questions become one. When an attempt is erased, its lesson is
 * drawn again from those that are left, by rules alone: an erasure waits for no language model.
 */
export class LessonReactor implements Reactor {
  readonly name = 'lesson-updates';
  readonly handles = ['ReasoningTraceRecorded', 'ReasoningTraceErased'] as const;
  // Nobody waits for a lesson, and several attempts at a question make one.
  readonly lingerMs = 200;
  readonly #parts: LessonReactorParts;
  readonly #context: CommandContext;
  /**
   * Position of the last lesson, which reads of lessons include. At the start of each term it is the head of the log: another process may
   * have written lessons before.
   */
  #written = 0;
  #term: AbortSignal | undefined;

  constructor(parts: LessonReactorParts, context: CommandContext) {
    this.#parts = parts;
    this.#context = context;
  }

  async handle(events: readonly LoadedEvent[], { signal }: ReactorContext): Promise<void> {
    if (this.#term !== signal) {
      this.#written = await this.#parts.services.store.log.head();
      this.#term = signal;
    }
    const followed = events as readonly Followed[];
    // All reads include the whole batch, so no attempt that is erased in it is learned from, and erasures can come first.
    const upTo = followed.at(-1)?.position ?? 0;
    for (const loaded of followed)
      if (loaded.event.type === 'ReasoningTraceErased')
        await this.#withoutTrace(loaded, loaded.event.data.traceId, upTo);
    for (const loaded of followed) {
      const { event, erased } = loaded;
      if (event.type === 'ReasoningTraceRecorded' && !erased && event.data.origin === 'caller')
        await this.#withTrace(loaded, event.data, upTo, signal);
    }
  }

  async #withTrace(
    loaded: Followed,
    { traceId, layer, scope, query, space }: Extract<TraceEvent, { type: 'ReasoningTraceRecorded' }>['data'],
    upTo: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { reads, services } = this.#parts;
    const { tenant } = loaded.metadata;
    const placement = { layer, scope };
    const similar = await reads.attemptsLike(tenant, query, placement, upTo);
    const ids = similar.map(({ id }) => id);
    // An attempt that was erased meanwhile teaches nothing.
    if (!ids.includes(traceId)) return;
    const known = await reads.drawnFrom(tenant, ids, this.#including(upTo), placement);
    const [first, ...others] = known;
    const context = causedBy(this.#context, loaded);
    const sources = [...new Set([...ids, ...known.flatMap((lesson) => lesson.traceIds)])];
    const lessonId = first?.lessonId ?? traceId;
    await this.#draw(
      context,
      { lessonId, ...placement, traceIds: sources },
      {
        minPosition: upTo,
        isKnown: first !== undefined,
        write: (findings) =>
          this.#write(context, { id: `${loaded.id}/${lessonId}`, layer, findings, space }, signal),
      },
    );
    for (const { lessonId } of others) this.#wrote(await forgetLesson(services, context, lessonId, 'merged'));
  }

  async #withoutTrace(loaded: Followed, traceId: string, upTo: number): Promise<void> {
    const { tenant } = loaded.metadata;
    for (const lesson of await this.#parts.reads.drawnFrom(tenant, [traceId], this.#including(upTo)))
      await this.#draw(causedBy(this.#context, loaded), lesson, {
        minPosition: upTo,
        isKnown: true,
        write: (findings) => Promise.resolve({ ...lessonOf(findings), model: rules }),
      });
  }

  /** Draws a lesson from those of its traces that are still there. */
  async #draw(
    context: CommandContext,
    { lessonId, layer, scope, traceIds }: DrawnLesson,
    {
      minPosition,
      isKnown,
      write,
    }: { readonly minPosition: number; readonly isKnown: boolean; readonly write: Write },
  ): Promise<void> {
    const { reads, services } = this.#parts;
    const attempts = await reads.attempts(context.caller.tenant, traceIds, minPosition);
    const findings = findingsOf(attempts);
    if (findings) {
      const own = { lessonId, layer, scope: { ...scope }, traceIds: attempts.map(({ id }) => id).sort() };
      this.#wrote(await learnLesson(services, context, own, () => write(findings)));
    } else if (isKnown) this.#wrote(await forgetLesson(services, context, lessonId, 'erased'));
  }

  /** The texts of the language model, or those of the rules with the reason. What is recommended is decided by the rules. */
  async #write(
    context: CommandContext,
    job: Parameters<LessonWriter['write']>[1],
    signal: AbortSignal,
  ): Promise<Texts> {
    const byRules = { ...lessonOf(job.findings), model: rules };
    const written = await this.#parts.writer?.write(context, job, signal);
    if (written === undefined) return byRules;
    return 'fallback' in written
      ? { ...byRules, ...written }
      : { ...byRules, ...written, cited: [...written.cited] };
  }

  #wrote(position: number): void {
    this.#written = Math.max(this.#written, position);
  }

  #including(position: number): number {
    return Math.max(position, this.#written);
  }
}
