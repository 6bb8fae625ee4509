/** The part of WebAssembly used here: the types of Node do not declare it. */
interface WebAssemblyInterface {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (size: { initial: number }) => Memory;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, object>>>>,
  ) => { readonly exports: object };
  /** Compiles on other threads. */
  compile(bytes: Uint8Array): Promise<WebAssembly.Module>;
}

export interface Memory {
  /** Replaced by each `grow`. */
  readonly buffer: ArrayBuffer;
  /** Adds pages of 64 kB. Throws `RangeError` if there are no more. */
  grow(pages: number): number;
}

export const webAssembly = (globalThis as unknown as { WebAssembly: WebAssemblyInterface }).WebAssembly;
