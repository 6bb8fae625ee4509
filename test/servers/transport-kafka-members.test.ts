import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openKafkaTransport } from '../../src/adapters/kafka/transport.ts';
import type { Transport } from '../../src/ports/transport.ts';
import { ChildProgram, type Child } from '../support/child-program.ts';
import { Member } from '../support/group-member.ts';
import { freshName, freshTopic, numbers, record } from '../support/transport-records.ts';

const brokers = process.env['STRATALOG_KAFKA_BROKERS'];
const partitions = 4;
const keys = numbers(12).map((n) => `memory-acme.${n}`);

if (brokers)
  describe('a group in Kafka, a member of which', () => {
    let program: ChildProgram;
    let transport: Transport;

    beforeAll(async () => {
      program = await ChildProgram.bundle('kafka-member.ts');
      transport = await openKafkaTransport({ brokers: brokers.split(',') });
    });

    afterAll(async () => {
      await transport?.close();
      await program?.dispose();
    });

    /** A member here and one in a child process, with two partitions each, while records are published. */
    async function pair() {
      const topic = await freshTopic(transport, partitions);
      const group = freshName('group');
      const child = program.start(brokers!, group, topic);
      const lines = linesOf(child);
      await expect.poll(() => lines, { timeout: 20_000 }).toContain(`assigned ${partitions}`);
      const member = new Member(transport, { group, topics: [topic] });
      await member.holds(partitions / 2);
      const stop = new AbortController();
      let rounds = 0;
      const load = (async () => {
        for (; !stop.signal.aborted; rounds++) {
          await transport.publish(keys.map((key) => record(topic, key, String(rounds))));
          await sleep(10);
        }
      })();
      await member.receives(200);
      const end = async (): Promise<number> => {
        stop.abort();
        await load;
        return rounds;
      };
      return { child, lines, member, end };
    }

    /** The rounds of each key that neither member handled. */
    function missing(lines: readonly string[], member: Member, rounds: number): string[] {
      const taken = new Set([
        ...lines.filter((line) => line.startsWith('took')),
        ...member.received.map(({ key, value }) => `took ${key} ${value}`),
      ]);
      const all = keys.flatMap((key) => numbers(rounds).map((round) => `took ${key} ${round}`));
      return all.filter((line) => !taken.has(line));
    }

    it('[G3] is killed: the others take over, and nothing is lost', async () => {
      const { child, lines, member, end } = await pair();
      await child.end('SIGKILL');
      await member.holds(partitions);
      const then = member.received.length;
      await member.receives(then + 200);
      const rounds = await end();
      await expect.poll(() => missing(lines, member, rounds), { timeout: 30_000 }).toEqual([]);
      await member.leave();
    });

    it('[G3] is frozen: the others take over, and it rejoins afterwards', async () => {
      const { child, lines, member, end } = await pair();
      child.process.kill('SIGSTOP');
      await member.holds(partitions);
      const then = member.received.length;
      await member.receives(then + 200);
      child.process.kill('SIGCONT');
      await member.holds(partitions / 2);
      await expect
        .poll(() => lines.filter((line) => line === 'assigned 2').length, { timeout: 20_000 })
        .toBeGreaterThan(1);
      expect(lines.filter((line) => line.startsWith('revoked')).length).toBeGreaterThan(1);
      const rounds = await end();
      await expect.poll(() => missing(lines, member, rounds), { timeout: 30_000 }).toEqual([]);
      await member.leave();
      await child.end('SIGKILL');
    });
  });
else describe.skip('a group in Kafka: STRATALOG_KAFKA_BROKERS is not set', () => {});

/** The lines printed by the child. Grows while it runs. */
function linesOf(child: Child): string[] {
  const lines: string[] = [];
  void (async () => {
    for (;;) lines.push(await child.line());
  })().catch(() => {});
  return lines;
}
