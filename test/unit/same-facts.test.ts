import { describe, expect, it } from 'vitest';
import { haveSameFacts } from '../../src/domain/duplicates/same-facts.ts';

const both = (left: string, right: string) => [haveSameFacts(left, right), haveSameFacts(right, left)];

describe('two texts that say the same', () => {
  it.each([
    ['The pump must be bled every Friday.', 'The pump has to be bled each Friday'],
    [
      'The lens was lit on 9 November after fifty-one years.',
      'After 51 years, the lens was lit on 9 November.',
    ],
    ['The rota changes on Tuesdays at ten.', 'The rota changes Tuesdays at 10:00'],
    ['Bees travel with hives strapped and closed.', 'Bees travel with hives closed and strapped.'],
    ['Close the gate of the allotment.', "Close the allotment's gate!"],
    ['Faults of series C are rare.', 'Faults of the C series are rare'],
    ['The red ones stand for a hundred tickets.', 'One hundred tickets: the red ones stand for it.'],
    ['SELECT id FROM part WHERE stock < 4', 'select id from part where stock < 4;'],
    ['茶殻を布袋に入れて弱火で二十分煮る。', '茶殻を布袋に入れ、弱火で二十分ほど煮る。'],
    ['Invoice 7 over 1,240.00 was paid.', 'Invoice 7 over 1240 was paid.'],
  ])('[H6] have the same facts: %j and %j', (left, right) => {
    expect(both(left, right)).toEqual([true, true]);
  });
});

describe('two texts that differ in a fact', () => {
  it.each([
    ['a number', 'Crane 3 is out of service.', 'Crane 2 is out of service.'],
    ['a number as a word', 'The queue holds twenty-five jobs.', 'The queue holds twenty jobs.'],
    ['a sign', 'Store it at -18 degrees.', 'Store it at 18 degrees.'],
    ['a unit', 'The cable is 3 km long.', 'The cable is 3 miles long.'],
    [
      'numbers that changed places',
      'Old stand: five hives. New stand: three hives.',
      'Old stand: three hives. New stand: five hives.',
    ],
    ['a date', 'The licence ends on 4 June.', 'The licence ends on 11 June.'],
    ['a version', 'Use version 1.10.0.', 'Use version 1.1.0.'],
    ['a name', 'The server lantern-a was restarted.', 'The server lantern-b was restarted.'],
    ['a negation', 'Dogs are allowed in the saloon.', 'Dogs are not allowed in the saloon.'],
    ['a negation in Japanese', '電磁調理器で使う。', '電磁調理器で使わない。'],
    ['a quantifier', 'All members may vote.', 'Some members may vote.'],
    ['a limit', 'Only members may vote.', 'Members may vote.'],
    ['an antonym', 'The valve must be open.', 'The valve must be closed.'],
    ['a time', 'Call the pilot before you pass.', 'Call the pilot after you pass.'],
    ['a deadline', 'Pay by Friday.', 'Pay on Friday.'],
    ['a tense', 'We will repair the slip.', 'We repaired the slip.'],
    ['another tense', 'The broker is down.', 'The broker was down.'],
    ['roles', 'Alice pays Bob 40 euros.', 'Bob pays Alice 40 euros.'],
    ['roles by a passive', 'Bob paid Alice.', 'Bob was paid by Alice.'],
    [
      'roles of letters',
      'Transfer 300 from account A to account B.',
      'Transfer 300 from account B to account A.',
    ],
    ['roles of several', 'Heron is helm and Plover is mechanic.', 'Plover is helm and Heron is mechanic.'],
    [
      'an order',
      'Promote the broker, then thaw the producers.',
      'Thaw the producers, then promote the broker.',
    ],
    ['a direction', 'The parcel goes to Oslo.', 'The parcel comes from Oslo.'],
    ['a person', 'My key opens it.', 'Her key opens it.'],
    ['an operator', 'Run it where stock < 4', 'Run it where stock > 4'],
    ['what one adds', 'The licence is renewed.', 'The licence is renewed automatically.'],
  ])('[H6] are no duplicates: %s', (_, left, right) => {
    expect(both(left, right)).toEqual([false, false]);
  });

  it('[H6] nor are long texts that are not equal', () => {
    const long = 'The pump in cellar two is bled. '.repeat(300);
    expect(haveSameFacts(long, long)).toBe(true);
    expect(haveSameFacts(long, long.trim())).toBe(false);
  });

  it('[H6] nor are texts without words', () => {
    expect(haveSameFacts('…', '…')).toBe(false);
  });
});
