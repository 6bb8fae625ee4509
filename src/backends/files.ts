import { readFileSync } from 'node:fs';
import { ConfigError } from '../config.ts';

/** Reads a file that a setting names, such as a certificate. Throws `ConfigError` with the name of the setting if it cannot. */
function readNamedFile(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'no permission' : code;
    throw new ConfigError(`${setting}: ${file} cannot be read: ${reason}`);
  }
}

/** Certificates in PEM. */
export function readPemFile(setting: string, file: string): string {
  const text = readNamedFile(setting, file);
  if (!text.includes('-----BEGIN ')) throw new ConfigError(`${setting}: ${file} holds nothing in PEM`);
  return text;
}
