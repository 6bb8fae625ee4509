import { trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { summaryOf } from '../../src/observability/traced-stores.ts';
import { continuing, currentPlace, inPartialSpan, inSpan } from '../../src/support/tracing.ts';

const place = (trace: number, span: number) => ({
  traceId: trace.toString(16).padStart(32, '0'),
  spanId: span.toString(16).padStart(16, '0'),
});

describe('[J7] the trace of work that events cause', () => {
  it('is that of its events if they all have the same one', () => {
    const { parent, links } = continuing([place(1, 1), {}, place(1, 2)])!;
    expect(trace.getSpanContext(parent!)).toMatchObject(place(1, 1));
    expect(links).toBeUndefined();
  });

  it('is its own, with links, if they have several, and is not recorded if they have none', () => {
    const { parent, links } = continuing([place(1, 1), place(2, 2), place(1, 3)])!;
    expect(trace.getSpanContext(parent!)).toBeUndefined();
    expect(links!.map(({ context: { traceId, spanId } }) => ({ traceId, spanId }))).toEqual([
      place(1, 1),
      place(2, 2),
    ]);
    expect(continuing([{}, { traceId: place(1, 1).traceId }])).toBeUndefined();
  });

  it('links to a bounded number of them', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => place(n + 1, n + 1));
    expect(continuing(many)!.links).toHaveLength(32);
  });
});

it('[J7] without traces, work is just done', async () => {
  expect(await inSpan({ name: 'work' }, (span) => Promise.resolve([span, currentPlace()]))).toEqual([
    undefined,
    undefined,
  ]);
  expect(await inPartialSpan({ name: 'part' }, (span) => Promise.resolve(span))).toBeUndefined();
});

it.each([
  ['select id from read.memories_3 where tenant = $1', 'select read.memories_3'],
  ['with found as (select 1 from read.words) select * from found', 'select read.words'],
  ['\n insert into control.leases as l (name) values ($1)', 'insert control.leases'],
  ['update only tlog.tree set size = $1', 'update tlog.tree'],
  ['delete from read.usage where id = any($1)', 'delete read.usage'],
  ['select pg_advisory_xact_lock(727003, hashtext($1))', 'select'],
  ['select m.id from unnest($1::text[]) as u (id) join read.memories m using (id)', 'select read.memories'],
  ['insert into read.words_g1 (a, b) select * from unnest($1)', 'insert read.words_g1'],
  ['select 1 from unnest($1) u, lateral (select * from read.words) w', 'select read.words'],
  ['checkpoint', 'statement'],
])('[I2] [J7] the name of a statement has what it does, and to which table: %s', (text, summary) => {
  expect(summaryOf(text)).toBe(summary);
});
