import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, type Json, type Reply } from '../support/api.ts';
import { caughtUp } from '../support/log-reader.ts';
import { expectProblem } from '../support/problem.ts';
import { serveOnce } from '../support/serve-once.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { SmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';

const title = 'a server whose disk is full';
const reason = whyNoSmallDisk();
if (reason !== undefined) describe.skip(`${title} (no disk can be mounted here: ${reason})`, () => {});
else
  describe(title, () => {
    let disk: SmallDisk;
    let environment: Record<string, string>;
    let server: TestServer;
    const acknowledged: string[] = [];
    const client = () => clientOf(server);
    const start = (): Promise<TestServer> =>
      startServer({ masterKey: null, environment, prefix: disk.prefix });

    beforeAll(async () => {
      disk = await SmallDisk.mount(220);
      environment = {
        STRATALOG_PROFILE: 'embedded',
        STRATALOG_EMBEDDER: 'deterministic',
        STRATALOG_DATA: path.join(disk.mountPoint, 'data'),
      };
      server = await start();
      const { memory } = await client().store({ content: 'stored while there was room', tags: ['room'] });
      acknowledged.push(memory.id);
      await caughtUp(server);
    });

    afterAll(async () => {
      try {
        await server.remove();
      } finally {
        await disk.remove();
      }
    });

    async function write(content: string): Promise<Reply> {
      const reply = await client().post('/v1/memories', { content, duplicates: 'keep' });
      if (reply.status === 201) acknowledged.push(reply.body.memory.id);
      return reply;
    }

    /** Writes until a write is refused, then a few more times. Returns the last refusal. */
    async function writeUntilRefused(): Promise<Reply> {
      let refused: Reply | undefined;
      for (let refusals = 0; refusals < 30;) {
        // Random, so that compression does not save space.
        const reply = await write(randomBytes(45_000).toString('base64'));
        if (reply.status === 201) continue;
        refused = reply;
        refusals++;
      }
      return refused!;
    }

    async function expectReads(): Promise<void> {
      const [first] = acknowledged;
      expect(await client().get(`/v1/memories/${first}`)).toMatchObject({ status: 200, body: { id: first } });
      const listed = await client().get('/v1/memories?tag=room');
      expect(listed, JSON.stringify(listed.body)).toMatchObject({
        status: 200,
        body: { items: [{ id: first }] },
      });
      const found = await client().post('/v1/search', { query: 'stored while there was room' });
      expect(found, JSON.stringify(found.body)).toMatchObject({ status: 200 });
      expect(found.body.results[0]).toMatchObject({ memory: { id: first } });
    }

    async function expectWritable(): Promise<void> {
      await expect.poll(async () => (await write('there is room')).status, { timeout: 60_000 }).toBe(201);
      for (const id of acknowledged) expect((await client().get(`/v1/memories/${id}`)).status).toBe(200);
      // Read models waited for space, and none of them parked an event.
      await caughtUp(server);
      const page = await client().get('/v1/memories?limit=500');
      expect(page.body.items.map(({ id }: Json) => id).sort()).toEqual([...acknowledged].sort());
    }

    it.each([
      ['at once', 0],
      ['except for less than the database needs to continue', 20 << 20],
      ['by its own writes', 90 << 20],
    ])(
      'answers writes with 503 storage-full, still answers reads, and writes again later (full %s)',
      async (_, leave) => {
        disk.fill(leave);
        const refused = await writeUntilRefused();
        expectProblem(refused, 503, 'storage-full');
        expect(refused.body.detail).toContain('less than 64 MB are free on the disk of the server');
        // A checkpoint may free some space. Read models are at work in what is left.
        disk.fill(Math.min(leave, 48 << 20));
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        expectProblem(await client().delete(`/v1/memories/${acknowledged[0]}`), 503, 'storage-full');
        await expectReads();
        // Reading the history is recorded as an event. If it cannot be recorded, the history is not returned.
        const history = `/v1/memories/${acknowledged[0]}/history`;
        expectProblem(await client().get(history), 503, 'storage-full');
        disk.free();
        await expectWritable();
        await expectReads();
        expect((await client().get(history)).body.items).toHaveLength(1);
      },
    );

    it('refuses to start if no space is left, reports it, and loses nothing', async () => {
      await server.stop('SIGKILL');
      disk.fill();
      const { code, output } = await serveOnce(environment, { prefix: disk.prefix });
      disk.free();
      expect(code, output).toBe(1);
      expect(output).toMatch(/disk is full/i);
      expect(output).not.toMatch(/^\s+at /m);
      server = await start();
      await expectWritable();
      await expectReads();
    });
  });
