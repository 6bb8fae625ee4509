import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readPrices } from '../../src/backends/prices.ts';
import { ConfigError } from '../../src/config-values.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'prices-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fileWith = (text: string): string => {
  const file = path.join(folder, 'prices.json');
  writeFileSync(file, text);
  return file;
};

describe('the prices of models', () => {
  it('[E7] are the known ones, and those of a file, which win', () => {
    const known = readPrices(undefined);
    expect(known['gpt-4o-mini']).toEqual({ input: 0.15, output: 0.6 });
    const own = readPrices(fileWith('{"gpt-4o-mini": {"input": 0.1, "output": 0.2}, "mine": {"input": 1}}'));
    expect(own).toEqual({
      ...known,
      'gpt-4o-mini': { input: 0.1, output: 0.2 },
      mine: { input: 1, output: 0 },
    });
  });

  it('[E7] a file that cannot be used stops the start with its fault', () => {
    const faultOf = (file: string): string => {
      try {
        readPrices(file);
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        return (error as Error).message;
      }
      throw new Error('no error');
    };
    expect(faultOf(path.join(folder, 'none.json'))).toContain('STRATALOG_PRICES: ENOENT');
    expect(faultOf(fileWith('{'))).toContain('STRATALOG_PRICES: ');
    expect(faultOf(fileWith('{"mine": {"input": -1}}'))).toContain(
      'STRATALOG_PRICES: prices.json.mine.input',
    );
    expect(faultOf(fileWith('{"mine": {"input": 1, "cost": 2}}'))).toContain('prices.json.mine');
  });
});
