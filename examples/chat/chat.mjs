// A chat agent that remembers what was said, in this conversation and in earlier ones.
import { createInterface } from 'node:readline';
import { openai } from '@ai-sdk/openai';
import { generateText, stepCountIs, wrapLanguageModel } from 'ai';
import { Stratalog } from '@stratalog/client';
import { memoryMiddleware, memoryTools } from '@stratalog/client/ai-sdk';

const stratalog = new Stratalog();

// Before each answer it recalls what is relevant, and afterwards it stores both turns.
const model = wrapLanguageModel({
  model: openai.chat(process.env.OPENAI_MODEL ?? 'gpt-5-mini'),
  middleware: memoryMiddleware(stratalog, { sessionId: `chat ${new Date().toISOString()}` }),
});

// The model can look further by itself, and correct or delete what is no longer true.
const { memory_search, memory_update, memory_delete } = memoryTools(stratalog);

const messages = [];
const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: '\nyou: ' });
terminal.prompt();
for await (const line of terminal) {
  if (line.trim() !== '') {
    messages.push({ role: 'user', content: line });
    const { text, response } = await generateText({
      model,
      system: 'You are a helpful assistant with a memory that lasts beyond this conversation.',
      messages,
      tools: { memory_search, memory_update, memory_delete },
      stopWhen: stepCountIs(5),
    });
    messages.push(...response.messages);
    console.log(`\nagent: ${text}`);
  }
  terminal.prompt();
}
