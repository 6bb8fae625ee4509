/** A backup or restore cannot be done like this. Nothing was changed. The message says what to do. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
}

/** A file of a backup is not the one that was written. */
export class BackupDamaged extends Error {
  override readonly name = 'BackupDamaged';
}
