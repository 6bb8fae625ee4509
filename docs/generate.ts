// npm run docs: writes the reference pages from the code. A test says when they are out of date.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format } from 'prettier';
import { z } from 'zod';
import { settings } from '../src/config.ts';
import { kindOfCategory } from '../src/domain/contract/topics.ts';
import { eventDefinitions } from '../src/domain/events/registry.ts';
import { problems } from '../src/domain/problems.ts';
import { asyncApiDocument } from '../src/http/asyncapi.ts';
import { openApiDocument } from '../src/http/openapi.ts';
import { routes } from '../src/http/routes/index.ts';

/** Every generated page by its path. */
export async function referencePages(): Promise<Map<string, string>> {
  const pages = new Map([
    ['docs/reference/problems.md', problemsPage()],
    ['docs/reference/configuration.md', configurationPage()],
    ['docs/reference/events.md', eventsPage()],
    ['docs/reference/http.md', httpPage()],
  ]);
  const formatted = new Map<string, string>();
  for (const [file, text] of pages)
    formatted.set(file, await format(text, { parser: 'markdown', proseWrap: 'preserve' }));
  formatted.set('schemas/openapi.json', `${JSON.stringify(openApiDocument(routes), null, 2)}\n`);
  formatted.set('schemas/asyncapi.json', `${JSON.stringify(asyncApiDocument(), null, 2)}\n`);
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

Every error answer is \`application/problem+json\` (RFC 9457): \`type, title, status, code, detail, requestId\`, and \`errors: [{path, message}]\`
where fields are wrong. \`code\` is stable. \`requestId\` equals the header \`x-request-id\`.

${table(['code', 'status', 'what it means', 'what to do'], rows)}
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

Environment variables. A wrong one stops the start with its name and what it takes; options of \`stratalog serve\` win over them.
The command line reads \`STRATALOG_URL\` and \`STRATALOG_API_KEY\`.

${table(['variable', 'default', 'one of', 'meaning'], rows)}
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

What the log holds. *Readable* fields stay in clear: layers, identifiers of scopes, types, counts, times and hashes. *Sealed* fields are
ciphertext (AES-256-GCM) under the key of the memory, the caller or the tenant, and are gone for ever when that key is destroyed. A
command's \`X-Reason\` is sealed with them.

Readable beside the data: stream, revision, position, time, type and version; tenant, actor, principal, cause, correlation and
causation ids, command id, body hash (keyed), trace id, the name of the key, the subject as a keyed hash, and the SHA-256 of the stored bytes.
A stream of a memory is named by its id; claims are named by keyed hashes. In the profile \`cluster\` every event also goes to the
[topic](../guides/topics.md) named here.

${table(['type', 'category', 'topic', 'version', 'readable', 'sealed'], rows)}
`;
}

function httpPage(): string {
  const rows = routes.map(({ method, path, summary, command }) => [
    `\`${method.toUpperCase()} ${path.replaceAll(/:([A-Za-z]+)/g, '{$1}')}\``,
    summary,
    command ? 'yes' : '',
  ]);
  return `# HTTP

The whole document is served at \`/openapi.json\` and browsable at \`/docs\`. Commands take \`Idempotency-Key\`, \`X-Reason\` and \`X-Cause\`,
and answer \`position\`.

Numbers are kept as IEEE 754 doubles: an id of more than 15 digits is safe as text.

Times are RFC 3339 with an offset, \`T\` and \`Z\` in either case, and are answered in UTC with milliseconds, in upper case. A leap second (\`:60\`)
is refused: send the second after it.

${table(['call', 'what it does', 'command'], rows)}

Beside it: \`GET /livez\`, \`GET /readyz\`, \`GET /metrics\`, \`GET /openapi.json\`, \`GET /asyncapi.json\` ([the topics](../guides/topics.md)), \`GET /docs\`.
`;
}

/** Writes what differs; with \`--check\` it only says what would change, and fails. */
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
