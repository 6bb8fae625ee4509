import { describe, expect, it } from 'vitest';
import { Robots } from '../../src/domain/sources/robots.ts';
import { backOffMs, nextDue, nextRun, scheduleSchema } from '../../src/domain/sources/schedule.ts';
import { SpaceConfigured } from '../../src/domain/spaces/events.ts';
import { readSitemap } from '../../src/domain/sources/sitemap.ts';
import {
  externalIdOf,
  goneFrom,
  isRequested,
  nextRunOf,
  stateOf,
  type Source,
} from '../../src/domain/sources/sources.ts';

const time = (text: string) => new Date(`2026-11-${text}Z`);

const configured: Source = {
  id: 'blog',
  type: 'rss',
  schedule: '@daily',
  layer: 'company',
  scope: {},
  spaces: [],
  enabled: true,
  location: 'https://blog.example.com/feed.xml',
  tags: [],
  createdBy: 'user:root',
  revision: 3,
  createdRevision: 3,
  updatedAt: time('28T09:30:00'),
};

it('a space that was configured before autoIngest decided anything holds no source', () => {
  const settings = { autoIngest: false, dedupStrategy: 'exact' };
  const data = SpaceConfigured.upcasters[2]!({ spaceId: 'quiet', settings, sources: [] });
  expect(data).toEqual({ spaceId: 'quiet', settings: { ...settings, autoIngest: true }, sources: [] });
});

describe('a schedule', () => {
  it.each([
    ['@hourly', '2026-11-28T10:00:00.000Z'],
    ['@daily', '2026-11-29T00:00:00.000Z'],
    ['@weekly', '2026-11-29T00:00:00.000Z'],
    ['@monthly', '2026-12-01T00:00:00.000Z'],
    ['@quarterly', '2027-01-01T00:00:00.000Z'],
    ['30 6 * * 1-5', '2026-11-30T06:30:00.000Z'],
    ['*/15 * * * *', '2026-11-28T09:45:00.000Z'],
  ])('%s comes due in UTC', (schedule, expected) => {
    expect(nextDue(schedule, time('28T09:30:00'))?.toISOString()).toBe(expected);
  });

  it.each(['', 'hourly', '@yearly', '* * * * * *', '61 * * * *', '0 0 30 2 *', '2026-11-28T10:00:00'])(
    'refuses %s and says what is allowed',
    (schedule) => {
      const { error } = scheduleSchema.safeParse(schedule);
      expect(error?.issues[0]?.message).toContain('@hourly, @daily, @weekly, @monthly, @quarterly or a cron');
    },
  );

  const since = time('28T09:30:00');
  const base = { schedule: '@hourly', enabled: true, since };

  it('begins after the source was configured, and makes up once for times that were missed', () => {
    expect(nextRun(base)).toEqual(time('28T10:00:00'));
    const last = { at: time('28T10:00:00'), failures: 0 };
    expect(nextRun({ ...base, last })).toEqual(time('28T11:00:00'));
    const late = { at: time('28T18:20:00'), failures: 0 };
    expect(nextRun({ ...base, last: late })).toEqual(time('28T19:00:00'));
  });

  it('does not count while the source is disabled, and a request always does', () => {
    expect(nextRun({ ...base, enabled: false })).toBeUndefined();
    const requestedAt = time('28T09:31:00');
    expect(nextRun({ ...base, enabled: false, requestedAt })).toEqual(requestedAt);
  });

  it('does not count while the source is held, and a request does', () => {
    const source = { ...configured, schedule: '@hourly', updatedAt: since };
    expect(nextRunOf(source, undefined, true)).toBeUndefined();
    expect(stateOf(source, undefined, { now: time('28T12:00:00'), isHeld: true })).toBe('held');
    const asked = { ...source, requested: { revision: 7, at: time('28T09:40:00') } };
    expect(nextRunOf(asked, undefined, true)).toEqual(time('28T09:40:00'));
    expect(isRequested(asked, undefined)).toBe(true);
    expect(isRequested(source, undefined)).toBe(false);
    expect(stateOf({ ...source, enabled: false }, undefined, { now: since, isHeld: true })).toBe('disabled');
  });

  it('waits longer after each failure, up to a day, and never comes due more often than without', () => {
    expect([0, 1, 2, 3, 20].map((failures) => backOffMs(failures) / 60_000)).toEqual([0, 5, 10, 20, 1_440]);
    const at = time('28T10:00:00');
    expect(nextRun({ ...base, last: { at, failures: 1 } })).toEqual(time('28T11:00:00'));
    expect(nextRun({ ...base, last: { at, failures: 5 } })).toEqual(time('28T12:00:00'));
    expect(nextRun({ ...base, schedule: '* * * * *', last: { at, failures: 1 } })).toEqual(
      time('28T10:05:00'),
    );
    const notBefore = time('28T13:30:00');
    expect(nextRun({ ...base, last: { at, failures: 1, notBefore } })).toEqual(time('28T14:00:00'));
    const configuredSince = { ...base, since: time('28T10:20:00'), last: { at, failures: 9 } };
    expect(nextRun(configuredSince)).toEqual(time('28T11:00:00'));
  });
});

describe('documents of a source', () => {
  const known = ['a', 'b', 'c'].map((externalId) => ({ externalId }));

  it('are gone if a complete listing lacks them, and never otherwise', () => {
    expect(goneFrom(known, new Set(['a']), { isComplete: true })).toEqual([
      { externalId: 'b' },
      { externalId: 'c' },
    ]);
    expect(goneFrom(known, new Set(['a']), { isComplete: false })).toEqual([]);
    expect(goneFrom(known, new Set(), { isComplete: true })).toEqual([]);
  });

  it('have names that begin with that of the source, however long those of the pages are', () => {
    expect(externalIdOf('blog', undefined, String)).toBe('source:blog');
    expect(externalIdOf('docs', 'https://a.example/b', String)).toBe('source:docs/https://a.example/b');
    expect(externalIdOf('docs', 'x'.repeat(600), () => 'hash')).toBe('source:docs/hash');
  });
});

describe('a sitemap', () => {
  it('lists pages with the times of their changes; a date is its end', () => {
    const xml = `<?xml version="1.0"?><!-- <url><loc>https://a.example/no</loc></url> -->
      <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>
        <loc> https://a.example/one?x=1&amp;y=2 </loc><lastmod>2026-11-27</lastmod></url>
      <url><loc><![CDATA[https://a.example/two]]></loc><lastmod>2026-11-27T10:00:00+02:00</lastmod>
        <image:image xmlns:image="i"><image:loc>https://a.example/i.png</image:loc></image:image></url>
      <url><loc>not an address</loc></url></urlset>`;
    expect(readSitemap(xml)).toEqual({
      kind: 'pages',
      isWhole: true,
      entries: [
        { url: 'https://a.example/one?x=1&y=2', changedAt: new Date('2026-11-27T23:59:59.999Z') },
        { url: 'https://a.example/two', changedAt: new Date('2026-11-27T08:00:00Z') },
      ],
    });
  });

  it('may be an index, may be cut off, and may be none', () => {
    const index =
      '<s:sitemapindex><s:sitemap><s:loc>https://a.example/1.xml.gz</s:loc></s:sitemap></s:sitemapindex>';
    expect(readSitemap(index)).toMatchObject({ kind: 'sitemaps', isWhole: true, entries: [{}] });
    const cut = '<urlset><url><loc>https://a.example/1</loc></url><url><loc>https://a.ex';
    expect(readSitemap(cut)).toMatchObject({ kind: 'pages', isWhole: false, entries: [{}] });
    expect(readSitemap('<html><body>no</body></html>')).toBeUndefined();
  });

  it('takes time linear in its size, whatever it contains', () => {
    const began = performance.now();
    for (const hostile of ['<url', 'a', '<url>', '<!--', '<![CDATA[', '</', '&#'])
      readSitemap(`<urlset><${hostile.repeat(200_000)}`);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

describe('robots.txt', () => {
  it('is read for the program, or for all', () => {
    const text = `User-agent: *\nDisallow: /private\nAllow: /private/open$\nDisallow: /*.pdf$\n
User-Agent: other\nUser-agent: Stratalog # us\nDisallow: /only-us`;
    const own = new Robots(text, 'stratalog');
    expect(own.permits('/private/x')).toBe(true);
    expect(own.permits('/only-us/x')).toBe(false);
    const general = new Robots(text, 'another');
    expect(general.permits('/private/x')).toBe(false);
    expect(general.permits('/private/open')).toBe(true);
    expect(general.permits('/private/open/x')).toBe(false);
    expect(general.permits('/a/b.pdf')).toBe(false);
    expect(general.permits('/a/b.pdf?x')).toBe(true);
    expect(new Robots('', 'stratalog').permits('/')).toBe(true);
    expect(new Robots('User-agent: *\nDisallow:', 'stratalog').permits('/')).toBe(true);
  });
});
