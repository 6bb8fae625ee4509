import type { CommandContext, CommandServices } from '../commands/context.ts';
import { forgetLesson, learnLesson } from '../commands/experience/learn-lesson.ts';
import type { Placement } from '../domain/access/visibility.ts';
import type { TraceEvent } from '../domain/experience/events.ts';
import { lessonOf, type Attempt } from '../domain/experience/lessons.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { ProcessManager } from '../processors/process-manager.ts';

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

export interface LessonManagerParts {
  readonly services: CommandServices;
  readonly reads: LessonReads;
}

/**
 * Draws lessons from the attempts of callers: after each attempt from all at similar questions in exactly the same scope, so that a
 * lesson never mixes users. Lessons that turn out to be about the same questions become one. When an attempt is erased, its lesson is
 * drawn again from those that are left.
 */
export class LessonManager implements ProcessManager {
  readonly name = 'lessons';
  readonly handles = ['ReasoningTraceRecorded', 'ReasoningTraceErased'] as const;
  // Nobody waits for a lesson, and several attempts at a question make one.
  readonly lingerMs = 200;
  readonly #parts: LessonManagerParts;
  readonly #context: CommandContext;
  /** Position that reads of lessons include: of the last one, which may be of a process that was killed. */
  #written: number | undefined;

  constructor(parts: LessonManagerParts, context: CommandContext) {
    this.#parts = parts;
    this.#context = context;
  }

  async handle(events: readonly LoadedEvent[]): Promise<void> {
    this.#written ??= await this.#parts.services.store.log.head();
    for (const loaded of events as readonly Followed[]) {
      const { event, erased } = loaded;
      if (event.type === 'ReasoningTraceErased') await this.#withoutTrace(loaded, event.data.traceId);
      else if (event.type === 'ReasoningTraceRecorded' && !erased && event.data.origin === 'caller')
        await this.#withTrace(loaded, event.data);
    }
  }

  async #withTrace(
    loaded: Followed,
    { traceId, layer, scope, query }: Extract<TraceEvent, { type: 'ReasoningTraceRecorded' }>['data'],
  ): Promise<void> {
    const { reads, services } = this.#parts;
    const { tenant } = loaded.metadata;
    const placement = { layer, scope };
    const similar = await reads.attemptsLike(tenant, query, placement, loaded.position);
    const ids = similar.map(({ id }) => id);
    // Of an attempt that was erased meanwhile there is nothing to learn.
    if (!ids.includes(traceId)) return;
    const known = await reads.drawnFrom(tenant, ids, this.#upTo(loaded), placement);
    const [first, ...others] = known;
    const context = this.#contextOf(loaded);
    const sources = [...new Set([...ids, ...known.flatMap((lesson) => lesson.traceIds)])];
    await this.#draw(
      context,
      { lessonId: first?.lessonId ?? traceId, ...placement, traceIds: sources },
      {
        minPosition: loaded.position,
        isKnown: first !== undefined,
      },
    );
    for (const { lessonId } of others) this.#wrote(await forgetLesson(services, context, lessonId, 'merged'));
  }

  async #withoutTrace(loaded: Followed, traceId: string): Promise<void> {
    const { tenant } = loaded.metadata;
    for (const lesson of await this.#parts.reads.drawnFrom(tenant, [traceId], this.#upTo(loaded)))
      await this.#draw(this.#contextOf(loaded), lesson, { minPosition: loaded.position, isKnown: true });
  }

  /** Draws a lesson from those of its traces that are still there. */
  async #draw(
    context: CommandContext,
    { lessonId, layer, scope, traceIds }: DrawnLesson,
    { minPosition, isKnown }: { readonly minPosition: number; readonly isKnown: boolean },
  ): Promise<void> {
    const { reads, services } = this.#parts;
    const attempts = await reads.attempts(context.caller.tenant, traceIds, minPosition);
    const lesson = lessonOf(attempts);
    if (lesson) {
      const own = { lessonId, layer, scope: { ...scope }, traceIds: attempts.map(({ id }) => id).sort() };
      this.#wrote(await learnLesson(services, context, { ...own, ...lesson }));
    } else if (isKnown) this.#wrote(await forgetLesson(services, context, lessonId, 'erased'));
  }

  #wrote(position: number): void {
    this.#written = Math.max(this.#written ?? 0, position);
  }

  #upTo({ position }: Followed): number {
    return Math.max(position, this.#written ?? 0);
  }

  #contextOf({ id, metadata }: Followed): CommandContext {
    const { tenant, correlationId } = metadata;
    return {
      ...this.#context,
      caller: { ...this.#context.caller, tenant },
      correlationId,
      causationId: id,
    };
  }
}
