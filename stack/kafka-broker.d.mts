/** The types of `kafka-broker.mjs`, for the tests that start brokers of their own. */
export interface BrokerPlan {
  readonly port: number;
  readonly controllerPort: number;
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  readonly format?: readonly string[];
}

export interface BrokerCommand {
  readonly command: string;
  readonly args: string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export function kafkaJars(folder: string, say: (text: string) => void): Promise<string[]>;
export function prepareBroker(folder: string, jars: readonly string[], plan: BrokerPlan): Promise<void>;
export function brokerCommand(
  folder: string,
  jars: readonly string[],
  options?: { readonly heap?: string; readonly archive?: string },
): Promise<BrokerCommand>;
