export interface NodeOptions {
  /** Where the node's programs are. */
  readonly home: string;
  /** Where it keeps its configuration, data and temporary files. */
  readonly folder: string;
  readonly port: number;
  /** In the JVM's words, `512m` by default. */
  readonly heap?: string;
  readonly archive?: boolean;
}

export interface NodeCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export function nodeCommand(options: NodeOptions): Promise<NodeCommand>;
export function findOpenSearchJava(): Promise<{ readonly program: string; readonly version: string }>;
