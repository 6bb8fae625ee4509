import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The forms in which a text may be in a file: plain, UTF-16, and within base64 at each of its three alignments. */
function formsOf(text: string): readonly Buffer[] {
  const utf16 = Buffer.from(text, 'utf16le');
  const base64 = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString('base64');
    // What depends on the bytes around it is cut off.
    const whole = Math.floor((before + text.length) / 3) * 4;
    return Buffer.from(encoded.slice(Math.ceil((before * 8) / 6), whole));
  });
  return [Buffer.from(text), utf16, Buffer.from(utf16).swap16(), ...base64];
}

/** Looks for texts in the files of a folder that all begin with `root`. Returns those that are found, each with the names of the files. */
export async function textsIn(
  folder: string,
  root: string,
  texts: Readonly<Record<string, string>>,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  const rootForms = formsOf(root);
  const forms = Object.entries(texts).map(([name, text]) => ({ name, forms: formsOf(text) }));
  for (const name of await readdir(folder, { recursive: true })) {
    // A running database removes files. Folders and sockets cannot be read.
    const bytes = await readFile(path.join(folder, name)).catch(() => Buffer.alloc(0));
    if (!rootForms.some((form) => bytes.includes(form))) continue;
    for (const text of forms)
      if (text.forms.some((form) => bytes.includes(form))) (found[text.name] ??= []).push(name);
  }
  return found;
}
