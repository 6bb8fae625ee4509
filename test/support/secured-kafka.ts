import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { openKafkaTransport, type KafkaTransportOptions } from '../../src/adapters/kafka/transport.ts';
import { freePort } from './free-port.ts';
import { PrivateKafka } from './private-kafka.ts';
import { untilServed } from './until-served.ts';

const run = promisify(execFile);
const username = 'stratalog';
const password = 'a secret of this test';

/** A broker for one test that requires TLS and a login with any of the three mechanisms. */
export class SecuredKafka {
  readonly username = username;
  readonly password = password;
  /** The broker's self-signed certificate in PEM. */
  readonly certificate: string;
  readonly #broker: PrivateKafka;

  private constructor(broker: PrivateKafka, certificate: string) {
    this.#broker = broker;
    this.certificate = certificate;
  }

  /** Resolves when it accepts requests. */
  static async start(): Promise<SecuredKafka> {
    const internal = await freePort();
    let certificate = '';
    const broker = await PrivateKafka.start(async (place) => {
      certificate = await makeCertificate(place.folder);
      return securedPlan(place, internal);
    });
    const secured = new SecuredKafka(broker, certificate);
    await secured.#ready();
    return secured;
  }

  get address(): string {
    return this.#broker.address;
  }

  remove(): Promise<void> {
    return this.#broker.remove();
  }

  async #ready(): Promise<void> {
    const options: KafkaTransportOptions = {
      brokers: [this.address],
      tls: { ca: [this.certificate] },
      sasl: { mechanism: 'plain', username, password },
    };
    await untilServed(async () => (await openKafkaTransport(options)).close());
  }
}

/** Creates a key and a self-signed certificate in `folder`. Returns the certificate in PEM. */
async function makeCertificate(folder: string): Promise<string> {
  const home = process.env['JAVA_HOME'];
  const keytool = home ? path.join(home, 'bin', 'keytool') : 'keytool';
  const store = [
    '-keystore',
    keystoreOf(folder),
    '-storetype',
    'PKCS12',
    '-storepass',
    password,
    '-alias',
    'broker',
  ];
  const name = ['-dname', 'CN=127.0.0.1', '-ext', 'san=ip:127.0.0.1', '-validity', '2'];
  await run(keytool, ['-genkeypair', '-keyalg', 'EC', '-groupname', 'secp256r1', ...name, ...store]);
  const { stdout } = await run(keytool, ['-exportcert', '-rfc', ...store]);
  return stdout;
}

function securedPlan(
  { folder, port, controllerPort }: { folder: string; port: number; controllerPort: number },
  internal: number,
) {
  const at = (listener: string, number: number): string => `${listener}://127.0.0.1:${number}`;
  const modules = 'org.apache.kafka.common.security';
  const scram = `${modules}.scram.ScramLoginModule required;`;
  const own = {
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    'plain.sasl.jaas.config': `${modules}.plain.PlainLoginModule required user_${username}="${password}";`,
    'scram-sha-256.sasl.jaas.config': scram,
    'scram-sha-512.sasl.jaas.config': scram,
    'ssl.keystore.type': 'PKCS12',
    'ssl.keystore.location': keystoreOf(folder),
    'ssl.keystore.password': password,
    'ssl.key.password': password,
  };
  const settings = {
    listeners: [at('BROKER', port), at('INTERNAL', internal), at('CONTROLLER', controllerPort)].join(','),
    'advertised.listeners': [at('BROKER', port), at('INTERNAL', internal)].join(','),
    'listener.security.protocol.map': 'BROKER:SASL_SSL,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'INTERNAL',
    ...Object.fromEntries(
      Object.entries(own).map(([name, value]) => [`listener.name.broker.${name}`, value]),
    ),
  };
  const format = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${username},password=${password}]`,
  ]);
  return { settings, format };
}

const keystoreOf = (folder: string): string => path.join(folder, 'broker.p12');
