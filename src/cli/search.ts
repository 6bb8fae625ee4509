import { sectionText } from '../domain/documents/source.ts';
import { styleText } from 'node:util';
import { Option, type Command } from 'commander';
import type { Search } from '../../packages/client/src/index.ts';
import { connect } from './client.ts';
import { jsonValue, numberValue, searchedSpaces } from './option-values.ts';
import { printJson, preview, printable } from './output.ts';
import { askedAsOf, assertTime } from './positions.ts';
import { explanationText } from './search-explanation.ts';
import { ArgumentAmongOptions } from './argument-among-options.ts';

interface SearchOptions {
  readonly layer?: Search['layers'];
  readonly space?: string[];
  readonly tag?: string[];
  readonly filter?: Search['filter'];
  readonly top: number;
  readonly threshold?: number;
  readonly order: Search['order'];
  readonly asOf?: string;
  readonly now?: string;
  readonly explain?: true;
}

export function searchCommand(): Command {
  return new ArgumentAmongOptions('search')
    .description('Search the memories that the key may see')
    .argument('<query>', 'the question')
    .option('--layer <layer...>', 'only these layers (repeatable)')
    .option('--space <space...>', 'only these spaces (repeatable); auto: those that surely fit')
    .option('--tag <tag...>', 'only these tags (repeatable)')
    .option('--filter <json>', 'filter as JSON, as in the API', jsonValue)
    .option('--top <n>', 'maximum number of results', numberValue, 10)
    .option(
      '--threshold <score>',
      'minimum score of a result, 0 to 1; default: only the best results',
      numberValue,
    )
    .addOption(
      new Option(
        '--order <order>',
        'order of the results: by score with the more specific or newer of two similar memories first, by score alone, or by layer',
      )
        .choices(['precedence', 'relevance', 'layer'])
        .default('precedence'),
    )
    .option(
      '--as-of <when>',
      'search the memories as they were at a position or an RFC 3339 time with an offset',
    )
    .option(
      '--now <time>',
      'time of the question, which words such as "last week" are relative to (RFC 3339 with an offset)',
    )
    .option(
      '--explain',
      'explain why each memory was returned or left out; needs a key of role auditor or admin',
    )
    .action(async (query: string, options: SearchOptions, command: Command) => {
      const { client, json } = connect(command);
      const past = await askedAsOf(command, options.asOf);
      if (options.now !== undefined) await assertTime(command, '--now <time>', options.now);
      const request: Search = {
        query,
        topK: options.top,
        threshold: options.threshold,
        order: options.order,
        layers: options.layer,
        spaces: searchedSpaces(options.space),
        tags: options.tag,
        filter: options.filter,
        now: options.now,
        ...past,
      };
      if (options.explain) {
        const explanation = await client.explainSearch(request);
        if (json) return printJson(explanation);
        printWarnings(explanation.warnings);
        return console.log(explanationText(explanation));
      }
      const answer = await client.search(request);
      if (json) return printJson(answer);
      printWarnings(answer.warnings);
      if (answer.results.length === 0) console.log('No results. A lower --threshold shows weaker ones.');
      for (const { memory, score, rank } of answer.results) {
        const head = `${String(rank).padStart(3)}  ${score.toFixed(2)}  ${memory.layer.padEnd(8)}`;
        const { id, externalId, source } = memory;
        const names = [id, externalId ?? [], source ? sectionText(source) : []]
          .flat()
          .map(printable)
          .join('  ');
        console.log(`${styleText('bold', head)} ${preview(memory.content, 90)}  ${styleText('dim', names)}`);
      }
    });
}

function printWarnings(warnings: readonly { readonly detail: string }[]): void {
  for (const { detail } of warnings) console.error(styleText('yellow', `Note: ${detail}`));
}
