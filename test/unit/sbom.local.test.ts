import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

interface Bill {
  readonly components: readonly { readonly name: string; readonly licenses?: readonly object[] }[];
}

it('[I5] the software bill of materials has one license for each component', () => {
  const { components } = JSON.parse(
    execFileSync('node', ['bin/sbom.mjs'], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
  ) as Bill;
  expect(components.length).toBeGreaterThan(100);
  const isClear = (licenses: readonly object[] = []) =>
    licenses.length === 1 && /"(id|name|expression)":/.test(JSON.stringify(licenses));
  expect(components.filter(({ licenses }) => !isClear(licenses))).toEqual([]);
});
