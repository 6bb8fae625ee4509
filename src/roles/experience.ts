import { o200k } from '../adapters/tokenizer/o200k.ts';
import { readRoutingSettings } from '../commands/configure-routing.ts';
import type { CommandServices } from '../commands/context.ts';
import type { Ledger } from '../commands/ledger/ledger.ts';
import type { Reactor } from '../follow/reactor.ts';
import { LessonReader } from '../queries/experience/lesson-reader.ts';
import { TraceReader } from '../queries/experience/trace-reader.ts';
import { TracesNaming } from '../queries/experience/traces-naming.ts';
import { LessonReactor, type LessonReads } from '../reactors/lesson-reactor.ts';
import { LessonWriter } from '../reactors/lesson-writer.ts';
import { traceReactor } from '../reactors/trace-reactor.ts';
import { traceOutcomes } from '../reactors/trace-outcomes.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';
import { readModelWaitMs as waitMs, startReactor } from './start-processor.ts';
import { openWritingModel } from './writing-model.ts';

interface ExperienceServices extends Pick<ReadSide, 'models' | 'embedders'> {
  readonly services: CommandServices;
  readonly store: CommandSide['store'];
  readonly ledger: Ledger;
}

/** Follows the attempts that callers record: erases them with their memories, and draws lessons from them. */
export function startExperience(
  own: Process,
  { services, store, models, embedders, ledger }: ExperienceServices,
): void {
  const start = (reactor: Reactor, message: string) => startReactor(own, store, reactor, message);
  const naming = new TracesNaming(models, store);
  const tracesNaming = (tenant: string, memoryIds: readonly string[], minPosition: number) =>
    naming.of(tenant, memoryIds, { minPosition, waitMs });
  start(
    traceReactor({ services, tracesNaming }, systemCommandContext('traces')),
    'the erasure of a trace failed and will be retried',
  );
  const traces = new TraceReader(models, embedders);
  const lessons = new LessonReader(models);
  const reads: LessonReads = {
    attemptsLike: (tenant, query, placement, minPosition) =>
      traces.attemptsLike(tenant, query, placement, { minPosition, waitMs }),
    attempts: (tenant, ids, minPosition) => traces.attempts(tenant, ids, { minPosition, waitMs }),
    drawnFrom: (tenant, ids, minPosition, placement) =>
      lessons.drawnFrom(tenant, ids, { ...(placement && { placement }), minPosition, waitMs }),
  };
  start(
    traceOutcomes(services, systemCommandContext('trace-outcomes')),
    'the outcome of a trace could not be recorded and will be retried',
  );
  start(
    new LessonReactor(
      { services, reads, writer: lessonWriter(own, store, { ledger, spaces: services.spaces }) },
      systemCommandContext('lessons'),
    ),
    'a lesson could not be drawn and will be retried',
  );
}

/** Undefined if no language model may write lessons. */
function lessonWriter(
  own: Process,
  store: CommandSide['store'],
  paying: { readonly ledger: Ledger; readonly spaces: CommandServices['spaces'] },
): LessonWriter | undefined {
  const parts = own.config.writtenLessons ? openWritingModel(own, paying, 'lessons') : undefined;
  const isAllowed = async (tenant: string) => (await readRoutingSettings(store, tenant)).languageModel;
  return parts && new LessonWriter({ ...parts, tokenizer: o200k, isAllowed });
}
