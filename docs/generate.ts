// npm run docs: writes the reference pages and the dashboards from the code. A test fails when they are out of date.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { z } from 'zod';
import type { Command } from 'commander';
import { createProgram } from '../src/cli/program.ts';
import { settings } from '../src/config.ts';
import { kindOfCategory } from '../src/domain/contract/topics.ts';
import { eventDefinitions } from '../src/domain/events/registry.ts';
import { problems } from '../src/domain/problems.ts';
import { asyncApiDocument } from '../src/http/asyncapi.ts';
import { bindings } from '../src/http/bindings/index.ts';
import { openApiDocument } from '../src/http/openapi.ts';
import { listedTools } from '../src/mcp/server.ts';
import { dashboards, grafanaModel } from './dashboards.ts';
import { remediesFile, typesFile, type OpenApiDocument } from '../packages/client/generate.ts';

/** Contents of every generated file, by path. */
export async function referencePages(): Promise<Map<string, string>> {
  const pages = new Map([
    ['docs/reference/problems.md', problemsPage()],
    ['docs/reference/configuration.md', configurationPage()],
    ['docs/reference/events.md', eventsPage()],
    ['docs/reference/http.md', httpPage()],
    ['docs/reference/command-line.md', commandLinePage()],
    ['docs/reference/mcp.md', mcpPage()],
  ]);
  const formatted = new Map<string, string>();
  for (const [file, text] of pages)
    formatted.set(file, await format(text, { parser: 'markdown', proseWrap: 'preserve' }));
  const openApi = openApiDocument(bindings);
  formatted.set('schemas/openapi.json', `${JSON.stringify(openApi, null, 2)}\n`);
  for (const [file, text] of [
    ['api-types', typesFile(openApi as unknown as OpenApiDocument)],
    ['remedies', remediesFile(problems)],
  ] as const) {
    const path = `packages/client/src/${file}.ts`;
    formatted.set(path, await format(text, { ...(await resolveConfig(path)), parser: 'typescript' }));
  }
  formatted.set('schemas/asyncapi.json', `${JSON.stringify(asyncApiDocument(), null, 2)}\n`);
  for (const dashboard of dashboards) {
    const path = `ops/dashboards/${dashboard.uid}.json`;
    formatted.set(
      path,
      await format(JSON.stringify(grafanaModel(dashboard)), {
        ...(await resolveConfig(path)),
        parser: 'json',
      }),
    );
  }
  return formatted;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function problemsPage(): string {
  const rows = Object.entries(problems).map(([code, { status, title, remedy }]) => [
    `\`${code}\``,
    String(status),
    title,
    remedy,
  ]);
  return `# Problems

Every error response is \`application/problem+json\` (RFC 9457) with \`type, title, status, code, detail, requestId\`, and with
\`errors: [{path, message}]\` if fields are invalid; \`detail\` then lists the first three. If an unknown field probably means
a known one, the message names it (\`limit: use topK\`). \`code\` is stable. \`requestId\` equals the header \`x-request-id\`.

${table(['code', 'status', 'meaning', 'what to do'], rows)}
`;
}

function configurationPage(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const json = z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' }) as {
      default?: unknown;
      enum?: string[];
    };
    return [
      `\`${name}\``,
      json.default === undefined || json.default === '' ? '' : `\`${String(json.default)}\``,
      json.enum ? json.enum.join(', ') : '',
      schema.description ?? '',
    ];
  });
  return `# Configuration

The server is configured by environment variables. If a value is invalid, it refuses to start and says which variable is wrong and what
it accepts.
Options of \`stratalog serve\` take precedence. The command line also reads \`STRATALOG_URL\`,
\`STRATALOG_API_KEY\` and \`STRATALOG_ON_BEHALF_OF\`.

${table(['variable', 'default', 'allowed values', 'description'], rows)}
`;
}

function eventsPage(): string {
  const fields = (schema: z.ZodObject) =>
    Object.keys(schema.shape)
      .map((name) => `\`${name}\``)
      .join(', ');
  const rows = [...eventDefinitions.values()].map(({ type, category, version, routing, sealed }) => [
    `\`${type}\``,
    category,
    kindOfCategory(category),
    String(version),
    fields(routing),
    fields(sealed),
  ]);
  return `# Events

The events in the log. *Readable* fields are stored unencrypted: layers, scope identifiers, types, counts, times and hashes. *Sealed*
fields are ciphertext (AES-256-GCM) under the key of the memory, the caller or the tenant, and can never be read again once that key
is destroyed. A command's \`X-Reason\` is sealed with them.

These are readable for every event: stream, revision, position, time, type and version; tenant, actor, principal, cause, correlation
and causation ids, command id, body hash (keyed), trace id, the name of the key, the subject as a keyed hash, and the SHA-256 of the
stored bytes. A memory's stream is named by the memory's id; claims are named by keyed hashes. In the \`cluster\` profile every event
also goes to the [topic](../guides/topics.md) listed here.

${table(['type', 'category', 'topic', 'version', 'readable', 'sealed'], rows)}
`;
}

function httpPage(): string {
  const rows = bindings.map(({ method, path, operation: { summary, command } }) => [
    `\`${method.toUpperCase()} ${path.replaceAll(/:([A-Za-z]+)/g, '{$1}')}\``,
    summary,
    command ? 'yes' : '',
  ]);
  return `# HTTP

The OpenAPI document is served at \`/openapi.json\` and can be browsed at \`/docs\`. Commands accept \`Idempotency-Key\`, \`X-Reason\`
and \`X-Cause\`, and return a \`position\`.

Numbers are stored as IEEE 754 doubles, so send ids of more than 15 digits as text.

Times are RFC 3339 with an offset, with \`T\` and \`Z\` in either case. They are returned in UTC with milliseconds, in upper case. A leap
second (\`:60\`) is refused; send the second after it.

${table(['call', 'description', 'command'], rows)}

Also served: \`GET /livez\`, \`GET /readyz\`, \`GET /metrics\`, \`GET /openapi.json\`, \`GET /asyncapi.json\` ([the topics](../guides/topics.md)), \`GET /docs\`;
for auditors and their tools \`GET /tlog/checkpoint\`, \`GET /tlog/tile/…\` ([the signed log](../guides/audit.md#tools-of-others)).
`;
}

function commandLinePage(): string {
  const program = createProgram();
  const shared = program.options.filter(({ long }) => long !== '--version');
  const isShared = (long: string | undefined) => shared.some((option) => option.long === long);
  const commands = program.commands.flatMap((command) =>
    command.commands.length > 0 ? command.commands : [command],
  );
  const sections = commands.map((command) => {
    const options = command.options.filter(({ long }) => !isShared(long));
    const rows = [
      ...command.registeredArguments.flatMap((argument) =>
        argument.description === '' ? [] : [[`\`${argument.name()}\``, argument.description]],
      ),
      ...options.map(({ flags, description }) => [`\`${flags}\``, description]),
    ];
    return `## \`${pathOfCommand(command)}\`\n\n${command.description()}.${rows.length > 0 ? `\n\n${table(['', ''], rows)}` : ''}`;
  });
  return `# Command line

From a checkout, after \`npm ci\`, or where it is [installed](../guides/install.md): \`npx stratalog …\` in that folder. (With \`npx --no stratalog\`, npm takes \`--help\` and \`--version\` for
its own.) \`stratalog help COMMAND\` shows the options listed here.

Commands print readable text, or JSON with \`--json\`. The exit status is 0 on success, 1 if the command failed, and 2 if its arguments
were wrong. All commands except \`serve\`, \`demo\`, \`doctor\`, and \`mcp\` without \`--url\`, send HTTP requests to a server:

${table(
  ['option', 'description'],
  shared.map(({ flags, description }) => [`\`${flags}\``, description]),
)}

On a terminal, \`serve\` prints its address, the URL of the docs, the data folder and how callers are identified, followed by its log as
lines of text. In a pipe or with \`--json\`, it logs one JSON object per line.

${sections.join('\n\n')}
`;
}

interface ParameterSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly items?: ParameterSchema;
  readonly anyOf?: readonly ParameterSchema[];
  readonly const?: unknown;
}

/** The values that a parameter takes, in words. */
function valuesOf({
  type,
  default: preset,
  enum: choices,
  items,
  anyOf,
  const: only,
}: ParameterSchema): string {
  const kind =
    choices?.join(', ') ??
    anyOf?.map(valuesOf).join(' or ') ??
    (only === undefined ? (items ? `list of ${valuesOf(items)}` : (type ?? '')) : String(only));
  return preset === undefined ? kind : `${kind}; default ${String(preset)}`;
}

function mcpPage(): string {
  const sections = listedTools({ isAgent: true }).map(({ name, description, inputSchema, annotations }) => {
    const { properties = {}, required = [] } = inputSchema;
    const rows = Object.entries(properties as Record<string, ParameterSchema>).map(([parameter, schema]) => [
      `\`${parameter}\``,
      required.includes(parameter) ? 'yes' : '',
      valuesOf(schema),
      schema.description ?? '',
    ]);
    const effect = annotations?.readOnlyHint
      ? 'Reads.'
      : annotations?.destructiveHint
        ? 'Changes or removes what is stored.'
        : 'Adds.';
    return `## \`${name}\`\n\n${description} *${effect}*\n\n${table(['parameter', 'required', 'value', 'description'], rows)}`;
  });
  return `# MCP tools

[How to connect a client](../guides/mcp.md). These are the descriptions that the model reads.

${sections.join('\n\n')}
`;
}

/** \`keys create\`, with its arguments. */
function pathOfCommand(command: Command): string {
  const names = [command.name()];
  for (let { parent } = command; parent?.parent; parent = parent.parent) names.unshift(parent.name());
  const args = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [...names, ...args].join(' ');
}

/** Writes the files that have changed; with `--check` it only lists them and exits with status 1. */
export async function main(args: readonly string[]): Promise<void> {
  for (const [file, text] of await referencePages()) {
    const present = await readFile(path.resolve(file), 'utf8').catch(() => '');
    if (present === text) continue;
    if (args.includes('--check')) {
      console.error(`${file} is out of date: run npm run docs`);
      process.exitCode = 1;
    } else await writeFile(path.resolve(file), text);
  }
}
