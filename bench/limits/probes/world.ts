import { setTimeout as sleep } from 'node:timers/promises';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { HttpClient, type Json } from '../../support/http.ts';
import type { Program } from '../../support/program.ts';
import { mark, maySee, type Caller, type Secret } from './secrets.ts';

export interface StoredMemory extends Secret {
  readonly id: string;
  readonly kind: 'memory';
}

/** A caller with its connections. */
export interface Asker extends Caller {
  readonly http: HttpClient;
  readonly mcp: McpClient;
  /** Sent with every request, such as whom an agent acts for. */
  readonly headers: Readonly<Record<string, string>>;
  /** A search of its own, whose id others try to use. */
  searchId: string;
}

export interface ProbeWorld {
  readonly askers: readonly Asker[];
  readonly memories: readonly StoredMemory[];
  /** By mark: memories, and attempts from which lessons are drawn. */
  readonly secrets: ReadonlyMap<string, Secret>;
  close(): Promise<void>;
}

const tenants = ['north', 'south'];
const perPlace = 3;
const patienceMs = 60_000;

type Place = Pick<Secret, 'layer' | 'scope'>;

const places: readonly Place[] = [
  { layer: 'company', scope: {} },
  { layer: 'team', scope: { team: 'red' } },
  { layer: 'team', scope: { team: 'blue' } },
  { layer: 'project', scope: { project: 'apollo' } },
  { layer: 'project', scope: { project: 'gemini' } },
  { layer: 'user', scope: { user: 'alice' } },
  { layer: 'user', scope: { user: 'bob' } },
  { layer: 'session', scope: { user: 'alice', session: 'monday' } },
  { layer: 'session', scope: { user: 'bob', session: 'tuesday' } },
];

/** Two tenants with the same users, teams and projects, in which everything has a mark, and callers who see different parts. */
export async function openProbeWorld(program: Program, random: () => number): Promise<ProbeWorld> {
  const memories: StoredMemory[] = [];
  const secrets = new Map<string, Secret>();
  const askers: Asker[] = [];
  for (const tenant of tenants) {
    const admin = await program.client({
      tenant,
      role: 'admin',
      user: 'root',
      teams: ['red', 'blue'],
      projects: ['apollo', 'gemini'],
    });
    const own = await askersOf(program, tenant);
    askers.push(...own);
    for (const place of places) {
      const writer = own.find(
        (asker) => asker.user !== undefined && maySee(asker, { ...place, tenant, bait: '', proof: '' }),
      )!;
      const stored = [];
      for (let n = 0; n < perPlace; n++)
        stored.push(await store(place.layer === 'company' ? admin : writer.http, tenant, place, random));
      for (const memory of stored) secrets.set(memory.proof, memory);
      memories.push(...stored);
      await link(place.layer === 'company' ? admin : writer.http, stored);
    }
    for (const asker of own.slice(0, 2))
      for (const secret of await attempts(asker, random)) secrets.set(secret.proof, secret);
    await summarize(own, admin);
    admin.close();
  }
  await program.caughtUp();
  await lessonsAre(askers);
  for (const asker of askers) {
    const { searchId } = await asker.http.expect(
      200,
      'POST',
      '/v1/search',
      { query: 'vault' },
      asker.headers,
    );
    asker.searchId = searchId;
  }
  return {
    askers,
    memories,
    secrets,
    async close() {
      for (const { http, mcp } of askers) {
        http.close();
        await mcp.close();
      }
    },
  };
}

async function askersOf(program: Program, tenant: string): Promise<Asker[]> {
  const member = { tenant, role: 'member' };
  const alice = { user: 'alice', teams: ['red'], projects: ['apollo'] };
  const bob = { user: 'bob', teams: ['blue'], projects: ['gemini'] };
  const agent = { tenant, role: 'agent', agents: ['helper'], users: ['*'] };
  const nobody = { teams: [], projects: [] };
  const open = async (caller: Caller, key: Json, headers: Record<string, string> = {}): Promise<Asker> => {
    const secret = await program.newKey(key);
    const mcp = new McpClient({ name: 'probe', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${secret}`, ...headers } };
    await mcp.connect(new StreamableHTTPClientTransport(new URL('/mcp', program.url), { requestInit }));
    return { ...caller, http: new HttpClient(program.url, secret), mcp, headers, searchId: '' };
  };
  return [
    await open({ name: 'alice', tenant, ...alice }, { ...member, ...alice }),
    await open({ name: 'bob', tenant, ...bob }, { ...member, ...bob }),
    await open({ name: 'nobody', tenant, ...nobody }, member),
    await open({ name: 'agent', tenant, ...nobody }, agent),
    await open({ name: 'auditor', tenant, ...nobody, isAuditor: true }, { tenant, role: 'auditor' }),
    await open({ name: 'agent for alice', tenant, ...nobody, user: 'alice' }, agent, {
      'x-on-behalf-of': 'alice',
    }),
  ];
}

async function store(
  client: HttpClient,
  tenant: string,
  place: Place,
  random: () => number,
): Promise<StoredMemory> {
  const [bait, proof] = [mark('bait', random), mark('proof', random)];
  const { memory } = await client.expect(201, 'POST', '/v1/memories', {
    ...place,
    content: `The vault of ${bait} opens with the code ${proof}.`,
    tags: [bait, `tag-${proof}`],
    metadata: { bait, hint: `hint-${proof}` },
    spaces: ['vaults'],
    externalId: `external-${bait}`,
    duplicates: 'keep',
  });
  return { kind: 'memory', id: memory.id, tenant, ...place, bait, proof };
}

async function link(client: HttpClient, [first, ...others]: readonly StoredMemory[]): Promise<void> {
  for (const other of others) {
    await client.expect(200, 'PUT', `/v1/memories/${first!.id}/links/related/${other.id}`, {});
    await client.expect(200, 'PUT', `/v1/memories/${other.id}/links/supports/${first!.id}`, {});
  }
}

/** A failure and a success, from which a lesson is drawn. Both belong to the user. */
async function attempts({ tenant, user, http }: Asker, random: () => number): Promise<Secret[]> {
  const bait = mark('bait', random);
  const outcomes = [
    { outcome: 'failure', failureReason: 'too slow', strategy: { topK: 50 } },
    { outcome: 'success', strategy: { topK: 5 } },
  ];
  const secrets: Secret[] = [];
  for (const outcome of outcomes) {
    const proof = mark('proof', random);
    await http.expect(201, 'POST', '/v1/reasoning/traces', {
      ...outcome,
      query: `How does the vault ${bait} open in winter?`,
      approach: `asked ${proof}`,
      memoriesUsed: [],
    });
    secrets.push({ tenant, layer: 'user', scope: { user: user! }, bait, proof });
  }
  return secrets;
}

async function summarize(own: readonly Asker[], admin: HttpClient): Promise<void> {
  for (const { layer, scope } of places) {
    const client =
      layer === 'user' || layer === 'session' ? own.find(({ user }) => user === scope['user'])!.http : admin;
    await client.expect(202, 'POST', '/v1/summaries/refresh', { layer, scope });
  }
}

/** Waits for the lessons of those who recorded attempts. */
async function lessonsAre(askers: readonly Asker[]): Promise<void> {
  const learners = askers.filter(({ name }) => name === 'alice' || name === 'bob');
  for (const end = performance.now() + patienceMs; ; await sleep(200)) {
    const counts = await Promise.all(
      learners.map(
        async ({ http }) =>
          (await http.expect(200, 'GET', '/v1/reasoning/strategies')).items.length as number,
      ),
    );
    if (counts.every((count) => count > 0)) return;
    if (performance.now() > end) throw new Error('no lessons were drawn from the attempts');
  }
}
