/** Saves texts, one after the other, as a file of the reader. */
export function saveFile(texts: string[], name: string, type = 'text/plain'): void {
  const address = URL.createObjectURL(new Blob(texts, { type }));
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
