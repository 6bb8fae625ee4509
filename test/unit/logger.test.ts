import { describe, expect, it } from 'vitest';
import { loggedError } from '../../src/observability/logger.ts';

describe('an error in the log', () => {
  it('[I5] is logged with type, message, code and stack, without its other properties', () => {
    const error = Object.assign(new TypeError('Parse Error'), {
      code: 'HPE_INVALID_CHUNK_SIZE',
      rawPacket: Buffer.from('Authorization: Bearer secret'),
      parameters: ['secret'],
    });
    const { stack } = error;
    const expected = { type: 'TypeError', message: 'Parse Error', code: 'HPE_INVALID_CHUNK_SIZE', stack };
    expect(loggedError(error)).toEqual(expected);
  });

  it('[I5] includes the messages of its causes, without their other properties', () => {
    const cause = Object.assign(new Error('connection refused'), { headers: { authorization: 'secret' } });
    const text = JSON.stringify(loggedError(new Error('no answer', { cause })));
    expect(text).toContain('no answer: connection refused');
    expect(text).not.toContain('secret');
  });

  it('[J7] is logged even if the thrown value is not an Error', () => {
    expect(loggedError('gone')).toEqual({ type: 'string', message: 'gone' });
  });
});
