import { createHash } from 'node:crypto';
import { encode } from '../src/adapters/eventstore/codec.ts';
import type { AnyEventDefinition } from '../src/domain/events/define.ts';
import type { EventType, StratalogEvent } from '../src/domain/events/registry.ts';
import type { RecordedEvent } from '../src/ports/event-log.ts';
import type { Document } from './event-schemas.ts';

/** An event as some version of this program recorded it, with all that is needed to read it for ever. */
export interface GoldenEvent {
  readonly recorded: Omit<RecordedEvent, 'time'> & { readonly time: string };
  /** The data key in base64, where something is sealed. */
  readonly key?: string;
  readonly reason: string;
  /** What was written, as data of its own version. */
  readonly data: Document;
}

type DataOf<Type extends EventType> = Extract<StratalogEvent, { type: Type }>['data'];

const memoryId = '0197c1a2-0000-7000-8000-000000000001';
const other = '0197c1a2-0000-7000-8000-000000000002';
const keyId = '0197c1a2-0000-7000-8000-000000000003';
const claim = 'claim-acme.5f2b9c0d1e3a47658899aabbccddeeff';
const searchId = '0197c1a2-0000-7000-8000-000000000004';

/** One example of each event, with every field set: the golden event of its present version is made from it. */
export const examples: { readonly [Type in EventType]: DataOf<Type> } = {
  MemoryStored: {
    memoryId,
    layer: 'team',
    scope: { org: 'research', team: 'search', user: 'alice' },
    spaces: ['decisions'],
    contentLength: 27,
    occurredAt: '2025-12-31T23:59:59.000Z',
    createdBy: 'user:alice',
    claim,
    content: 'Grüße: we chose HNSW at 😀 8',
    externalId: 'ticket-17',
    tags: ['vector', 'index'],
    metadata: { source: { page: 3, draft: false }, ratings: [1, null, 2.5] },
    representations: { code: 'create index using hnsw', natural_language: 'HNSW it is' },
  },
  MemoryUpdated: {
    memoryId,
    spaces: [],
    contentLength: 5,
    content: 'IVF 1',
    tags: [],
    metadata: {},
    representations: { graph: 'ivf -> hnsw' },
  },
  MemoryDeleted: { memoryId, retentionUntil: '2026-01-31T00:00:00.000Z' },
  MemoryRestored: { memoryId },
  MemoryErased: { memoryId, keyId, claim },
  ClaimTaken: { memoryId },
  ClaimReleased: { memoryId },
  CommandAnswered: { memoryId, revision: 3, position: 41, answer: { projection: 'memories', generation: 2 } },
  MemoriesLinked: { source: memoryId, target: other, type: 'contradicts', confidence: 0.75 },
  MemoriesUnlinked: { source: memoryId, target: other, type: 'contradicts' },
  FeedbackGiven: { memoryId, kind: 'outdated', score: -0.5, searchId, note: 'we moved on' },
  QuestionJudged: { memoryId, searchId, query: 'which index do we use?' },
  FeedbackErased: { memoryId },
  SummaryRequested: { layer: 'session', scope: { session: 's-1', user: 'alice' }, depths: ['sentence'] },
  SummaryGenerated: {
    layer: 'team',
    scope: { team: 'search' },
    trigger: 'refresh',
    model: 'extractive-1',
    tokenizer: 'o200k_base',
    sourceHash: '2:9f86d081884c7d65',
    memories: 2,
    readPosition: 41,
    namesUsers: true,
    summaries: [{ depth: 'sentence', tokenCount: 12, sources: [{ id: memoryId, revision: 1 }] }],
    durationMs: 12.5,
    texts: ['We chose HNSW at 😀 8. [1]'],
  },
  SummaryInvalidated: { layer: 'team', scope: { team: 'search' }, reason: 'erased', memoryId },
  SearchPerformed: {
    searchId,
    layers: ['team', 'company'],
    scope: { team: 'release' },
    spaces: ['dev_copilot'],
    topK: 10,
    threshold: 0.7,
    order: 'precedence',
    includeSuperseded: false,
    now: '2026-03-12T15:00:00.000Z',
    readPosition: 41,
    embeddingModel: 'bge-small-en-v1.5',
    results: [{ memoryId, rank: 1, relevance: 0.91, score: 0.919, feedback: -1.75 }],
    warnings: ['degraded'],
    durationMs: 12.5,
    route: 'decomposition',
    decision: {
      reason: 'complex',
      score: 0.55,
      threshold: 0.3,
      signals: [{ name: 'layers', value: 1, weight: 0.3 }],
    },
    query: 'which index did we choose?',
    tags: ['search'],
    filter: { tags: { eq: 'index' } },
    sessionId: 's-1',
  },
  MemoriesAccessed: { searchId, how: 'search', memoryIds: [memoryId] },
  ContextAssembled: {
    searchId,
    tokenBudget: 400,
    tokenCount: 38,
    tokenizer: 'o200k_base',
    items: [{ kind: 'passage', memoryId, tokens: 38, start: 120, end: 260 }],
    leftOut: [{ memoryId: other, reason: 'superseded' }],
    durationMs: 31.5,
  },
  TrajectoryRecorded: {
    searchId,
    outcome: 'partial',
    interruption: 'planning-failed',
    shown: true,
    policyVersion: 'rules-1',
    strategy: 'compare',
    planning: [
      { depth: 0, by: 'gpt-4.1-mini', durationMs: 800.5, tokens: 900 },
      { parent: 1, depth: 1, by: 'rules', reason: 'unavailable', durationMs: 300.25, tokens: 120 },
    ],
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:00:01.500Z',
    durationMs: 1_500.25,
    tokens: 12,
    queries: 2,
    maxDepth: 1,
    resultCount: 1,
    warnings: ['condition-unmet'],
    reasoning: [
      {
        step: 1,
        depth: 1,
        strategy: 'exhaustive',
        reason: 'proposed-by-model',
        layers: ['team'],
        source: 'model',
        outcome: 'failed',
        failure: 'rate-limited',
        model: 'small',
        inputTokens: 210,
        outputTokens: 40,
        at: '2026-01-01T00:00:00.250Z',
        durationMs: 200.5,
      },
    ],
    steps: [
      {
        step: 2,
        parent: 1,
        depth: 1,
        action: 'SearchLayer',
        status: 'done',
        reason: 'condition-unmet',
        at: '2026-01-01T00:00:00.500Z',
        durationMs: 20.5,
        tokens: 6,
        queries: 1,
        choices: ['SearchLayer', 'Aggregate'],
        features: { depth: 1, pending: 2 },
        propensity: 0.75,
        found: 1,
        results: [{ memoryId, score: 0.91 }],
      },
    ],
    citations: [{ memoryId, score: 0.91, steps: [2] }],
    difference: { shared: 1, added: 2, missing: 3 },
    query: 'compare the indexes of both teams',
    plan: { aggregation: 'compare', operands: [{ label: 'search', query: 'index' }] },
    arguments: [{ query: 'index', scope: { team: 'search' } }],
    expansions: [
      {
        why: 'all of it is asked for',
        searches: [{ query: 'index', dense: 'The index is built so', lexical: 'index HNSW IVF' }],
      },
    ],
  },
  LanguageModelCalled: {
    searchId,
    purpose: 'plan',
    role: 'sub',
    model: 'gpt-4.1-mini',
    outcome: 'invalid-answer',
    requests: 2,
    inputTokens: 900,
    outputTokens: 120,
    durationMs: 812.5,
  },
  AuditRead: { what: 'history', memoryId, items: 4, parameters: { limit: 50 } },
  TenantCreated: { tenant: 'acme' },
  ApiKeyCreated: {
    keyId: '5f2b9c0d1e3a47658899aabbccddeeff',
    secretHash: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
    role: 'member',
    user: 'alice',
    orgs: ['research'],
    teams: ['search'],
    projects: ['p1'],
    sessions: ['s-1'],
    agents: ['crawler'],
    users: ['acme-*'],
    expiresAt: '2027-01-01T00:00:00.000Z',
    name: 'laptop of Alice',
  },
  ApiKeyRevoked: { keyId: '5f2b9c0d1e3a47658899aabbccddeeff' },
  RoutingConfigured: {
    enabled: true,
    threshold: 0.5,
    share: 0.1,
    shadow: false,
    languageModel: false,
    budgets: { wallMs: 5_000, queries: 24, steps: 60, tokens: 20_000, depth: 3 },
    reasoning: {
      enabled: true,
      strategy: 'semantic-only',
      timeoutMs: 2_000,
      cacheSeconds: 600,
      cacheEntries: 500,
    },
  },
  SummaryConfigured: {
    layer: 'team',
    settings: {
      depths: ['sentence', 'detailed'],
      updateIntervalSeconds: 3_600,
      updateOnChanges: 5,
      skipIfUnchanged: false,
      maxAgeSeconds: 86_400,
    },
  },
  BudgetConfigured: { period: 'month', tokens: 1_000_000, usd: 12.5 },
  LedgerMonthOpened: { month: '2026-11' },
  CostReserved: {
    id: memoryId,
    purpose: 'summary',
    model: 'gpt-4.1-mini',
    day: '2026-11-27',
    inputTokens: 2_100,
    outputTokens: 900,
    usd: 0.00228,
    priced: true,
    expiresAt: '2026-11-27T10:10:00.000Z',
  },
  CostIncurred: {
    id: memoryId,
    purpose: 'summary',
    model: 'gpt-4.1-mini',
    day: '2026-11-27',
    inputTokens: 1_900,
    outputTokens: 420,
    usd: 0.001432,
    priced: true,
    outcome: 'settled',
    requests: 1,
  },
  BudgetExhausted: {
    period: '2026-11',
    purpose: 'summary',
    limit: { tokens: 1_000_000, usd: 12.5 },
    spent: { tokens: 998_500, usd: 12.1 },
    reserved: { tokens: 1_000, usd: 0.01 },
    needed: { tokens: 3_000, usd: 0.4 },
    resetsAt: '2026-12-01T00:00:00.000Z',
  },
  KillSwitchSet: { engaged: true },
  ProjectionRebuilt: {
    projection: 'memories',
    generation: 2,
    events: 41,
    digest: '12:34',
    liveDigest: '12:34',
    equal: true,
  },
  ModelsCompared: {
    projection: 'vectors',
    generation: 2,
    model: 'e5-small-v2-int8-7d9092cb',
    liveModel: 'bge-small-en-v1.5-int8-6c9c6101',
    queries: 40,
    overlap: 0.72,
    judged: { queries: 7, ndcg: 0.81, liveNdcg: 0.79 },
  },
  ProjectionRebuildBegun: { projection: 'vectors', generation: 2 },
  ProjectionRebuildEnded: { projection: 'vectors', generation: 2 },
  ProjectionSwitched: { projection: 'memories', from: 1, to: 2, rollback: false },
  ParkedStreamRetried: { projection: 'lexical', stream: `memory-acme.${memoryId}` },
  ParkedEventSkipped: {
    projection: 'memories',
    stream: `memory-acme.${memoryId}`,
    revision: 3,
    type: 'MemoryUpdated',
  },
};

/** Records the example of an event as this program does it today. */
export function recordGolden({ type, category, version }: AnyEventDefinition): GoldenEvent {
  const event = { type, data: examples[type as EventType] } as StratalogEvent;
  const stream = `${category}-acme.${memoryId}` as const;
  const key = createHash('sha256').update(`golden ${type} ${version}`).digest();
  const reason = 'a golden event';
  const metadata = {
    tenant: 'acme',
    actor: 'user:alice',
    principal: 'key:5f2b9c0d1e3a47658899aabbccddeeff',
    cause: 'user',
    correlationId: '0197c1a2-0000-7000-8000-000000000005',
    causationId: '0197c1a2-0000-7000-8000-000000000006',
    commandId: 'a command',
    bodyHash: 'ab'.repeat(32),
    traceId: 'cd'.repeat(16),
    keyId,
    subject: 'ef'.repeat(16),
  } as const;
  const stored = encode('0197c1a2-0000-7000-8000-000000000007', stream, event, metadata, { key, reason });
  return {
    recorded: { ...stored, stream, revision: 0, position: 1, time: '2026-01-01T00:00:00.000Z' },
    key: key.toString('base64'),
    reason,
    data: event.data,
  };
}
