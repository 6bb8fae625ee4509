/** A way to connect an agent, as text to copy. */
interface Connection {
  readonly name: string;
  readonly text: string;
}

/** Ways to connect to the server at this address; with a key if it needs one. */
export function connections(url: string, needsKey: boolean): readonly Connection[] {
  const bearer = 'Bearer $STRATALOG_API_KEY';
  const header = needsKey ? ` --header "Authorization: ${bearer}"` : '';
  const server = { url: `${url}/mcp`, ...(needsKey && { headers: { Authorization: bearer } }) };
  const options = needsKey ? `{ url: '${url}', apiKey: process.env.STRATALOG_API_KEY }` : `{ url: '${url}' }`;
  return [
    { name: 'Claude Code', text: `claude mcp add --transport http memory ${url}/mcp${header}` },
    {
      name: 'Cursor and most MCP clients',
      text: JSON.stringify({ mcpServers: { memory: server } }, null, 2),
    },
    { name: 'VS Code', text: JSON.stringify({ servers: { memory: { type: 'http', ...server } } }, null, 2) },
    {
      name: 'TypeScript',
      text: [
        "import { Stratalog } from '@stratalog/client';",
        '',
        `const stratalog = new Stratalog(${options});`,
        "await stratalog.memories.store({ content: 'Mia is allergic to peanuts' });",
        "const { results } = await stratalog.search({ query: 'What must Mia not eat?' });",
      ].join('\n'),
    },
    {
      name: 'curl',
      text: [
        `curl -X POST ${url}/v1/search -H 'content-type: application/json' \\`,
        ...(needsKey ? [`  -H "Authorization: ${bearer}" \\`] : []),
        `  -d '{"query": "What must Mia not eat?"}'`,
      ].join('\n'),
    },
  ];
}
