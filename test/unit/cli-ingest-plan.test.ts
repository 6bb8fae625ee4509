import { describe, expect, it } from 'vitest';
import { maxFileBytes, type FoundFile } from '../../src/cli/ingest/found-files.ts';
import { planIngest } from '../../src/cli/ingest/plan.ts';

const file = (externalId: string, sha256: string, bytes = 10): FoundFile => ({
  externalId,
  name: externalId,
  uri: `file:///${externalId}`,
  bytes,
  read: () => Promise.resolve(Buffer.from(sha256)),
  sha256: () => Promise.resolve(sha256),
});
const known = (externalId: string, sha256: string) => ({
  id: `id of ${externalId}`,
  externalId,
  sha256,
  spaces: [],
  tags: [],
});
const plan = async (parts: Partial<Parameters<typeof planIngest>[0]>) => {
  const steps = await planIngest({ files: [], known: [], isWhole: true, spaces: [], tags: [], ...parts });
  return steps.map(({ action, externalId }) => `${action} ${externalId}`);
};

describe('a run over a folder', () => {
  it('neither sends nor deletes a file that is too large', async () => {
    const files = [file('a.md', '1'), file('b.md', '2', maxFileBytes + 1)];
    expect(await plan({ files, known: [known('b.md', 'before')] })).toEqual(['add a.md', 'too-large b.md']);
    expect(await plan({ files: [file('a.md', '1', maxFileBytes)] })).toEqual(['add a.md']);
  });

  it('deletes nothing if all files are gone', async () => {
    expect(await plan({ known: [known('a.md', '1'), known('b.md', '2')] })).toEqual([]);
    expect(
      await plan({ files: [file('a.md', '1')], known: [known('a.md', '1'), known('b.md', '2')] }),
    ).toEqual(['unchanged a.md', 'delete b.md']);
  });

  it('sends a file that could not be read again, but not to the same server while its bytes are the same', async () => {
    const problem = { type: '', title: '', status: 415, code: 'unsupported-document', detail: 'a picture' };
    const parts = { files: [file('a.png', '1')], known: [{ ...known('a.png', '1'), problem }] };
    expect(await plan(parts)).toEqual(['change a.png']);
    expect(await plan({ ...parts, refused: new Map([['a.png', '1']]) })).toEqual(['unchanged a.png']);
    expect(await plan({ ...parts, refused: new Map([['a.png', '0']]) })).toEqual(['change a.png']);
  });
});
