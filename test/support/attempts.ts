import { expect } from 'vitest';
import type { Client, Json } from './api.ts';

/** A successful attempt as a caller records it. */
export const attempt = {
  query: 'Find Salesforce Einstein best practices',
  approach: 'narrow filter on the space crm',
  outcome: 'success',
  memoriesUsed: [],
};

/** Records an attempt that differs in some fields. */
export async function record(client: Client, fields: Json = {}): Promise<{ trace: Json; position: string }> {
  const reply = await client.post('/v1/reasoning/traces', { ...attempt, ...fields });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return reply.body;
}

/** The attempts at similar questions, by default at that of `attempt`. */
export async function history(client: Client, fields: Json = {}): Promise<Json[]> {
  const body = { query: 'Salesforce Einstein best practices', waitMs: 25_000, ...fields };
  const reply = await client.post('/v1/reasoning/history', body);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body.items;
}
