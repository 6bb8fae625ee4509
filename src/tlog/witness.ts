import { parseCheckpoint } from '../domain/tlog/checkpoint.ts';
import { consistencyProof } from '../domain/tlog/merkle.ts';
import { parseNote } from '../domain/tlog/note.ts';
import { nodesOf, tilePath, tileWidth } from '../domain/tlog/tiles.ts';

/** The witness refused the head, or did not answer as a witness does. */
export class WitnessRefused extends Error {
  override readonly name = 'WitnessRefused';
}

/**
 * Has a witness cosign a head (C2SP tlog-witness). Resolves with the note and the lines of the witness. `readTile` gets the address of a
 * tile below the prefix of the log.
 */
export async function cosignedBy(
  url: string,
  checkpoint: string,
  readTile: (name: string) => Promise<Buffer>,
): Promise<string> {
  const { size } = parseCheckpoint(checkpoint);
  const node = nodesOf((level, index) => {
    const nodes = Math.floor(size / tileWidth ** level);
    return readTile(tilePath({ level, index, width: Math.min(tileWidth, nodes - index * tileWidth) }));
  });
  const submit = async (oldSize: number): Promise<Response> => {
    const proof = await consistencyProof(oldSize, size, node);
    const lines = [`old ${oldSize}`, ...proof.map((hash) => hash.toString('base64')), '', checkpoint];
    return fetch(`${url.replace(/\/+$/, '')}/add-checkpoint`, { method: 'POST', body: lines.join('\n') });
  };
  let response = await submit(0);
  const text = await response.text();
  let answer = text;
  // The witness has seen an earlier head, and names its size.
  if (response.status === 409 && /^\d+\n?$/.test(text)) {
    const oldSize = Number(text);
    if (oldSize > size)
      throw new WitnessRefused(`the witness has seen a head of ${oldSize} events, and this one has ${size}`);
    response = await submit(oldSize);
    answer = await response.text();
  }
  if (!response.ok) throw new WitnessRefused(`the witness refused the head (${response.status})`);
  const cosigned = `${checkpoint}${answer}`;
  parseNote(cosigned);
  return cosigned;
}
