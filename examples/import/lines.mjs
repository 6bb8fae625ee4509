import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';

process.on('uncaughtException', ({ message }) => {
  console.error(message);
  process.exitCode = 1;
});

/** Reads the file that the command line names: JSON, or one JSON value a line. */
export async function readExport() {
  const { values, positionals } = parseArgs({
    options: { user: { type: 'string' } },
    allowPositionals: true,
  });
  const [file] = positionals;
  if (positionals.length !== 1) throw new Error(`usage: node ${process.argv[1]} [--user NAME] FILE`);
  const text = await readFile(file, 'utf8');
  try {
    return { user: values.user, value: JSON.parse(text) };
  } catch {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return { user: values.user, value: lines.map((line, index) => parseLine(line, file, index)) };
  }
}

function parseLine(line, file, index) {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error(`${file}: neither JSON, nor JSON in line ${index + 1}`);
  }
}

export async function writeLines(memories) {
  await pipeline(Readable.from(memories.map((memory) => `${JSON.stringify(memory)}\n`)), process.stdout);
  console.error(`${memories.length} memories`);
}
