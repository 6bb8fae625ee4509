import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant } from '../../../../test/support/api.ts';
import {
  scriptedLanguageModel,
  writes,
  type ChatRequest,
  type ScriptedLanguageModel,
} from '../../../../test/support/scripted-language-model.ts';
import { useSharedServer } from '../../../../test/support/use-server.ts';
import { packClient, root, runIn, typeCheck, type PublishedClient } from './published-client.ts';

const server = useSharedServer();
let published: PublishedClient;
let model: ScriptedLanguageModel;

beforeAll(async () => {
  [published, model] = await Promise.all([packClient(), scriptedLanguageModel()]);
});
afterAll(() => Promise.all([published.remove(), model.close()]));

/** For a program that remembers for the user of a new tenant, and asks the scripted model. */
async function environment(): Promise<Record<string, string>> {
  const { key } = await clientWithKey(server, { tenant: freshTenant(), role: 'member', user: 'ada' });
  return {
    STRATALOG_URL: server.url,
    STRATALOG_API_KEY: key!,
    OPENAI_BASE_URL: model.baseURL,
    OPENAI_API_KEY: 'scripted',
  };
}

/** A model that knows only what its prompt says. */
const attentive = (request: ChatRequest) => {
  const prompt = JSON.stringify(request.messages);
  const asks = /What (am I|can I)/.test(JSON.stringify(request.messages.at(-1)));
  return !asks
    ? 'Noted.'
    : prompt.includes('allergic to peanuts')
      ? 'You are allergic to peanuts.'
      : 'I do not know.';
};

const calls =
  (name: string, input: object) => (_: ChatRequest, response: Parameters<ReturnType<typeof writes>>[1]) => {
    const toolCalls = [
      { id: 'call-1', type: 'function', function: { name, arguments: JSON.stringify(input) } },
    ];
    const message = { role: 'assistant', content: null, tool_calls: toolCalls };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        id: '1',
        object: 'chat.completion',
        choices: [{ index: 0, finish_reason: 'tool_calls', message }],
      }),
    );
  };

describe('the published client', () => {
  const adapters = [
    [
      'langgraph',
      '@langchain/langgraph',
      'const store: import("@langchain/langgraph").BaseStore = new adapter.StratalogStore(stratalog);',
    ],
    [
      'langchain',
      '@langchain/core',
      'const retriever: import("@langchain/core/retrievers").BaseRetriever = new adapter.StratalogRetriever({ client: stratalog });',
    ],
    [
      'ai-sdk',
      'ai',
      'const tools: import("ai").ToolSet = adapter.memoryTools(stratalog);\nconst middleware: import("ai").LanguageModelMiddleware = adapter.memoryMiddleware(stratalog);',
    ],
    [
      'openai-agents',
      '@openai/agents-core',
      'const session: import("@openai/agents-core").Session = new adapter.StratalogSession(stratalog);',
    ],
  ] as const;

  it('[J3] has every adapter, and nothing that its users do not need', () => {
    for (const [subpath] of adapters)
      for (const file of [`dist/frameworks/${subpath}.js`, `dist/frameworks/${subpath}.d.ts`])
        expect(published.files).toContain(file);
    expect(published.files.filter((file) => /node_modules|test|lock|tsconfig/.test(file))).toEqual([]);
  });

  it('[J3] works without any framework', async () => {
    const folder = await published.install();
    const used = await runIn(folder, [
      process.execPath,
      '-e',
      'await import("@stratalog/client")',
      '--input-type=module',
    ]);
    expect(used).toMatchObject({ status: 0 });
    const missing = await runIn(folder, [
      process.execPath,
      '--input-type=module',
      '-e',
      'await import("@stratalog/client/ai-sdk")',
    ]);
    expect(missing.errors).toContain("Cannot find package 'ai'");
  });

  it.each(adapters)(
    '[J3] has types and code for %s when only %s is installed',
    async (subpath, framework, use) => {
      const folder = await published.install([framework]);
      const begin = `import { Stratalog } from '@stratalog/client';\nimport * as adapter from '@stratalog/client/${subpath}';\nconst stratalog = new Stratalog();\n`;
      expect(await typeCheck(folder, begin + use)).toMatchObject({ status: 0, output: '' });
      expect((await typeCheck(folder, `${begin}${use}\nadapter.nothing;`)).output).toContain('nothing');
      const script = `const adapter = await import('@stratalog/client/${subpath}'); console.log(Object.keys(adapter).length > 0);`;
      const used = await runIn(folder, [process.execPath, '--input-type=module', '-e', script]);
      expect(used).toMatchObject({ status: 0, output: 'true\n' });
    },
  );
});

const frameworks = [
  '@ai-sdk/openai',
  '@langchain/core',
  '@langchain/langgraph',
  '@langchain/openai',
  '@openai/agents-core',
  'ai',
  'zod',
];

describe('the examples', () => {
  it('[J3] install the versions that are tested', async () => {
    const [example, tested] = (await Promise.all(
      ['examples/package.json', 'packages/client/frameworks/package.json'].map(async (file) =>
        JSON.parse(await readFile(path.join(root, file), 'utf8')),
      ),
    )) as [{ dependencies: Record<string, string> }, { devDependencies: Record<string, string> }];
    expect(tested.devDependencies).toMatchObject(example.dependencies);
  });

  it('[J3] chat: remembers in the next conversation', async () => {
    const folder = await published.install(frameworks);
    await cp(path.join(root, 'examples/chat'), path.join(folder, 'chat'), { recursive: true });
    model.otherwise((request, response) => writes(attentive(request))(request, response));
    const own = await environment();
    const chat = (input: string) =>
      runIn(folder, [process.execPath, 'chat/chat.mjs'], { environment: own, input });
    const first = await chat('I am allergic to peanuts.\n\nThank you!\n');
    expect(first).toMatchObject({ status: 0, errors: '' });
    expect(first.output.match(/agent: Noted\./g)).toHaveLength(2);
    const second = await chat('What am I allergic to?\n');
    expect(second.output, second.errors).toContain('agent: You are allergic to peanuts.');
    expect(await readFile(path.join(root, 'examples/chat/chat.mjs'), 'utf8')).toSatisfy(
      (code: string) => code.split('\n').length <= 41,
    );
  });

  it('[J3] langgraph: remembers a fact for the user alone', async () => {
    const folder = await published.install(frameworks);
    await cp(path.join(root, 'examples/langgraph'), path.join(folder, 'langgraph'), { recursive: true });
    model.otherwise((request, response) => writes(attentive(request))(request, response));
    const own = await environment();
    const graph = (...args: string[]) =>
      runIn(folder, [process.execPath, 'langgraph/graph.mjs', ...args], { environment: own });
    model.script(calls('remember', { fact: 'Ada is allergic to peanuts', topic: 'diet' }));
    expect(await graph('ada', 'I am allergic to peanuts')).toMatchObject({ status: 0, output: 'Noted.\n' });
    expect(await graph('ada', 'What can I not eat?')).toMatchObject({
      output: 'You are allergic to peanuts.\n',
    });
    expect(await graph('bob', 'What can I not eat?')).toMatchObject({ output: 'I do not know.\n' });
    expect((await graph('ada')).errors).toContain('usage:');
  });
});

describe('the guide', () => {
  it('[J3] has programs that print what it says', async () => {
    const folder = await published.install(frameworks);
    await writeAgents(folder);
    model.otherwise((request, response) => writes(attentive(request))(request, response));
    const guide = await readFile(path.join(root, 'docs/guides/frameworks.md'), 'utf8');
    const programs = Array.from(guide.matchAll(/```js\n(.*?)```/gs), ([, code]) => code!);
    expect(programs).toHaveLength(5);
    for (const [index, code] of programs.entries()) {
      await writeFile(path.join(folder, `${index}.mjs`), code);
      if (code.includes('memoryTools'))
        model.script(calls('memory_search', { query: 'What is the user allergic to?' }), (_, response) =>
          writes('You are allergic to peanuts.')(_, response),
        );
      const { output, errors } = await runIn(folder, [process.execPath, `${index}.mjs`], {
        environment: await environment(),
      });
      expect(output, `${code}\n${errors}`).toBe(`${/\/\/ (.*)\n$/.exec(code)![1]}\n`);
    }
  });
});

/** Stands for `@openai/agents`, which brings 100 MB: its core, with a scripted model as the default one. */
async function writeAgents(folder: string): Promise<void> {
  const agents = path.join(folder, 'node_modules/@openai/agents');
  await mkdir(agents, { recursive: true });
  await writeFile(path.join(agents, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  await writeFile(
    path.join(agents, 'index.js'),
    `export * from '@openai/agents-core';
import { setDefaultModelProvider, setTracingDisabled } from '@openai/agents-core';
import { assistantMessage, modelResponder, ScriptedModel } from '@openai/agents-core/testing';
setTracingDisabled(true);
const answer = modelResponder(({ request }) =>
  [assistantMessage(request.input.length > 1 && JSON.stringify(request.input).includes('peanuts') ? 'You are allergic to peanuts.' : 'Noted.')]);
const model = new ScriptedModel([answer, answer]);
setDefaultModelProvider({ getModel: () => Promise.resolve(model) });
`,
  );
}
