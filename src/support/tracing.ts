import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';

/** Set while the process records traces. Without it, nothing here does or keeps anything. */
let tracer: Tracer | undefined;

/** Begins to record the spans of this process, or ends it. */
export function recordSpansWith(given: Tracer | undefined): void {
  tracer = given;
}

export interface TracedWork extends Omit<SpanOptions, 'root'> {
  readonly name: string;
  /** The context that the span belongs to; by default that of the work under way. */
  readonly parent?: Context;
}

/**
 * Does work within a span, which ends when the promise settles. A rejection marks it with the name of the error alone, because messages may
 * quote content. `work` gets no span where none is recorded.
 */
export async function inSpan<T>(
  { name, parent = context.active(), ...options }: TracedWork,
  work: (span?: Span) => Promise<T>,
): Promise<T> {
  if (!tracer) return work();
  return tracer.startActiveSpan(name, options, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      markFailed(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The same for a part of other work: on its own, such as a poll of an idle process, it is not recorded. */
export async function inPartialSpan<T>(what: TracedWork, work: (span?: Span) => Promise<T>): Promise<T> {
  return tracer && trace.getActiveSpan() ? inSpan(what, work) : work();
}

function markFailed(span: Span, error: unknown): void {
  const type = error instanceof Error ? error.name : typeof error;
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Where a span is, as events keep it. */
export interface TracePlace {
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
}

/** The place of the span that the work under way belongs to; undefined if none is recorded. */
export function currentPlace(): { readonly traceId: string; readonly spanId: string } | undefined {
  const span = tracer && trace.getActiveSpan()?.spanContext();
  if (!span || !isSpanContextValid(span) || (span.traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  return { traceId: span.traceId, spanId: span.spanId };
}

/** The trace of the work under way, also if nothing of it is recorded because a sampler left it out; undefined without traces. */
export function currentTraceId(): string | undefined {
  const span = tracer && trace.getActiveSpan()?.spanContext();
  return span && isSpanContextValid(span) ? span.traceId : undefined;
}

const mostLinks = 32;

/**
 * How work that goes on after an answer is traced: in the trace of its events if they all have the same one, otherwise in a trace of its
 * own with links to theirs. Undefined if none of them is part of a recorded trace: then the work is not recorded either, as a sampler
 * decided for the request.
 */
export function continuing(places: Iterable<TracePlace>): Pick<TracedWork, 'parent' | 'links'> | undefined {
  const known = new Map<string, SpanContext>();
  for (const place of places) {
    const span = spanAt(place);
    if (!span || known.has(span.traceId)) continue;
    known.set(span.traceId, span);
    if (known.size === mostLinks) break;
  }
  const spans = [...known.values()];
  const [only] = spans;
  if (!only) return undefined;
  if (spans.length === 1) return { parent: trace.setSpanContext(ROOT_CONTEXT, only) };
  return { parent: ROOT_CONTEXT, links: spans.map((span): Link => ({ context: span })) };
}

/** Runs queued work within the trace of the request that queued it. */
export function atPlace<T>(place: TracePlace, work: () => T): T {
  if (!tracer) return work();
  const span = spanAt(place);
  return context.with(span ? trace.setSpanContext(ROOT_CONTEXT, span) : ROOT_CONTEXT, work);
}

/** The same items. Each is produced within the current trace, even if it is consumed outside of it. */
export function inThisTrace<T>(items: AsyncIterable<T>): AsyncIterable<T> {
  if (!tracer) return items;
  const current = context.active();
  return {
    [Symbol.asyncIterator]() {
      const iterator = context.with(current, () => items[Symbol.asyncIterator]());
      return {
        next: () => context.with(current, () => iterator.next()),
        return: (value) =>
          context.with(current, () => iterator.return?.(value) ?? Promise.resolve({ done: true, value })),
      };
    },
  };
}

function spanAt({ traceId, spanId }: TracePlace): SpanContext | undefined {
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

/** Whether spans are recorded. */
export const isTracing = (): boolean => tracer !== undefined;
