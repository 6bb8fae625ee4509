import { Command } from 'commander';
import { environmentWith, profileOption, type ServeOptions } from './environment.ts';
import { printJson } from './output.ts';

export function backupCommand(): Command {
  return new Command('backup')
    .description(
      'Copy the log and the vault into a folder, while the server runs or not. Repeated, it adds what is new',
    )
    .argument('<folder>', 'folder of the backup: a new one, or one with a backup of the same log')
    .addOption(profileOption())
    .option('--data <folder>', 'data folder to back up (STRATALOG_DATA)')
    .action(async (folder: string, options: ServeOptions, command: Command) => {
      const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
      const [{ readConfig }, { withSource }, { writeBackup }, { Progress }] = await Promise.all([
        import('../config.ts'),
        import('../backup/open-folder.ts'),
        import('../backup/write-backup.ts'),
        import('./progress.ts'),
      ]);
      const config = readConfig(environmentWith(options));
      const progress = new Progress('events', { json });
      const report = await withSource(config, (source) =>
        writeBackup(folder, source, { onProgress: progress.update }),
      ).finally(() => progress.stop());
      if (json) return printJson({ folder, ...report });
      const { events, size, position, origin, totalBytes } = report;
      console.log(
        `${folder}: ${size} events of ${origin} up to position ${position}, ${events} of them new, ${megabytes(totalBytes)} MB in all`,
      );
      if (config.vaultKey === undefined)
        console.log(
          `The key of the vault is not in it, and nothing can be read without: keep a copy of ${config.dataDir}/vault.key elsewhere`,
        );
    });
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
