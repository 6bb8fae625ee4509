import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brokerCommand, kafkaJars, prepareBroker, type BrokerPlan } from '../../stack/kafka-broker.mjs';
import { freePort } from './free-port.ts';

const home = path.resolve('.stack/kafka');
const archive = path.join(home, 'libs', 'classes.jsa');

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly controllerPort: number;
}

type Plan = Omit<BrokerPlan, 'port' | 'controllerPort'>;

/** Whether a broker can be started here, with STACK_KAFKA_LIBS or the files of `npm run stack -- up kafka`. */
export function hasKafka(): boolean {
  return process.env['STACK_KAFKA_LIBS'] !== undefined || existsSync(path.join(home, 'libs', 'complete'));
}

/** A Kafka broker for one test, which can be frozen, killed and restarted. */
export class PrivateKafka {
  readonly port: number;
  readonly #folder: string;
  readonly #jars: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number, jars: readonly string[]) {
    this.#folder = folder;
    this.port = port;
    this.#jars = jars;
  }

  /** `plan` returns further settings for the broker. */
  static async start(plan: (place: Place) => Plan | Promise<Plan> = () => ({})): Promise<PrivateKafka> {
    const folder = await mkdtemp(path.join(tmpdir(), 'stratalog-kafka-'));
    const place = { folder, port: await freePort(), controllerPort: await freePort() };
    const { port, controllerPort } = place;
    const jars = await kafkaJars(home, () => {});
    await prepareBroker(folder, jars, { port, controllerPort, ...(await plan(place)) });
    const broker = new PrivateKafka(folder, port, jars);
    await broker.launch();
    return broker;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Starts the broker's process without waiting until it accepts requests. */
  async launch(): Promise<void> {
    const start = await brokerCommand(this.#folder, this.#jars, existsSync(archive) ? { archive } : {});
    const log = openSync(path.join(this.#folder, 'server.log'), 'a');
    const { command, args, env, cwd } = start;
    this.#process = spawn(command, args, { env, cwd, stdio: ['ignore', log, log] });
    closeSync(log);
    await once(this.#process, 'spawn');
  }

  async kill(name: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const broker = this.#process;
    if (!broker || broker.exitCode !== null || broker.signalCode !== null) return;
    const ended = once(broker, 'exit');
    broker.kill(name);
    await ended;
  }

  /** Suspends the process: it neither answers nor closes connections. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  log(): Promise<string> {
    return readFile(path.join(this.#folder, 'server.log'), 'utf8');
  }

  async remove(): Promise<void> {
    this.thaw();
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
