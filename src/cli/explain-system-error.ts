interface SystemError extends NodeJS.ErrnoException {
  readonly port?: number;
  readonly address?: string;
  readonly hostname?: string;
}

/** What the system refused, in words for the person at the terminal; undefined where it was something else. */
export function explainSystemError(error: SystemError | undefined): string | undefined {
  switch (error?.code) {
    case 'EADDRINUSE':
      return `Port ${error.port} is taken by another program. Choose another with --port, or stop that program.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `This machine has no address ${error.address ?? error.hostname}. Choose another with --host or STRATALOG_HOST.`;
    case 'EEXIST':
    case 'ENOTDIR':
      return `${error.path ?? error.message} is no folder, or below what is none. Choose another path; of data with --data or STRATALOG_DATA.`;
    case 'EACCES':
    case 'EPERM':
      return `No permission: ${error.message}`;
    case 'EROFS':
      return `${error.path ?? error.message} cannot be written: its file system is read-only.`;
    case 'ENOSPC':
    case '53100':
      return 'The disk is full. Free some space; nothing that was acknowledged is lost.';
    case 'EISDIR':
      return `This is a folder, not a file: ${error.path ?? error.message}`;
    case 'ENOENT':
      return `There is no such file: ${error.path ?? error.message}`;
    default:
      return undefined;
  }
}
