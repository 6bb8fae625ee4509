/** The key that marks Base64-encoded bytes in the JSON of an item. */
const bytesKey = '$stratalog:bytes';

/** The exact text of an item; bytes are in Base64. Undefined fields are left out. */
export function jsonOfItem(item: object): string {
  return JSON.stringify(item, function (this: Record<string, unknown>, key, value: unknown) {
    // `value` of a Buffer is already what its `toJSON` made of it.
    const given = this[key];
    return given instanceof Uint8Array ? { [bytesKey]: base64(given) } : value;
  });
}

export function itemOfJson(json: string): unknown {
  return JSON.parse(json, (_, value: unknown) => {
    const text = (value as { readonly [bytesKey]?: unknown } | null)?.[bytesKey];
    return typeof text === 'string' ? Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0)) : value;
  });
}

/** Buffers are not available everywhere, and `fromCharCode` takes a limited number of arguments. */
function base64(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += 8_192)
    text += String.fromCharCode(...bytes.subarray(start, start + 8_192));
  return btoa(text);
}
