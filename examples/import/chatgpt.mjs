// Turns the conversations.json of a ChatGPT export into lines for `stratalog import`:
//   node chatgpt.mjs conversations.json | npx stratalog import --upsert -
// Each message of a conversation becomes a memory of its session, in order. Of a conversation with several branches
// (edited questions, regenerated answers), only the last one shown is taken.
import { readExport, writeLines } from './lines.mjs';

const { user, value: conversations } = await readExport();
if (!Array.isArray(conversations)) throw new Error('expected a list of conversations');
await writeLines(conversations.flatMap(memoriesOf));

function memoriesOf(conversation) {
  const { title, create_time: began } = conversation;
  const id = conversation.conversation_id ?? conversation.id;
  if (id === undefined || typeof conversation.mapping !== 'object')
    throw new Error(`the conversation ${JSON.stringify(title)} has no id or no mapping`);
  return shownMessages(conversation).flatMap((message) => {
    const content = textOf(message);
    if (content === '') return [];
    const said = message.create_time ?? began;
    return [
      {
        content,
        layer: 'session',
        scope: { session: id, ...(user !== undefined && { user }) },
        tags: ['chatgpt'],
        metadata: { role: message.author.role, ...(title && { title }) },
        externalId: `chatgpt/${id}/${message.id}`,
        ...(typeof said === 'number' && { occurredAt: new Date(said * 1_000).toISOString() }),
      },
    ];
  });
}

/** The messages from the first to the current one. */
function shownMessages({ mapping, current_node: current }) {
  const messages = [];
  const seen = new Set();
  for (let at = current ?? lastLeaf(mapping); mapping[at] && !seen.has(at); at = mapping[at].parent) {
    seen.add(at);
    if (mapping[at].message) messages.unshift(mapping[at].message);
  }
  return messages;
}

function lastLeaf(mapping) {
  return Object.keys(mapping).findLast((id) => (mapping[id].children ?? []).length === 0);
}

/** What was said; empty for instructions, calls of tools, and what ChatGPT does not show. */
function textOf({ author, recipient = 'all', content, metadata }) {
  const isSaid = author?.role === 'user' || (author?.role === 'assistant' && recipient === 'all');
  if (!isSaid || metadata?.is_visually_hidden_from_conversation) return '';
  if (content?.content_type !== 'text' && content?.content_type !== 'multimodal_text') return '';
  return (content.parts ?? [])
    .map((part) => (typeof part === 'string' ? part : (part?.text ?? '')))
    .filter((part) => part.trim() !== '')
    .join('\n\n');
}
