import { Command, Option } from 'commander';
import { connect } from '../client.ts';
import { printJson } from '../output.ts';
import { ProgressLine } from '../progress-line.ts';
import { writeLines } from '../write-whole.ts';

interface ReportOptions {
  readonly from?: string;
  readonly to?: string;
  readonly output?: string;
  readonly verify: boolean;
}

export function reportCommand(): Command {
  return new Command('report')
    .description(
      'Write one HTML file about a period, to mail and print: health, use, learning, cost, who did what, and the proof of it. Needs a key of role auditor or admin',
    )
    .option(
      '--from <time>',
      'first time of the period: a date in UTC, or an RFC 3339 time. Default: 30 days before --to',
    )
    .option('--to <time>', 'time before which the period ends. Default: now')
    .option('--output <file>', 'file to write; - is standard output. Default: stratalog-report-FROM-TO.html')
    .addOption(new Option('--no-verify', 'do not have the server verify its log, which reads all of it'))
    .action(report);
}

async function report({ from, to, output, verify }: ReportOptions, command: Command): Promise<void> {
  const { client, json } = connect(command);
  if (json && output === '-') command.error('error: with --json, --output must be a file');
  // Loaded on demand: other commands need neither the schemas nor the page.
  const [{ fileNameOf, rangeOf, RangeInvalid }, { collectReport }, { reportPage }] = await Promise.all([
    import('./range.ts'),
    import('./collect.ts'),
    import('./page.ts'),
  ]);
  const now = new Date();
  let range;
  try {
    range = rangeOf({ from, to }, now);
  } catch (error) {
    if (error instanceof RangeInvalid) command.error(`error: ${error.message}`);
    throw error;
  }
  const progress = new ProgressLine(json || output === '-');
  try {
    const data = await collectReport({ client, range, now, verify, onProgress: progress.show });
    progress.stop();
    // Nothing is written before everything was read, so a server that goes away leaves no half of a report.
    const file = output ?? (json ? undefined : fileNameOf(range));
    if (file !== undefined) await writeLines(file, () => lines(reportPage(data)));
    if (json) printJson(data);
    else if (file !== '-') console.log(`${file}: ${summaryOf(data.range.events, data.tenant)}`);
  } finally {
    progress.stop();
  }
}

async function* lines(page: string): AsyncGenerator<string> {
  yield page;
}

const summaryOf = (events: number, tenant: string): string =>
  events === 0
    ? `nothing happened in the range in tenant ${tenant}`
    : `${events.toLocaleString('en')} ${events === 1 ? 'event' : 'events'} of tenant ${tenant}`;
