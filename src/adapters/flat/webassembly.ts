/** What is used here of an interface that the types of Node do not know. */
interface WebAssemblyInterface {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (size: { initial: number }) => Memory;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, object>>>>,
  ) => { readonly exports: object };
}

export interface Memory {
  /** Another one after each `grow`. */
  readonly buffer: ArrayBuffer;
  /** In pages of 64 kB. Throws `RangeError` where there are no more. */
  grow(pages: number): number;
}

export const webAssembly = (globalThis as unknown as { WebAssembly: WebAssemblyInterface }).WebAssembly;
