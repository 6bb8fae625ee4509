import { beforeAll, expect, it } from 'vitest';
import { compiled, printedBy, promisedBy, snippetsOf } from '../support/snippets.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();
let guide: string;
let readme: string[];
let files: Record<string, string>;

beforeAll(async () => {
  // The blocks of the guide build on each other.
  guide = (await snippetsOf('docs/guides/client.md')).join('\n');
  // Those of the frameworks are tested with them.
  readme = (await snippetsOf('packages/client/README.md')).filter(
    (code) => !/from '(?!@stratalog\/client')/.test(code),
  );
  const blocks = readme.map(
    (code, index) => [`readme-${index}`, code.replaceAll('http://127.0.0.1:8080', server.url)] as const,
  );
  files = await compiled({ guide, ...Object.fromEntries(blocks) });
});

async function environment(): Promise<Record<string, string>> {
  const { admin } = await newTenant(server);
  return { STRATALOG_URL: server.url, STRATALOG_API_KEY: admin.key! };
}

it('[J3] [J8] the program of the guide prints what its comments say', async () => {
  const printed = await printedBy(files['guide']!, await environment());
  expect(printed).toEqual(promisedBy(guide.replaceAll(/\n {2}console/g, '\nconsole')));
});

it('[J3] [J8] the programs of the README run', async () => {
  expect(readme.length).toBeGreaterThan(1);
  for (const index of readme.keys()) await printedBy(files[`readme-${index}`]!, await environment());
});
