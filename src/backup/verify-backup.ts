import { CheckpointSigned } from '../domain/tlog/events.ts';
import { parseCheckpoint } from '../domain/tlog/checkpoint.ts';
import type { TreeHead } from '../domain/tlog/checkpoint.ts';
import { MalformedNote, type Verifier } from '../domain/tlog/note.ts';
import { verifyLog, type LogReport } from '../tlog/verify-log.ts';
import type { BackupFolder } from './backup-folder.ts';
import { BackupLog } from './backup-log.ts';

/** Compares the events of a backup, up to a position, with the heads among them and with heads from elsewhere. */
export function verifyBackup(
  backup: BackupFolder,
  { upTo, ...options }: { upTo: number; verifiers: readonly Verifier[]; against?: readonly TreeHead[] },
): Promise<LogReport> {
  return verifyLog({ log: new BackupLog(backup, upTo), ...options });
}

/** The names under which the heads in a backup were signed. A log that was restored has more than one. */
export async function originsIn(backup: BackupFolder, upTo: number): Promise<readonly string[]> {
  const origins = new Set([backup.manifest.log.origin]);
  for await (const events of backup.events(0, upTo, [CheckpointSigned.type]))
    for (const { type, data } of events) if (type === CheckpointSigned.type) origins.add(originOfHead(data));
  return [...origins].filter((origin) => /^[^\s+]+$/u.test(origin));
}

function originOfHead(data: string): string {
  try {
    const { routing } = JSON.parse(data) as { routing?: { note?: string } };
    return parseCheckpoint(String(routing?.note)).origin;
  } catch (error) {
    if (error instanceof MalformedNote || error instanceof SyntaxError) return '';
    throw error;
  }
}
