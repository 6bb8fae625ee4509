import { describe, expect, it } from 'vitest';
import { sharedBuffersMb } from '../../src/adapters/pglite/settings.ts';

const mb = 2 ** 20;
const gb = 2 ** 30;

describe('the shared buffers of the embedded database', () => {
  it.each([
    ['an empty folder on a large machine', 24 * gb, 0, 256],
    ['little data', 24 * gb, 100 * mb, 256],
    ['more data: all of it', 24 * gb, 400 * mb, 400],
    ['very much data', 24 * gb, 10 * gb, 512],
    ['an empty folder on a machine of 2 GB', 2 * gb, 0, 128],
    ['much data on a machine of 2 GB', 2 * gb, gb, 128],
    ['much data on a machine of 6 GB', 6 * gb, gb, 384],
    ['a container of 512 MB', gb / 2, gb, 128],
  ])('[J7] are sized for %s', (_, memory, data, expected) => {
    expect(sharedBuffersMb(memory, data)).toBe(expected);
  });
});
