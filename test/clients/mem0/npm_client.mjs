// Calls /compat/mem0 with the npm client of mem0 and prints what it answered as JSON. See mem0.test.ts.
import { MemoryClient } from 'mem0ai';

const { MEM0_HOST: host, AGENT_KEY, ADMIN_KEY } = process.env;
const client = new MemoryClient({ apiKey: AGENT_KEY, host });
const admin = new MemoryClient({ apiKey: ADMIN_KEY, host });

const refusal = async (call) => {
  try {
    return { answered: await call() };
  } catch (error) {
    return { name: error.name, code: error.errorCode, message: error.message };
  }
};

const user = { filters: { user_id: 'alex' } };
await client.ping();
const added = await client.add(
  [
    { role: 'user', content: 'My allergy is hazelnuts.' },
    { role: 'assistant', content: 'Noted: no hazelnuts.' },
  ],
  { userId: 'alex', runId: 'lunch', metadata: { dinnerTopic: 'food' } },
);
await client.add([{ role: 'user', content: 'My allergy is pollen.' }], { userId: 'berta' });
const found = await client.search('What is my allergy?', { ...user, topK: 5, threshold: 0.1 });
const filters = { AND: [{ user_id: 'alex' }, { run_id: '*' }, { created_at: { gte: '2024-01-01' } }] };
const listed = await client.getAll({ filters, page: 1, pageSize: 1 });
const [first, second] = added.results;
const got = await client.get(first.id);
const updated = await client.update(first.id, { text: 'My allergy is walnuts.' });
const history = await client.history(first.id);
const feedback = await client.feedback({ memoryId: first.id, feedback: 'POSITIVE' });
const batch = await client.batchUpdate([{ memoryId: second.id, text: 'Noted: no walnuts.' }]);
const users = await admin.users();
const deleted = await client.delete(first.id);
const refusals = {
  missing: await refusal(() => client.get(first.id)),
  unsupported: await refusal(() => client.createMemoryExport({ schema: {}, filters: {} })),
  invalid: await refusal(() => client.getAll({ filters: { user_id: 'alex', topic: 'x' } })),
  stranger: await refusal(() => new MemoryClient({ apiKey: 'm0-of-mem0', host }).ping()),
};
await client.deleteAll({ userId: 'alex' });
const left = await client.getAll(user);
await admin.deleteUsers();
const after = await admin.users();

console.log(
  JSON.stringify({
    added: added.results.map(({ memory, event }) => [memory, event]),
    found: [...new Set(found.results.map(({ userId }) => userId))],
    best: found.results.map(({ memory, score }) => [memory, typeof score]),
    listed: [listed.count, listed.results.length, typeof listed.next],
    got: [got.memory, got.userId, got.runId, got.metadata],
    updated: updated.memory,
    history: history.map(({ event, oldMemory, newMemory }) => [event, oldMemory, newMemory]),
    messages: [feedback, batch, deleted].map(({ message }) => message),
    users: users.results.map(({ type, name, totalMemories }) => [type, name, totalMemories]),
    refusals,
    left: left.count,
    after: after.count,
  }),
);
