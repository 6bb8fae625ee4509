import { canonicalJson } from '../../domain/json.ts';
import type { LearnedLesson, LessonEvent } from '../../domain/experience/events.ts';
import { lessonStream } from '../../domain/streams.ts';
import { WrongExpectedRevision } from '../../ports/event-log.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { eventContext, type CommandContext, type CommandServices } from '../context.ts';

/** Which attempts a lesson is drawn from. */
export type LessonSources = Pick<LearnedLesson, 'lessonId' | 'layer' | 'scope' | 'traceIds'>;

/**
 * Records a lesson, or its new version if its attempts are others now; only then `write` is called, at most once. Each version has a
 * key of its own; that of the version before is destroyed. Resolves with the position of the lesson's last event. Idempotent.
 */
export async function learnLesson(
  services: CommandServices,
  context: CommandContext,
  sources: LessonSources,
  write: () => Promise<Omit<LearnedLesson, keyof LessonSources>>,
): Promise<number> {
  const { store, vault, newId } = services;
  const { tenant } = context.caller;
  const stream = lessonStream(tenant, sources.lessonId);
  let written: LearnedLesson | undefined;
  for (;;) {
    const loaded = await store.load<LessonEvent>(stream);
    const last = loaded.at(-1);
    const isCurrent = last !== undefined && isDrawnFrom(last, sources);
    const replaced = isCurrent ? loaded.at(-2) : last;
    let position = last?.position ?? 0;
    if (!isCurrent) {
      written ??= { ...sources, ...(await write()) };
      const key = {
        tenant,
        id: `lesson.${newId()}`,
        subject: vault.pseudonym('subject', tenant, sources.scope.user ?? tenant),
      };
      const event: LessonEvent = { type: last ? 'LessonRevised' : 'LessonLearned', data: written };
      try {
        const appended = await store.append(stream, last?.revision ?? 'noStream', [event], {
          ...eventContext(context, key),
          keyIsNew: true,
        });
        position = appended.position;
      } catch (error) {
        if (error instanceof WrongExpectedRevision) continue;
        throw error;
      }
    }
    if (replaced?.metadata.keyId !== undefined) await vault.destroy(tenant, replaced.metadata.keyId);
    return position;
  }
}

/** Whether this version of a lesson is still there and drawn from exactly these attempts. */
function isDrawnFrom({ event, erased }: LoadedEvent<LessonEvent>, sources: LessonSources): boolean {
  if (erased || event.type === 'LessonForgotten') return false;
  const { lessonId, layer, scope, traceIds } = event.data;
  return canonicalJson({ lessonId, layer, scope, traceIds }) === canonicalJson(sources);
}

/** Records that a lesson holds no longer, and destroys its key. Resolves with the position of its last event. Idempotent. */
export async function forgetLesson(
  services: CommandServices,
  context: CommandContext,
  lessonId: string,
  reason: Extract<LessonEvent, { type: 'LessonForgotten' }>['data']['reason'],
): Promise<number> {
  const { store, vault } = services;
  const { tenant } = context.caller;
  const stream = lessonStream(tenant, lessonId);
  for (;;) {
    const loaded = await store.load<LessonEvent>(stream);
    const last = loaded.at(-1);
    if (!last) return 0;
    if (last.event.type === 'LessonForgotten') {
      await vault.destroy(tenant, last.event.data.keyId);
      return last.position;
    }
    const keyId = last.metadata.keyId ?? '';
    try {
      const data = { lessonId, keyId, reason };
      const { position } = await store.append(
        stream,
        last.revision,
        [{ type: 'LessonForgotten', data }],
        eventContext(context),
      );
      await vault.destroy(tenant, keyId);
      return position;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
  }
}
