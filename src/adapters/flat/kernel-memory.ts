import { kernel } from './kernel.ts';
import { webAssembly, type Memory } from '../../support/webassembly.ts';

const pageSize = 65_536;
/** How much the memory grows when it is full. */
const growth = 1.25;

/** `query`, `codes` and `block` are addresses; see `kernel/vectors.wat`. */
type KernelFunction = (query: number, codes: number, width: number, count: number, block: number) => void;

interface Kernel {
  readonly products: KernelFunction;
  readonly productsAt: KernelFunction;
}

const compiled = new webAssembly.Module(Buffer.from(kernel, 'base64'));

export interface KernelLayout {
  /** Bytes of a row. */
  readonly width: number;
  /** Bytes of the query. */
  readonly query: number;
  /** Number of integers in the block. */
  readonly block: number;
}

/** WebAssembly memory of the kernel: a query, then a block of integers, then rows of equal width. */
export class KernelMemory {
  readonly #width: number;
  readonly #blockAt: number;
  readonly #rowsAt: number;
  readonly #memory: Memory;
  readonly #kernel: Kernel;

  constructor({ width, query, block }: KernelLayout) {
    this.#width = width;
    this.#blockAt = Math.ceil(query / 16) * 16;
    this.#rowsAt = this.#blockAt + block * Int32Array.BYTES_PER_ELEMENT;
    this.#memory = new webAssembly.Memory({ initial: Math.ceil(this.#rowsAt / pageSize) });
    const { exports } = new webAssembly.Instance(compiled, { vectors: { memory: this.#memory } });
    this.#kernel = exports as Kernel;
  }

  /** Stores a query as 16-bit integers: each number times `unit`, rounded. */
  setQuery(query: Float32Array, unit: number): void {
    const shorts = new Int16Array(this.#memory.buffer, 0, this.#width);
    for (let at = 0; at < query.length; at++) shorts[at] = Math.round(query[at]! * unit);
  }

  /** The products of the query with `count` rows from `slot` on, at most a block. The next call overwrites them. */
  products(slot: number, count: number): Int32Array {
    const rows = this.#rowsAt + slot * this.#width;
    this.#kernel.products(0, rows, this.#width, count, this.#blockAt);
    return new Int32Array(this.#memory.buffer, this.#blockAt, count);
  }

  /** The products of the query with the rows `slots`, at most a block. The next call overwrites them. */
  productsAt(slots: Int32Array): Int32Array {
    const block = new Int32Array(this.#memory.buffer, this.#blockAt, slots.length);
    block.set(slots);
    this.#kernel.productsAt(0, this.#rowsAt, this.#width, slots.length, this.#blockAt);
    return block;
  }

  /** Throws `RangeError` if there is no memory left. */
  makeRoom(rows: number): void {
    const size = this.#memory.buffer.byteLength;
    const missing = this.#rowsAt + rows * this.#width - size;
    if (missing > 0) this.#memory.grow(Math.ceil(Math.max(missing, size * (growth - 1)) / pageSize));
  }

  /** The bytes of one row. Invalid after `makeRoom`. */
  row(slot: number): Int8Array {
    return new Int8Array(this.#memory.buffer, this.#rowsAt + slot * this.#width, this.#width);
  }

  /** Moves the row `from` to `to`, and clears `from`. */
  move(from: number, to: number): void {
    const row = this.row(from);
    this.row(to).set(row);
    row.fill(0);
  }
}
