import { Command } from 'commander';
import { connect } from '../client.ts';
import { printJson, printable } from '../output.ts';

export function validateCommand(): Command {
  return new Command('validate')
    .description('Find contradictions and supersessions among memories')
    .argument('<id...>')
    .action(async (ids: string[], _, command: Command) => {
      const { client, json } = connect(command);
      const found = await client.memories.validate({ ids });
      if (json) return printJson(found);
      console.log(validationText(found));
    });
}

interface Reason {
  readonly detail: string;
}

interface Validation {
  readonly contradictions: readonly {
    readonly memories: readonly string[];
    readonly confidence: number;
    readonly reasons: readonly Reason[];
  }[];
  readonly supersessions: readonly {
    readonly memory: string;
    readonly supersededBy: string;
    readonly confidence: number;
    readonly reasons: readonly Reason[];
  }[];
  readonly notFound: readonly string[];
}

/** What was found among memories, each with its reasons. */
export function validationText({ contradictions, supersessions, notFound }: Validation): string {
  const found = [
    ...contradictions.map(({ memories: [left, right], ...judged }) =>
      judgement(`${left} contradicts ${right}`, judged),
    ),
    ...supersessions.map(({ memory, supersededBy, ...judged }) =>
      judgement(`${supersededBy} supersedes ${memory}`, judged),
    ),
  ];
  return [
    ...(found.length > 0 ? found : ['No contradiction and no supersession was found.']),
    ...notFound.map((id) => `${printable(id)} is no active memory that you can see`),
  ].join('\n');
}

function judgement(
  said: string,
  { confidence, reasons }: { readonly confidence: number; readonly reasons: readonly Reason[] },
): string {
  const head = `${said} (confidence ${confidence.toFixed(2)})`;
  return [head, ...reasons.map(({ detail }) => `  ${printable(detail)}`)].join('\n');
}
