import { FakeListChatModel } from '@langchain/core/utils/testing';
import { StringOutputParser } from '@langchain/core/output_parsers';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { RunnablePassthrough, RunnableSequence } from '@langchain/core/runnables';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Stratalog } from '@stratalog/client';
import { useSharedServer } from '../../../../test/support/use-server.ts';
import { StratalogRetriever } from '../src/langchain.ts';
import { newClient } from './client.ts';

const server = useSharedServer();
let stratalog: Stratalog;

beforeAll(async () => {
  stratalog = await newClient(server);
  await stratalog.memories.store({
    content: 'Mia is allergic to peanuts',
    externalId: 'allergy',
    tags: ['health'],
    metadata: { source: 'chat', stratalog: 'replaced' },
  });
  await stratalog.memories.store({ content: 'Mia plays the violin', tags: ['music'] });
});

describe('a LangChain retriever', () => {
  it('[J3] answers documents with their metadata and what the search says about them', async () => {
    const retriever = new StratalogRetriever({ client: stratalog });
    const [document, ...others] = await retriever.invoke('What is Mia allergic to?');
    expect(others).toEqual([]);
    expect(document).toMatchObject({
      pageContent: 'Mia is allergic to peanuts',
      metadata: {
        source: 'chat',
        stratalog: { externalId: 'allergy', tags: ['health'], layer: 'user', rank: 1 },
      },
    });
    expect(document!.id).toBe(document!.metadata.stratalog.id);
    expect(document!.metadata.stratalog.score).toBeGreaterThan(0.7);
    await stratalog.memories.feedback(document!.id!, {
      kind: 'helpful',
      searchId: document!.metadata.stratalog.searchId,
    });
    expect(await retriever.invoke('Who won the chess tournament of 1953?')).toEqual([]);
  });

  it('[J3] passes the settings of a search on', async () => {
    const search = { tags: ['music'], threshold: 0, topK: 5 };
    const found = await new StratalogRetriever({ client: stratalog, search }).invoke('allergic');
    expect(found.map(({ pageContent }) => pageContent)).toEqual(['Mia plays the violin']);
    const wrong = new StratalogRetriever({ client: stratalog, search: { topK: 0 } });
    await expect(wrong.invoke('allergic')).rejects.toMatchObject({
      code: 'validation-failed',
      errors: [{ path: 'topK' }],
    });
  });

  it('[J3] is a part of a chain, and tells its callbacks', async () => {
    const ended: string[] = [];
    const retriever = new StratalogRetriever({
      client: stratalog,
      tags: ['memory'],
      callbacks: [{ handleRetrieverEnd: (documents) => void ended.push(documents[0]!.pageContent) }],
    });
    const chain = RunnableSequence.from([
      {
        known: retriever.pipe((documents) => documents.map(({ pageContent }) => pageContent).join('\n')),
        question: new RunnablePassthrough(),
      },
      ChatPromptTemplate.fromTemplate('Known: {known}\n{question}'),
      (prompt) => prompt.toString(),
    ]);
    expect(await chain.invoke('What is Mia allergic to?')).toContain('Known: Mia is allergic to peanuts');
    expect(ended).toEqual(['Mia is allergic to peanuts']);
    const model = new FakeListChatModel({ responses: ['Peanuts.'] });
    expect(await chain.pipe(model).pipe(new StringOutputParser()).invoke('What is Mia allergic to?')).toBe(
      'Peanuts.',
    );
  });
});
