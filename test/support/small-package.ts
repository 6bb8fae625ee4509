import { strToU8, zipSync } from 'fflate';

/** An archive of texts by their paths. */
export function smallPackage(parts: Readonly<Record<string, string>>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(parts).map(([path, text]) => [path, strToU8(text)])));
}

/** A part with relationships: `type` is the last segment of the type. */
export function relationships(entries: readonly { id: string; type: string; target: string }[]): string {
  const items = entries.map(
    ({ id, type, target }) =>
      `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join('')}</Relationships>`;
}

/** Rels of a package with that main part. */
export function packageRelationships(target: string): string {
  return relationships([{ id: 'rId1', type: 'officeDocument', target }]);
}
