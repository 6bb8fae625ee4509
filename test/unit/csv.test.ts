import { expect, it } from 'vitest';
import { csvHeader, csvLine } from '../../src/http/csv.ts';

it('[F2] a line of CSV has one cell for each column, quoted where needed', () => {
  const columns = ['id', 'at', 'revision', 'erased', 'reason', 'data'];
  expect(csvHeader(columns)).toBe('id,at,revision,erased,reason,data\r\n');
  const event = {
    id: 'a',
    at: new Date('2026-05-04T09:30:00Z'),
    revision: -1,
    reason: 'two\nlines, "quoted"',
    data: { tags: ['x'] },
  };
  expect(csvLine(event, columns)).toBe(
    'a,2026-05-04T09:30:00.000Z,-1,,"two\nlines, ""quoted""","{""tags"":[""x""]}"\r\n',
  );
});

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\r=1'])('[F2] %j is no formula', (reason) => {
  const line = csvLine({ reason }, ['reason']);
  expect(line.replace(/^"/, '').startsWith(`'${reason}`)).toBe(true);
});
