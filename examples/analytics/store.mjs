// The DuckDB file. Events and the position behind them are written in one transaction, so an interrupted run counts nothing twice.
import { DuckDBInstance } from '@duckdb/node-api';

const schema = `
  create table if not exists meta (name varchar primary key, value varchar);
  create table if not exists progress (source varchar primary key, position varchar, next_offset bigint);
  create table if not exists memories (memory_id varchar primary key, layer varchar, length bigint, stored_at timestamptz,
    deleted_at timestamptz, erased_at timestamptz);
  create table if not exists searches (event_id varchar, search_id varchar, happened_at timestamptz, actor varchar, route varchar,
    results integer, top_relevance double, duration_ms double);
  create table if not exists accesses (event_id varchar, search_id varchar, happened_at timestamptz, how varchar, memory_id varchar);
  create table if not exists outcomes (event_id varchar, search_id varchar, happened_at timestamptz, kind varchar, quality double);
  create table if not exists uses (search_id varchar, memory_id varchar, relevance double, used boolean, primary key (search_id, memory_id));
  create table if not exists cost (event_id varchar, happened_at timestamptz, day date, purpose varchar, model varchar,
    input_tokens bigint, output_tokens bigint, usd double, outcome varchar);`;

/** What each type of event becomes: statement and rows of values. Types that are not here are skipped. */
const handlers = {
  MemoryStored: ({ time, data }) => [
    `insert into memories (memory_id, layer, length, stored_at) values ($1, $2, $3, $4)
     on conflict do update set layer = excluded.layer, length = excluded.length, stored_at = excluded.stored_at`,
    [[data.memoryId, data.layer, data.contentLength, time]],
  ],
  MemoryDeleted: ({ time, data }) => marked('deleted_at', data.memoryId, time),
  MemoryRestored: ({ data }) => marked('deleted_at', data.memoryId, null),
  MemoryErased: ({ time, data }) => marked('erased_at', data.memoryId, time),
  SearchPerformed: ({ id, time, actor, data }) => [
    'insert into searches values ($1, $2, $3, $4, $5, $6, $7, $8)',
    [
      [
        id,
        data.searchId,
        time,
        actor,
        data.route ?? null,
        data.results.length,
        data.results[0]?.relevance ?? null,
        data.durationMs ?? null,
      ],
    ],
  ],
  MemoriesAccessed: ({ id, time, data }) => [
    'insert into accesses values ($1, $2, $3, $4, $5)',
    data.memoryIds.map((memory) => [id, data.searchId, time, data.how, memory]),
  ],
  OutcomeObserved: ({ id, time, data }) => [
    'insert into outcomes values ($1, $2, $3, $4, $5)',
    [[id, data.searchId, time, data.kind, data.quality ?? null]],
  ],
  UseObserved: ({ data }) => [
    'insert or replace into uses values ($1, $2, $3, $4)',
    data.results.map(({ memoryId, relevance, used }) => [data.searchId, memoryId, relevance ?? null, used]),
  ],
  CostIncurred: ({ id, time, data }) => [
    'insert into cost values ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    [
      [
        id,
        time,
        data.day,
        data.purpose,
        data.model,
        data.inputTokens,
        data.outputTokens,
        data.usd ?? null,
        data.outcome ?? null,
      ],
    ],
  ],
};

/** An event of a memory may arrive before the one that stored it, if they are repeated. */
function marked(column, memory, time) {
  return [
    `insert into memories (memory_id, ${column}) values ($1, $2) on conflict do update set ${column} = excluded.${column}`,
    [[memory, time]],
  ];
}

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
        let added = 0;
        for (const event of events) {
          const before = progress.get(event.source)?.position;
          // Positions of the audit are opaque, and it never repeats an event behind `after`.
          const isRepeated =
            way === 'kafka' && before !== undefined && BigInt(event.position) <= BigInt(before);
          progress.set(event.source, {
            position: isRepeated ? before : event.position,
            next_offset: event.nextOffset ?? 0,
          });
          if (isRepeated || event.type === undefined) continue;
          added++;
          if (event.log)
            await expectSame(
              'log',
              event.log,
              (kept) => `holds events of the log ${kept}, not of ${event.log}`,
            );
          if (!Object.hasOwn(handlers, event.type) || event.data === undefined) continue;
          const [sql, values] = handlers[event.type](event);
          for (const row of values) await connection.run(sql, row);
        }
        for (const source of new Set(events.map((event) => event.source))) {
          const { position, next_offset } = progress.get(source);
          await connection.run('insert or replace into progress values ($1, $2, $3)', [
            source,
            position,
            BigInt(next_offset),
          ]);
        }
        await connection.run('commit');
        return added;
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
