export interface NodeOptions {
  /** Folder of the node's programs. */
  readonly home: string;
  /** Folder of its configuration, data and temporary files. */
  readonly folder: string;
  readonly port: number;
  /** Heap size as the JVM writes it; `512m` by default. */
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
