import { openPglite } from '../../src/adapters/pglite/open.ts';

// Opens a data folder and prints that it is open, or why not. With `write`, inserts consecutive numbers and prints each
// after it was acknowledged.
const [dataDir, mode] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

try {
  const sql = await openPglite({ dataDir: dataDir! });
  say(`open ${process.pid}`);
  if (mode === 'write') {
    await sql.execute('create table if not exists number (n int primary key)');
    const [row] = await sql.query<{ n: number }>('select coalesce(max(n), 0) as n from number');
    for (let n = row!.n + 1; ; n++) {
      await sql.query('insert into number values ($1)', [n]);
      say(String(n));
    }
  }
  process.stdin.resume();
} catch (error) {
  say(JSON.stringify({ name: (error as Error).name, ...(error as object) }));
  process.exit(1);
}
