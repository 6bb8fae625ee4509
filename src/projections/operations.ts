import type { OperationEvent } from '../domain/operation/events.ts';
import { Problem } from '../domain/problems.ts';
import type { EventContext, EventStore } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import type { GenerationChange, Switched } from './generation-change.ts';
import { dropGeneration } from './drop-generation.ts';
import { readGenerations, type GenerationRow } from './generations.ts';
import { OperatorActs } from './operator-acts.ts';
import type { ProcessorRunner } from '../follow/processor-runner.ts';
import { ReactorOperations, type ReactorStatus } from '../follow/reactor-operations.ts';
import type { EventPlace } from '../follow/parked-table.ts';
import { tablesOf } from './projection.ts';
import type { Tables } from '../read-models/table.ts';
import type { RebuildResult } from './rebuild.ts';
import { Rebuilds, type RebuildOptions } from './rebuilds.ts';
import type { ProjectionRunner } from './runner.ts';
import type { ShadowComparison } from './shadow.ts';
import { readStatus, type ProjectionStatus } from './status.ts';
import { switchWhenLevel } from './switch-when-level.ts';
import type { ParkedTexts } from './vectors/parked-texts.ts';

export interface OperationOptions {
  /** The processors of this process: they know best how far its reactors are. */
  readonly running?: readonly ProcessorRunner[];
  /** Compares the models if a new generation has vectors of another model than the live one. */
  readonly compare?: ShadowComparison;
  /** Prepares what searches need besides the tables of a generation, before they read it. */
  readonly beforeSwitch?: (generation: { readonly name: string; readonly tables: Tables }) => Promise<void>;
  /** What a read model could not take without holding its stream back. */
  readonly parkedTexts?: ParkedTexts;
  /** Called once for each error that stalls a rebuild. */
  readonly onFailure?: (projection: string, error: unknown) => void;
}

/** The event to be skipped in a parked stream. */
export type ParkedEvent = Pick<EventPlace, 'revision' | 'type'>;

/**
 * What operators do to projections and to the parked streams of reactors. Every operation is recorded as an event. Some operations would have another effect if they were
 * repeated. They are planned first: run again with the same plan and the same command, they do what is left to do, or nothing.
 */
export class ProjectionOperations {
  readonly #sql: Sql;
  readonly #store: EventStore;
  readonly #runner: ProjectionRunner;
  readonly #rebuilds: Rebuilds;
  readonly #acts: OperatorActs;
  readonly #reactors: ReactorOperations;
  readonly #beforeSwitch: OperationOptions['beforeSwitch'];
  readonly #parkedTexts: ParkedTexts | undefined;

  constructor(
    sql: Sql,
    store: EventStore,
    runner: ProjectionRunner,
    { running = [], compare, beforeSwitch, parkedTexts, onFailure }: OperationOptions = {},
  ) {
    this.#sql = sql;
    this.#store = store;
    this.#runner = runner;
    this.#acts = new OperatorActs(store);
    this.#rebuilds = new Rebuilds({ sql, store, runner, acts: this.#acts, compare, onFailure });
    this.#reactors = new ReactorOperations({ sql, log: store.log, running });
    this.#beforeSwitch = beforeSwitch;
    this.#parkedTexts = parkedTexts;
  }

  async status(): Promise<ProjectionStatus[]> {
    const states = await readStatus(this.#sql, await this.#store.log.head(), await this.#runner.holders());
    const texts = await this.#parkedTexts?.list();
    return states.map((state) => {
      const rebuilding = this.#rebuilds.progressOf(state.name);
      const parked = this.#textsOf(state.name) && texts ? [...state.parked, ...texts] : state.parked;
      return { ...state, parked, ...(rebuilding && { rebuilding }) };
    });
  }

  /** The reactors, which have no generations. */
  async reactors(): Promise<ReactorStatus[]> {
    return this.#reactors.status(await this.#store.log.head(), await this.#runner.holders());
  }

  /** See `Rebuilds.begun`. */
  begun(name: string, context: EventContext): Promise<number | undefined> {
    return this.#rebuilds.begun(name, context);
  }

  /** See `Rebuilds.start`. */
  rebuild(
    name: string,
    context: EventContext,
    options?: RebuildOptions,
  ): Promise<{ generation: number; done: Promise<RebuildResult> }> {
    return this.#rebuilds.start(name, context, options);
  }

  /** See `Rebuilds.endInterrupted`. */
  endInterrupted(context: EventContext): Promise<void> {
    return this.#rebuilds.endInterrupted(context);
  }

  stop(): Promise<void> {
    return this.#rebuilds.stop();
  }

  /** What `switch` or `rollback` would do now. Rejects with `rebuild-not-ready` if there is nothing to do. */
  async plan(operation: 'switch' | 'rollback', name: string): Promise<GenerationChange> {
    if (!this.#runner.projection(name)) throw unknownProjection(name);
    const rows = (await readGenerations(this.#sql)).filter((row) => row.name === name);
    const live = rows.find((row) => row.active);
    if (!live) throw unknownProjection(name);
    const building = rows.findLast((row) => row.state === 'building');
    if (operation === 'rollback' && building)
      return { from: building.generation, to: live.generation, ended: true };
    const state = operation === 'switch' ? 'ready' : 'standby';
    const next = rows.findLast((row) => !row.active && row.state === state);
    if (!next) throw new Problem('rebuild-not-ready', `${name} has no generation that is ${state}`);
    return { from: live.generation, to: next.generation };
  }

  /** Makes the rebuilt generation live. */
  async switch(name: string, context: EventContext, plan?: GenerationChange): Promise<Switched> {
    return this.#switchTo(name, plan ?? (await this.plan('switch', name)), false, context);
  }

  /** Ends a running rebuild, in whatever process, or makes the previous generation live again. */
  async rollback(name: string, context: EventContext, plan?: GenerationChange): Promise<Switched> {
    const change = plan ?? (await this.plan('rollback', name));
    return change.ended
      ? this.#rebuilds.end(name, change, context)
      : this.#switchTo(name, change, true, context);
  }

  /** Gives the events of a parked stream to the projection or reactor again. Rejects with `still-parked` and the reason. */
  async retry(name: string, stream: string, context: EventContext): Promise<void> {
    await this.#acts.record(name, context, {
      type: 'ParkedStreamRetried',
      data: { projection: name, stream },
    });
    await this.#retry(name, stream);
  }

  /** The event at which a stream is parked. Rejects with `not-found` if it is not parked. */
  async parkedAt(name: string, stream: string): Promise<ParkedEvent> {
    const place = await (this.#isProjection(name)
      ? this.#runner.parkedAt(name, stream).then((at) => at ?? this.#textsOf(name)?.at(stream))
      : this.#reactors.parkedAt(name, stream));
    if (!place && !this.#isProjection(name) && !(await this.#reactors.has(name))) throw unknown(name);
    if (!place) throw new Problem('not-found', `${stream} is not parked in ${name}`);
    return { revision: place.revision, type: place.type };
  }

  /** Skips the event at which a stream is parked. The rest of the stream is applied, or is parked at a later event. */
  async skip(name: string, stream: string, context: EventContext, plan?: ParkedEvent): Promise<ParkedEvent> {
    const skipped = plan ?? (await this.parkedAt(name, stream));
    await (this.#isProjection(name)
      ? this.#runner.skip(name, stream, skipped.revision)
      : this.#reactors.skip(name, stream, skipped.revision));
    await this.#textsOf(name)?.skip(stream, skipped.revision);
    await this.#acts.record(name, context, {
      type: 'ParkedEventSkipped',
      data: { projection: name, stream, ...skipped },
    });
    await this.#retry(name, stream);
    return skipped;
  }

  /**
   * Rebuilds and switches generations of older versions of the program, one after another. Drops generations that cannot be kept up to
   * date here: erased content would stay in them.
   */
  async renewStale(context: EventContext): Promise<void> {
    for (const name of await this.#runner.stale()) {
      const { done } = await this.#rebuilds.start(name, context);
      await done;
      await this.switch(name, context);
    }
    for (const row of await readGenerations(this.#sql)) {
      const projection = this.#runner.projection(row.name);
      const isComplete = row.state === 'standby' || row.state === 'ready';
      if (projection && isComplete && !this.#runner.generation(row))
        await dropGeneration(this.#sql, projection, row.generation);
    }
  }

  #isProjection(name: string): boolean {
    return this.#runner.projection(name) !== undefined;
  }

  async #retry(name: string, stream: string): Promise<void> {
    await (this.#isProjection(name) ? this.#runner.retry(name, stream) : this.#reactors.retry(name, stream));
    await this.#textsOf(name)?.retry(stream);
  }

  #textsOf(name: string): ParkedTexts | undefined {
    return name === this.#parkedTexts?.projection ? this.#parkedTexts : undefined;
  }

  async #live(name: string): Promise<GenerationRow | undefined> {
    const rows = await readGenerations(this.#sql);
    return rows.find((row) => row.name === name && row.active);
  }

  async #switchTo(
    name: string,
    { from, to }: GenerationChange,
    rollback: boolean,
    context: EventContext,
  ): Promise<Switched> {
    const switched: OperationEvent = {
      type: 'ProjectionSwitched',
      data: { projection: name, from, to, rollback },
    };
    // An earlier attempt has switched; somebody may have switched back since.
    const before = await this.#acts.recorded(name, context, switched);
    if (before) return { from, to, position: before.position };
    const rows = (await readGenerations(this.#sql)).filter((row) => row.name === name);
    const next = rows.find((row) => row.generation === to);
    if (!next?.active) {
      if (!next || !rows.some((row) => row.active && row.generation === from))
        throw new Problem('rebuild-not-ready', `${name} was switched to another generation meanwhile`);
      await this.#beforeSwitch?.({ name, tables: tablesOf(to) });
      const switching = switchWhenLevel({ sql: this.#sql, store: this.#store, runner: this.#runner }, next);
      await switching.catch(async (error: unknown) => {
        // A concurrent repetition of the command was faster.
        if (!(error instanceof Problem) || (await this.#live(name))?.generation !== to) throw error;
      });
    }
    const position = await this.#acts.record(name, context, switched);
    await this.#runner.refresh();
    return { from, to, position };
  }
}

function unknown(name: string): Problem {
  return new Problem('not-found', `there is no projection or reactor ${name}`);
}

function unknownProjection(name: string): Problem {
  return new Problem('not-found', `there is no projection ${name}`);
}
