import { expect, vi } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from './api.ts';
import type { ServerAddress } from './server.ts';

/** A question that compares two sides. */
export const comparison = 'What is the difference between the retry policies of Search and Billing?';
export const simple = 'How are signing keys rotated?';

/** Memories of two orgs. */
export const policies: readonly Json[] = [
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

export interface SearchTenantOptions {
  readonly memories?: readonly Json[];
  /** Routing settings of the tenant. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Fields added to each search. */
  readonly request?: Readonly<Record<string, unknown>>;
}

/** The answer of a search with its audit record. */
export interface AuditedSearch {
  readonly answer: Json;
  readonly audit: Json;
}

/** A tenant with memories that all read models have applied, and the searches of its admin, who is also an auditor. */
export class SearchTenant {
  readonly admin: Client;
  readonly name: string;
  readonly position: string;
  readonly #request: Readonly<Record<string, unknown>>;

  private constructor(
    admin: Client,
    name: string,
    position: string,
    request: Readonly<Record<string, unknown>>,
  ) {
    this.admin = admin;
    this.name = name;
    this.position = position;
    this.#request = request;
  }

  static async create(
    server: ServerAddress,
    { memories = policies, settings, request = {} }: SearchTenantOptions = {},
  ): Promise<SearchTenant> {
    const name = freshTenant();
    const admin = await clientWithKey(server, { tenant: name, role: 'admin', user: 'ada' });
    const lines = await admin.bulk(memories);
    expect(lines.map(({ status }) => status)).toEqual(memories.map(() => 201));
    await vi.waitUntil(async () => (await lagOf(admin)) === 0, 30_000);
    const tenant = new SearchTenant(admin, name, lines.at(-1)!.position, request);
    if (settings) await tenant.configure(settings);
    return tenant;
  }

  async search(query: string, more: Record<string, unknown> = {}, client = this.admin): Promise<Json> {
    const body = { query, threshold: 0, minPosition: this.position, ...this.#request, ...more };
    const reply = await client.post('/v1/search', body);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  }

  async audited(searchId: string): Promise<Json> {
    const reply = await this.admin.get(`/v1/audit/searches/${searchId}?waitMs=20000`);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  }

  async ask(query: string, more: Record<string, unknown> = {}, client = this.admin): Promise<AuditedSearch> {
    const answer = await this.search(query, more, client);
    return { answer, audit: await this.audited(answer.searchId) };
  }

  async configure(change: Readonly<Record<string, unknown>>): Promise<Json> {
    const reply = await this.admin.patch('/v1/admin/routing', change);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  }
}

/** The greatest lag of the read models that queries use. */
async function lagOf(admin: Client): Promise<number> {
  const { body } = await admin.get('/v1/admin/projections');
  const live = body.items.flatMap(({ generations }: Json) =>
    generations.filter(({ active }: Json) => active),
  );
  return Math.max(...live.map(({ lag }: Json) => lag));
}
