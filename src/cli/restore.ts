import { Command, Option } from 'commander';
import type { RestoreReport } from '../backup/restore-target.ts';
import type { Config } from '../config.ts';
import { environmentWith, profileOption, type ServeOptions } from './environment.ts';
import { printJson } from './output.ts';

interface RestoreFlags extends ServeOptions {
  readonly to?: string;
  readonly vaultKey?: string;
  readonly inPlace?: boolean;
  readonly unverified?: boolean;
}

const toOption = (): Option =>
  new Option(
    '--to <position>',
    'position or time at which the log is to stand, such as 2026-01-31T12:00:00Z; by default its end',
  );

export function restoreCommand(): Command {
  return new Command('restore')
    .description(
      'Restore a backup into a new data folder or an empty database. The log gets a new name, which says what it begins with',
    )
    .argument('[backup]', 'folder of the backup')
    .addOption(profileOption())
    .option('--data <folder>', 'data folder to restore into (STRATALOG_DATA)')
    .addOption(toOption())
    .option('--vault-key <file>', 'file with the key of the vault, which is copied into the data folder')
    .option('--unverified', 'restore also if the signed heads in the backup cannot be verified')
    .addOption(
      new Option(
        '--in-place',
        'without a backup: let a log that was restored in another way, such as a copied folder, go on under a new name',
      ).conflicts(['to', 'vaultKey', 'unverified']),
    )
    .action(async (backup: string | undefined, options: RestoreFlags, command: Command) => {
      const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
      if ((backup === undefined) !== (options.inPlace === true))
        command.error('error: name the folder of a backup, or give --in-place');
      const [{ readConfig }, { restoreBackup, goOnInPlace }] = await Promise.all([
        import('../config.ts'),
        import('./restore-steps.ts'),
      ]);
      const config = readConfig(environmentWith(options));
      const report =
        backup === undefined
          ? await goOnInPlace(config)
          : await restoreBackup(backup, config, { ...options, json });
      show(report, config, json);
    });
}

export function replayCommand(): Command {
  return new Command('replay')
    .description(
      'Build a data folder that stands where the log stood at a position or time. The log itself stays as it is, and may be in use',
    )
    .addOption(profileOption())
    .option('--data <folder>', 'data folder to replay (STRATALOG_DATA)')
    .addOption(toOption().makeOptionMandatory())
    .requiredOption('--into <folder>', 'folder to build, which must be new or empty')
    .action(async (options: ServeOptions & { to: string; into: string }, command: Command) => {
      const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
      const [{ readConfig }, { replayLog }] = await Promise.all([
        import('../config.ts'),
        import('./restore-steps.ts'),
      ]);
      const from = readConfig(environmentWith(options));
      const into = readConfig(environmentWith({ profile: 'embedded', data: options.into }));
      show(await replayLog(from, into, { to: options.to, json }), into, json);
    });
}

function show(report: RestoreReport, { profile, dataDir }: Config, json: boolean): void {
  const data = profile === 'embedded' ? dataDir : 'the database';
  if (json) return printJson({ data, ...report });
  const { size, from, origin, verifierKey } = report;
  console.log(`${data}: a log with the first ${size} events of ${from}`);
  console.log(`origin        ${origin}\nverifier key  ${verifierKey}`);
  console.log('The next `stratalog serve` brings the read models up to date. Hand out the new verifier key.');
}
