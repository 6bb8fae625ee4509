import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { openZip, zipLimits } from '../../src/adapters/documents/zip.ts';

const small = { ...zipLimits, maxUnpacked: 100_000, freeUnpacked: 1000 };

describe('openZip', () => {
  it('reads entries by their names, whatever their case', () => {
    const archive = openZip(
      zipSync({ 'a/Text.xml': strToU8('<a/>'), stored: [strToU8('as it is'), { level: 0 }] }),
    );
    expect(archive.names).toEqual(['a/Text.xml', 'stored']);
    expect(archive.text('A/text.xml')).toBe('<a/>');
    expect(archive.text('stored')).toBe('as it is');
    expect(archive.text('none')).toBeUndefined();
  });

  it('refuses what unpacks to too much, by the figures of its directory', () => {
    const zeros = zipSync({ big: new Uint8Array(90_000) });
    expect(() => openZip(zeros, small)).toThrow('200 times its size');
    const noise = Uint8Array.from({ length: 60_000 }, (_, index) => (index * index * 7919) >> 5);
    expect(() => openZip(zipSync({ a: noise, b: noise }), small)).toThrow('unpacks to more than');
    expect(() => openZip(zipSync({ a: noise, b: noise }), { ...small, maxEntries: 1 })).toThrow(
      'more than 1 files',
    );
  });

  it('stops at an entry that is larger than it says', () => {
    const bytes = zipSync({ big: strToU8('0123456789'.repeat(500)) });
    const directory = Buffer.from(bytes).indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
    new DataView(bytes.buffer).setUint32(directory + 24, 100, true);
    expect(() => openZip(bytes).bytes('big')).toThrow('more than it declares');
  });

  it('refuses damaged, cut and encrypted archives', () => {
    const bytes = zipSync({ text: [strToU8('some text that is stored'), { level: 0 }] });
    const damaged = bytes.slice();
    damaged[40] = 0;
    expect(() => openZip(damaged).bytes('text')).toThrow('checksum');
    expect(() => openZip(bytes.subarray(0, 60))).toThrow('cut off');
    const encrypted = bytes.slice();
    const directory = Buffer.from(bytes).indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
    encrypted[directory + 8] = 1;
    expect(() => openZip(encrypted).bytes('text')).toThrow('password');
  });
});
