import { readFile, writeFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import type { ShownErasure } from '../domain/erasure/verify-receipt.ts';
import type { Stratalog } from '../../packages/client/src/index.ts';
import { connect } from './client.ts';
import { endSoon } from './end.ts';
import { position } from './positions.ts';

/** The log is not what was signed, 1; it could not be checked, 2. */
const exitUnsound = 1;
const exitUnchecked = 2;

interface VerifyFlags {
  readonly data?: string;
  readonly against?: string;
  readonly verifierKey?: string;
}

interface WitnessFlags {
  readonly out: string;
  readonly witnessKey?: string;
}

interface Report {
  readonly state: 'sound' | 'unsound';
  readonly events: number;
  readonly heads: number;
  readonly signed?: { readonly size: number; readonly root: string } | undefined;
  readonly first?:
    { readonly position: string | number; readonly fault: string; readonly detail: string } | undefined;
}

/** Adds the commands that prove what the log has: `heads`, `verify`, `prove`, `verify-receipt` and `witness`. */
export function addLogCommands(audit: Command): void {
  audit
    .command('heads')
    .description('List the signed heads of the log, newest first, and the key that verifies them')
    .option('--last', 'print only the last head, as a signed note to keep for --against')
    .action(async ({ last }: { last?: boolean }, command: Command) => {
      const { client, json } = connect(command);
      if (last) return void process.stdout.write(await client.audit.checkpoint());
      const { origin, verifierKey, restoredFrom = [], items } = await client.audit.heads().page();
      if (json)
        return console.log(
          JSON.stringify({ origin, verifierKey, ...(restoredFrom.length > 0 && { restoredFrom }), items }),
        );
      console.log(`origin        ${origin}\nverifier key  ${verifierKey}`);
      for (const { origin, size } of restoredFrom)
        console.log(`restored      from the first ${size} events of ${origin}`);
      for (const { at, size, root, cosignedBy = [] } of items) {
        const witnesses = cosignedBy.length > 0 ? `  cosigned by ${cosignedBy.join(', ')}` : '';
        console.log(`${at}  ${String(size).padStart(10)}  ${root}${witnesses}`);
      }
    });
  audit
    .command('verify')
    .description(
      'Compare the whole log with everything that was signed. Exits with 0 if it is sound, 1 if not, 2 if it could not be checked',
    )
    .option(
      '--data <folder>',
      'verify a data folder that no server has open, such as a copy, or a backup, instead of asking a server',
    )
    .option('--against <file>', 'also compare with a signed head that you have kept')
    .addOption(
      new Option(
        '--verifier-key <key>',
        'with --data: the key that heads must be signed with; by default that of the folder',
      ),
    )
    .action(async (options: VerifyFlags, command: Command) => {
      const { client, json } = connect(command);
      let report: Report;
      try {
        const kept = options.against === undefined ? undefined : await readFile(options.against, 'utf8');
        const { notesIn } = await import('../domain/tlog/note.ts');
        // Heads may be appended to the file: the last one counts.
        const against = kept === undefined ? undefined : (notesIn(kept).at(-1) ?? kept);
        report =
          options.data === undefined
            ? await client.audit.verify(against === undefined ? {} : { against })
            : await (
                await import('./verify-folder.ts')
              ).verifyFolder(options.data, against, options.verifierKey);
      } catch (error) {
        const { explain } = await import('./explain.ts');
        console.error(explain(error));
        process.exitCode = exitUnchecked;
        return endSoon();
      }
      console.log(json ? JSON.stringify(report) : inWords(report));
      if (report.state === 'unsound') process.exitCode = exitUnsound;
    });
  audit
    .command('prove')
    .description(
      'Print the proof that the event at a position is in the log, which others verify without the server',
    )
    .argument('<position>', 'position of the event, from `audit events --json`', position)
    .action(async (at: string, _: object, command: Command) => {
      const { client } = connect(command);
      process.stdout.write(await client.audit.proof(at));
    });
  audit
    .command('verify-receipt')
    .description(
      'Verify the receipt of an erasure without its server. Exits with 0 if it is genuine, 1 if not, 2 if it could not be checked',
    )
    .argument('<file>', 'the receipt, as erasures get --json prints it')
    .addOption(
      new Option(
        '--verifier-key <key>',
        'the key that it must be signed with; by default the server is asked for its key',
      ),
    )
    .action(async (file: string, { verifierKey }: Pick<VerifyFlags, 'verifierKey'>, command: Command) => {
      const { client, json } = connect(command);
      const [{ ReceiptInvalid, verifyReceipt }, { MalformedNote, parseVerifierKey }] = await Promise.all([
        import('../domain/erasure/verify-receipt.ts'),
        import('../domain/tlog/note.ts'),
      ]);
      try {
        const shown = JSON.parse(await readFile(file, 'utf8')) as ShownErasure;
        const key = parseVerifierKey(verifierKey ?? (await client.audit.heads().page()).verifierKey);
        const { receipt, provenIn } = verifyReceipt(shown, key);
        if (json) return console.log(JSON.stringify({ state: 'genuine', provenIn, receipt }));
        const { erasureId, target, completedAt, event } = receipt;
        console.log(`Genuine: erasure ${erasureId} of a ${target.kind} was complete at ${completedAt}.`);
        console.log(
          provenIn === undefined
            ? 'It has no proof yet that its event is in the signed log.'
            : `Its event, at position ${event.position}, is in the signed log of ${provenIn} events.`,
        );
      } catch (error) {
        if (error instanceof ReceiptInvalid || error instanceof MalformedNote) {
          if (json) console.log(JSON.stringify({ state: 'invalid', detail: error.message }));
          else console.log(`NOT GENUINE: ${error.message}.`);
          process.exitCode = exitUnsound;
          return;
        }
        const { explain } = await import('./explain.ts');
        console.error(error instanceof SyntaxError ? `${file} is not a receipt in JSON` : explain(error));
        process.exitCode = exitUnchecked;
        return endSoon();
      }
    });
  audit
    .command('witness')
    .description(
      'Have a witness (C2SP tlog-witness) confirm that the log only grew, and keep the cosigned head',
    )
    .argument('<url>', 'submission prefix of the witness')
    .option('--out <file>', 'file for the cosigned head', 'checkpoint.txt')
    .option(
      '--witness-key <key>',
      'verifier key of the witness: its signature is verified with it and kept in the log, too',
    )
    .action(async (url: string, { out, witnessKey }: WitnessFlags, command: Command) => {
      const { client, json } = connect(command);
      const { cosignedBy } = await import('../tlog/witness.ts');
      const cosigned = await cosignedBy(url, await client.audit.checkpoint(), (name) => tile(client, name));
      await writeFile(out, cosigned);
      const kept =
        witnessKey === undefined
          ? undefined
          : await client.audit.keepCosignature({ note: cosigned, witnessKey });
      if (json) return console.log(JSON.stringify({ file: out, ...kept }));
      console.log(`${out}: the head with the cosignature of the witness`);
      if (kept) console.log(`kept in the log at position ${kept.position}`);
    });
}

function tile(client: Stratalog, name: string): Promise<Buffer> {
  return client.audit.tile(name).then((bytes) => Buffer.from(bytes));
}

function inWords({ state, events, heads, signed, first }: Report): string {
  const unprotected = events - (signed?.size ?? 0);
  if (state === 'sound')
    return [
      `Sound: ${events} events agree with ${heads} signed ${heads === 1 ? 'head' : 'heads'}.`,
      ...(unprotected > 0 ? [`The last ${unprotected} of them are behind the last signed head.`] : []),
    ].join('\n');
  return `NOT SOUND at position ${first!.position} (${first!.fault}): ${first!.detail}.`;
}
