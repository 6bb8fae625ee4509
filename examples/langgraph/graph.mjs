// A graph with long-term memory: node langgraph/graph.mjs USER "message"
import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { Stratalog } from '@stratalog/client';
import { StratalogStore } from '@stratalog/client/langgraph';

const namespaceOf = ({ configurable }) => ['memories', configurable.user];

const remember = tool(
  async ({ fact, topic }, config) => {
    await config.store.put(namespaceOf(config), topic, { fact });
    return `Remembered: ${fact}`;
  },
  {
    name: 'remember',
    description:
      'Keep a fact about the user for later conversations. A fact with the same topic is replaced.',
    schema: z.object({ fact: z.string(), topic: z.string().describe('a short name, such as "diet"') }),
  },
);

const model = new ChatOpenAI({
  model: process.env.OPENAI_MODEL ?? 'gpt-5-mini',
  configuration: { baseURL: process.env.OPENAI_BASE_URL },
}).bindTools([remember]);

async function answer({ messages }, config) {
  const question = messages.findLast((message) => message.type === 'human').text;
  const known = await config.store.search(namespaceOf(config), { query: question });
  const facts = known.map(({ value }) => `- ${value.fact}`).join('\n');
  const system = `You are a helpful assistant. What you know about the user:\n${facts || 'nothing yet'}`;
  return { messages: [await model.invoke([{ role: 'system', content: system }, ...messages])] };
}

const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', answer)
  .addNode('tools', new ToolNode([remember]))
  .addEdge(START, 'answer')
  .addConditionalEdges('answer', ({ messages }) => (messages.at(-1).tool_calls?.length > 0 ? 'tools' : END))
  .addEdge('tools', 'answer')
  .compile({ store: new StratalogStore(new Stratalog()) });

const [user, message] = process.argv.slice(2);
if (message === undefined) throw new Error('usage: node langgraph/graph.mjs USER "message"');
const { messages } = await graph.invoke(
  { messages: [{ role: 'user', content: message }] },
  { configurable: { user } },
);
console.log(messages.at(-1).text);
