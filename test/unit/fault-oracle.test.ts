import { describe, expect, it } from 'vitest';
import type { Attempt, Command } from '../support/load.ts';
import type { LogEvent } from '../support/log-reader.ts';
import { faultsOfCommands, faultsOfLog, faultsOfSearches } from '../support/oracle.ts';

const id = '01a200bb-b351-74e2-93a9-a899d912ecd8';

function event(position: number, revision: number, type: string, more: Partial<LogEvent> = {}): LogEvent {
  const stream = `memory-acme.${id}`;
  return {
    tenant: 'acme',
    stream,
    revision,
    position,
    type,
    correlationId: `request-${position}`,
    data: { memoryId: id },
    ...more,
  };
}

const log = [
  event(1, 0, 'MemoryStored', { commandId: 'store' }),
  event(2, 1, 'MemoryUpdated', { commandId: 'update' }),
  event(3, 2, 'MemoryDeleted'),
];

function command(kind: Command['kind'], ...attempts: Attempt[]): Command {
  return {
    kind,
    tenant: 'acme',
    method: 'POST',
    path: '/',
    headers: {},
    contentType: '',
    repeatable: true,
    effects: 1,
    attempts,
  };
}

function acknowledged(requestId: string, position: number, revision: number): Attempt {
  const body = { memory: { id, revision }, position: `log-${position.toString(36)}` };
  return { requestId, outcome: 'acknowledged', status: 200, body };
}

const unknown = (requestId: string): Attempt => ({ requestId, outcome: 'unknown' });
const refused = (requestId: string, status: number): Attempt => ({
  requestId,
  outcome: 'refused',
  status,
  body: {},
});

describe('the oracle of the fault tests', () => {
  it('finds no faults in a correct log', () => {
    expect(faultsOfLog(log, 3)).toEqual([]);
  });

  it.each([
    ['a gap', [log[0]!, log[2]!], 'position 2 of 3 is missing'],
    ['a lost end', log.slice(0, 2), 'position 3 of 3 is missing'],
    ['a repeated position', [...log, log[2]!], 'position 3 is there twice'],
    [
      'a command that wrote twice',
      [...log, event(4, 3, 'MemoryRestored', { commandId: 'update' })],
      'command update wrote',
    ],
    ['a gap in a stream', [log[0]!, log[1]!, event(3, 3, 'MemoryDeleted')], 'revisions of memory-acme'],
  ])('finds %s', (_, events, fault) => {
    expect(faultsOfLog(events, 3).join()).toContain(fault);
  });

  it.each([
    ['acknowledged and there', command('update', acknowledged('request-2', 2, 1))],
    ['unknown and there', command('update', unknown('request-2'))],
    ['unknown and not there', command('update', unknown('request-9'))],
    [
      'unknown, there, and acknowledged when repeated',
      command('update', unknown('request-2'), acknowledged('request-9', 2, 1)),
    ],
    ['refused and not there', command('update', refused('request-9', 412))],
    ['a deletion with nothing left to do', command('delete', acknowledged('request-9', 3, 2))],
  ])('accepts a command that is %s', (_, one) => {
    expect(faultsOfCommands([one], log)).toEqual([]);
  });

  it.each([
    ['acknowledged and not there', command('update', acknowledged('request-9', 9, 1)), 'not in the log'],
    ['there at another position', command('update', acknowledged('request-2', 3, 1)), 'answered position 3'],
    ['there at another revision', command('update', acknowledged('request-2', 2, 5)), '@5, written at'],
    [
      'refused and there',
      command('update', unknown('request-2'), refused('request-9', 412)),
      'refused, and yet',
    ],
    [
      'a deletion whose memory is not deleted',
      command('delete', acknowledged('request-9', 2, 1)),
      'is MemoryUpdated',
    ],
  ])('finds a command that is %s', (_, one, fault) => {
    expect(faultsOfCommands([one], log).join()).toContain(fault);
  });

  it('finds a command that was executed by each of its attempts', () => {
    const twice = [...log, event(4, 3, 'MemoryUpdated')];
    const tried = command('update', unknown('request-2'), acknowledged('request-4', 4, 3));
    expect(faultsOfCommands([tried], twice).join()).toContain('written 2 times');
  });

  it('finds a line of a bulk body that is lost or stored twice', () => {
    const lines = (requestId: string, ...ids: string[]): Attempt => {
      const body = ids.map((line, index) => ({ line: index + 1, id: line }));
      return { requestId, outcome: 'acknowledged', status: 200, body };
    };
    const bulk = (...attempts: Attempt[]): Command => ({ ...command('bulk', ...attempts), effects: 2 });
    const stored = (position: number, memoryId: string): LogEvent =>
      event(position, 0, 'MemoryStored', { correlationId: 'bulk', data: { memoryId } });
    const both = [stored(1, 'a'), stored(2, 'b')];
    expect(faultsOfCommands([bulk(lines('bulk', 'a', 'b'))], both)).toEqual([]);
    expect(faultsOfCommands([bulk(lines('bulk', 'a', 'b'))], both.slice(1)).join()).toContain(
      'line 1 is not in the log',
    );
    expect(faultsOfCommands([bulk(lines('bulk', 'a'))], both).join()).toContain(
      '1 lines were answered, 2 are written',
    );
    expect(
      faultsOfCommands([bulk(lines('bulk', 'a', 'b'), lines('again', 'a', 'c'))], both).join(),
    ).toContain('line 2 has two');
  });

  it('finds searches that were recorded twice or not at all', () => {
    const searches = [{ tenant: 'acme', requestId: 'request-1', searchId: 's' }];
    const performed = event(1, 0, 'SearchPerformed');
    expect(faultsOfSearches(searches, [performed], true)).toEqual([]);
    expect(faultsOfSearches(searches, [], false)).toEqual([]);
    expect(faultsOfSearches(searches, [], true)).toHaveLength(1);
    expect(faultsOfSearches(searches, [performed, performed], false)).toHaveLength(1);
  });
});
