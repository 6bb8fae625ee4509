import { describe, expect, it } from 'vitest';
import { loggedError } from '../../src/observability/logger.ts';

describe('an error in the log', () => {
  it('[I5] is told by type, message, code and stack, and by nothing else that it carries', () => {
    const error = Object.assign(new TypeError('Parse Error'), {
      code: 'HPE_INVALID_CHUNK_SIZE',
      rawPacket: Buffer.from('Authorization: Bearer secret'),
      parameters: ['secret'],
    });
    const { stack } = error;
    const told = { type: 'TypeError', message: 'Parse Error', code: 'HPE_INVALID_CHUNK_SIZE', stack };
    expect(loggedError(error)).toEqual(told);
  });

  it('[I5] names its causes, and nothing else that they carry', () => {
    const cause = Object.assign(new Error('connection refused'), { headers: { authorization: 'secret' } });
    const text = JSON.stringify(loggedError(new Error('no answer', { cause })));
    expect(text).toContain('no answer: connection refused');
    expect(text).not.toContain('secret');
  });

  it('[J7] is told where no error was thrown, too', () => {
    expect(loggedError('gone')).toEqual({ type: 'string', message: 'gone' });
  });
});
