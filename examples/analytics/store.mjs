// The DuckDB file. Events and the position behind them are written in one transaction, so an interrupted run counts nothing twice.
import { DuckDBInstance } from '@duckdb/node-api';

/** Each event adds rows to one of these; none is ever changed. */
const tables = {
  memory_events: {
    event_id: 'varchar',
    memory_id: 'varchar',
    happened_at: 'timestamptz',
    type: 'varchar',
    layer: 'varchar',
    length: 'bigint',
  },
  searches: {
    event_id: 'varchar',
    search_id: 'varchar',
    happened_at: 'timestamptz',
    actor: 'varchar',
    route: 'varchar',
    results: 'integer',
    top_relevance: 'double',
    duration_ms: 'double',
  },
  accesses: {
    event_id: 'varchar',
    search_id: 'varchar',
    happened_at: 'timestamptz',
    how: 'varchar',
    memory_id: 'varchar',
  },
  outcomes: {
    event_id: 'varchar',
    search_id: 'varchar',
    happened_at: 'timestamptz',
    kind: 'varchar',
    quality: 'double',
  },
  use_events: {
    event_id: 'varchar',
    search_id: 'varchar',
    happened_at: 'timestamptz',
    memory_id: 'varchar',
    relevance: 'double',
    used: 'boolean',
  },
  cost: {
    event_id: 'varchar',
    happened_at: 'timestamptz',
    day: 'date',
    purpose: 'varchar',
    model: 'varchar',
    input_tokens: 'bigint',
    output_tokens: 'bigint',
    usd: 'double',
    outcome: 'varchar',
  },
};

const schema = `
  create table if not exists meta (name varchar primary key, value varchar);
  create table if not exists progress (source varchar primary key, position varchar, next_offset bigint);
  ${Object.entries(tables)
    .map(([table, columns]) => `create table if not exists ${table} (${columnList(columns)});`)
    .join('\n')}
  -- A memory as the last of its events left it.
  create or replace view memories as
    select memory_id, max(layer) as layer, max(length) as length,
      min(happened_at) filter (type = 'MemoryStored') as stored_at,
      case when arg_max(type, happened_at) filter (type in ('MemoryDeleted', 'MemoryRestored')) = 'MemoryDeleted'
        then max(happened_at) filter (type = 'MemoryDeleted') end as deleted_at,
      max(happened_at) filter (type = 'MemoryErased') as erased_at
    from memory_events group by memory_id;
  -- What is known last of whether a search's result was used.
  create or replace view uses as
    select search_id, memory_id, arg_max(relevance, happened_at) as relevance, arg_max(used, happened_at) as used
    from use_events group by search_id, memory_id;`;

function columnList(columns) {
  return Object.entries(columns)
    .map((column) => column.join(' '))
    .join(', ');
}

const memoryEvent = ({ data }) => [
  'memory_events',
  [{ memory_id: data.memoryId, layer: data.layer, length: data.contentLength }],
];

/** The table and rows that an event of each type becomes. Other types are skipped. */
const handlers = {
  MemoryStored: memoryEvent,
  MemoryDeleted: memoryEvent,
  MemoryRestored: memoryEvent,
  MemoryErased: memoryEvent,
  SearchPerformed: ({ actor, data }) => [
    'searches',
    [
      {
        search_id: data.searchId,
        actor,
        route: data.route,
        results: data.results.length,
        top_relevance: data.results[0]?.relevance,
        duration_ms: data.durationMs,
      },
    ],
  ],
  MemoriesAccessed: ({ data }) => [
    'accesses',
    data.memoryIds.map((memory_id) => ({ search_id: data.searchId, how: data.how, memory_id })),
  ],
  OutcomeObserved: ({ data }) => [
    'outcomes',
    [{ search_id: data.searchId, kind: data.kind, quality: data.quality }],
  ],
  UseObserved: ({ data }) => [
    'use_events',
    data.results.map(({ memoryId, relevance, used }) => ({
      search_id: data.searchId,
      memory_id: memoryId,
      relevance,
      used,
    })),
  ],
  CostIncurred: ({ data }) => [
    'cost',
    [
      {
        day: data.day,
        purpose: data.purpose,
        model: data.model,
        input_tokens: data.inputTokens,
        output_tokens: data.outputTokens,
        usd: data.usd,
        outcome: data.outcome,
      },
    ],
  ],
};

/** Opens the file. One file holds one log, read in one way: otherwise events would be counted twice. */
export async function openStore(file, way) {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await connection.run(schema);
  const rows = async (sql, values) => (await connection.runAndReadAll(sql, values)).getRowObjectsJS();

  async function expectSame(name, value, words) {
    await connection.run('insert or ignore into meta values ($1, $2)', [name, value]);
    const [kept] = await rows('select value from meta where name = $1', [name]);
    if (kept.value !== value) throw new Error(`${file} ${words(kept.value)}; name another file with --db`);
  }
  await expectSame('way', way, (kept) => `was filled from ${kept}, not from ${way}`);

  /** One statement for all rows of a table. */
  const insert = (table, list) =>
    connection.run(`insert into ${table} by name select unnest(from_json($1::json, $2), max_depth := 2)`, [
      JSON.stringify(list),
      JSON.stringify([tables[table]]),
    ]);

  return {
    rows,
    /** What was read of each source: a partition, or the audit stream. */
    async progress() {
      return new Map((await rows('select * from progress')).map((row) => [row.source, row]));
    },
    /** Adds events and moves the progress of their sources. Returns how many were new. */
    async add(events) {
      await connection.run('begin');
      try {
        const progress = await this.progress();
        const logs = new Set();
        const added = new Map();
        let count = 0;
        for (const event of events) {
          const before = progress.get(event.source)?.position;
          // Positions of the audit are opaque, and it never repeats an event behind `after`.
          const isRepeated =
            way === 'kafka' && before !== undefined && BigInt(event.position) <= BigInt(before);
          progress.set(event.source, {
            position: isRepeated ? before : event.position,
            next_offset: event.nextOffset ?? 0,
          });
          if (event.log) logs.add(event.log);
          if (isRepeated || event.type === undefined) continue;
          count++;
          if (!Object.hasOwn(handlers, event.type) || event.data === undefined) continue;
          const { id: event_id, time: happened_at, type } = event;
          const [table, list] = handlers[event.type](event);
          if (!added.has(table)) added.set(table, []);
          for (const row of list) added.get(table).push({ event_id, happened_at, type, ...row });
        }
        for (const log of logs)
          await expectSame('log', log, (kept) => `holds events of the log ${kept}, not of ${log}`);
        for (const [table, list] of added) await insert(table, list);
        for (const source of new Set(events.map((event) => event.source))) {
          const { position, next_offset } = progress.get(source);
          await connection.run('insert or replace into progress values ($1, $2, $3)', [
            source,
            position,
            BigInt(next_offset),
          ]);
        }
        await connection.run('commit');
        return count;
      } catch (error) {
        await connection.run('rollback');
        throw error;
      }
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
