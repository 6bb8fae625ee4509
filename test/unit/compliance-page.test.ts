import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventDefinitions } from '../../src/domain/events/registry.ts';
import { bindings } from '../../src/http/bindings/index.ts';

let page: string;

beforeAll(async () => {
  page = await readFile('docs/compliance.md', 'utf8');
});

/** What the page names in this form, each once. */
function named(form: RegExp): string[] {
  const names = new Set([...page.matchAll(form)].map(([, name]) => name!));
  expect(names.size).toBeGreaterThan(5);
  return [...names];
}

/** All tests but this one. */
async function sourcesOfTests(): Promise<string[]> {
  const files = (await readdir('test', { recursive: true })).filter(
    (file) => /\.test\.ts$/.test(file) && !file.endsWith(path.basename(import.meta.filename)),
  );
  return Promise.all(files.map((file) => readFile(path.join('test', file), 'utf8')));
}

describe('the page about compliance', () => {
  it('[J9] names event types that exist', () => {
    const types = named(/`((?:[A-Z][a-z]+){2,})`/g);
    expect(types.filter((type) => !eventDefinitions.has(type))).toEqual([]);
  });

  it('[J9] names calls that exist', () => {
    const served = new Set(
      bindings.map(({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
    );
    const calls = named(/`((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`/g);
    expect(calls.filter((call) => !served.has(call))).toEqual([]);
  });

  it('[J9] names commands that exist', async () => {
    const reference = await readFile('docs/reference/command-line.md', 'utf8');
    const commands = named(/`stratalog ([a-z ]+)`/g);
    expect(commands.filter((command) => !new RegExp(`^## \`${command}[ \`]`, 'm').test(reference))).toEqual(
      [],
    );
  });

  it('[J9] names row ids that tests have', async () => {
    const sources = await sourcesOfTests();
    const ids = named(/\[([A-J]\d+)\]/g);
    expect(ids.filter((id) => !sources.some((source) => source.includes(`[${id}]`)))).toEqual([]);
  });
});
