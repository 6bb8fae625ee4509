import { expect } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from './api.ts';
import type { TestServer } from './server.ts';

/** Of two sides. */
export const comparison = 'What is the difference between the retry policies of Search and Billing?';
export const simple = 'How are signing keys rotated?';

const memories = [
  ...['search-api', 'search-index'].map((team) => ({
    externalId: team,
    layer: 'team',
    scope: { org: 'search', team },
    content: `Search retry policies: ${team} tries a failed request three times with a growing pause`,
  })),
  ...['billing-core', 'billing-invoices', 'billing-tax'].map((team) => ({
    externalId: team,
    layer: 'team',
    scope: { org: 'billing', team },
    content: `Billing retry policies: ${team} never repeats a payment by itself`,
  })),
  { externalId: 'keys', layer: 'company', content: 'Signing keys are rotated every month by the platform' },
];

export interface Asked {
  readonly answer: Json;
  readonly audit: Json;
}

/** A tenant with memories of two orgs, and what its admin, who is also the auditor, asks it. */
export class RoutedTenant {
  readonly admin: Client;
  readonly name: string;
  readonly position: string;

  private constructor(admin: Client, name: string, position: string) {
    this.admin = admin;
    this.name = name;
    this.position = position;
  }

  static async create(server: TestServer): Promise<RoutedTenant> {
    const name = freshTenant();
    const admin = await clientWithKey(server, { tenant: name, role: 'admin', user: 'ada' });
    const lines = await admin.bulk(memories);
    expect(lines.map(({ status }) => status)).toEqual(memories.map(() => 201));
    return new RoutedTenant(admin, name, lines.at(-1)!.position);
  }

  async search(query: string, more: Record<string, unknown> = {}): Promise<Json> {
    const body = { query, threshold: 0, topK: 4, minPosition: this.position, ...more };
    const reply = await this.admin.post('/v1/search', body);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  }

  async audited(searchId: string): Promise<Json> {
    const reply = await this.admin.get(`/v1/audit/searches/${searchId}?waitMs=20000`);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  }

  async ask(query: string, more: Record<string, unknown> = {}): Promise<Asked> {
    const answer = await this.search(query, more);
    return { answer, audit: await this.audited(answer.searchId) };
  }

  async configure(change: Record<string, unknown>): Promise<Json> {
    const reply = await this.admin.patch('/v1/admin/routing', change);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  }
}
