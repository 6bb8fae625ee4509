import { Command, Option } from 'commander';
import { packageVersion } from '../../adapters/package-version.ts';
import { connectionOf, type Connection } from '../client.ts';
import { environmentWith } from '../environment.ts';
import { toolSets, type ToolSet } from '../../mcp/session.ts';
import type { Send } from './forward.ts';

export function mcpCommand(): Command {
  return new Command('mcp')
    .description('Serve the memory to one MCP client on standard input and output')
    .option('--data <folder>', 'data folder (STRATALOG_DATA), which several `mcp` commands can share')
    .addOption(
      new Option('--tools <set>', 'which tools are listed; core: those that most conversations need')
        .choices(toolSets)
        .default('all'),
    )
    .action(async (options: { data?: string; tools: ToolSet }, command: Command) => {
      const { url = process.env['STRATALOG_URL'] || undefined } = command.optsWithGlobals<{ url?: string }>();
      if (url !== undefined && options.data !== undefined)
        command.error('error: --data and --url (STRATALOG_URL) exclude each other');
      const connection = connectionOf(command);
      await (url === undefined ? serveFolder(options, connection) : serveServer(options, connection));
    });
}

/** Passes requests on to a running server. */
async function serveServer({ tools }: { tools: ToolSet }, connection: Connection): Promise<void> {
  const { post } = await import('./json-rpc.ts');
  const headers = headersOf(connection);
  await serve(
    (request) => post(connection, { ...request, headers, tools }),
    () => Promise.resolve(),
  );
}

/** Opens the data folder, or passes requests on to the process that has it open. */
async function serveFolder(
  { data, tools }: { data?: string; tools: ToolSet },
  connection: Connection,
): Promise<void> {
  const { ConfigError, readConfig } = await import('../../config.ts');
  // Only this process and others of the same user can reach it.
  const config = {
    ...readConfig(environmentWith({ ...(data !== undefined && { data }) })),
    host: '127.0.0.1',
  };
  if (config.profile !== 'embedded')
    throw new ConfigError(
      'STRATALOG_PROFILE: only a data folder of the profile embedded can be opened here; name a running server with --url',
    );
  const [{ createLogger }, { SharedFolder }] = await Promise.all([
    import('../../observability/logger.ts'),
    import('./shared-folder.ts'),
  ]);
  // Standard output belongs to the protocol.
  const logger = createLogger(config, process.stderr);
  const folder = await SharedFolder.of(config, logger);
  const headers = headersOf(connection);
  const served = serve(
    (request) => folder.send({ ...request, headers, tools }),
    () => folder.close(),
  );
  // The client is served while the folder opens.
  await folder.open();
  await served;
}

function headersOf({ key, onBehalfOf }: Connection): Record<string, string> {
  return {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(onBehalfOf !== undefined && { 'x-on-behalf-of': Buffer.from(onBehalfOf).toString('latin1') }),
  };
}

/** The library ends the connection when a message is longer. */
const maxMessageBytes = 10 * 1024 * 1024;

/** Serves until the client closes standard input or sends more than a message may have, or a signal comes. */
async function serve(send: Send, close: () => Promise<void>): Promise<void> {
  const [{ serveStdio, StdioServerTransport }, { forwardingServer }, { MessageLines }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('./forward.ts'),
    import('./message-lines.ts'),
  ]);
  const version = packageVersion();
  await new Promise<void>((resolve) => {
    class EndingTransport extends StdioServerTransport {
      override async close(): Promise<void> {
        await super.close();
        resolve();
      }
    }
    const lines = new MessageLines({
      maxLength: maxMessageBytes,
      answer: (line) => process.stdout.write(line),
    });
    serveStdio(() => forwardingServer(version, send), {
      transport: new EndingTransport(process.stdin.pipe(lines)),
    });
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => resolve());
  });
  await close();
  process.exit(0);
}
