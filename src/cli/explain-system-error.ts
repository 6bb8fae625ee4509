interface SystemError extends NodeJS.ErrnoException {
  readonly port?: number;
  readonly address?: string;
  readonly hostname?: string;
}

/** Explains an error of the operating system to a user at a terminal; undefined for any other error. */
export function explainSystemError(error: SystemError | undefined): string | undefined {
  switch (error?.code) {
    case 'EADDRINUSE':
      return `Port ${error.port} is in use by another program. Choose another with --port, or stop that program.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `This machine does not have the address ${error.address ?? error.hostname}. Choose another with --host or STRATALOG_HOST.`;
    case 'EEXIST':
    case 'ENOTDIR':
      return `${error.path ?? error.message} is not a folder, or one of its parents is not. Choose another path; for data use --data or STRATALOG_DATA.`;
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
      return `No such file: ${error.path ?? error.message}`;
    default:
      return undefined;
  }
}
