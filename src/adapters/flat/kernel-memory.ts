import { kernel } from './kernel.ts';
import { webAssembly, type Memory } from './webassembly.ts';

const page = 65_536;
/** Of the room that is there, when more is needed. */
const growth = 1.25;

interface Kernel {
  /** Where the query stands, the signs, how many, bytes of each, where the distances go. */
  readonly distances: (query: number, signs: number, count: number, bytes: number, distances: number) => void;
  /** Where the query stands, the codes, the slots that are asked for and their products go, how many, bytes of each. */
  readonly products: (query: number, codes: number, slots: number, count: number, dimension: number) => void;
}

const compiled = new webAssembly.Module(Buffer.from(kernel, 'base64'));

/** Rows of one width in memory that the kernel works on, behind a query and a block of numbers. */
export class KernelMemory {
  /** Bytes of a row. */
  readonly width: number;
  /** Where the block of numbers begins, and where the rows do. The query stands at 0. */
  readonly blockAt: number;
  readonly rowsAt: number;
  readonly kernel: Kernel;
  readonly #memory: Memory;

  /** `query`: bytes of it; `block`: how many numbers. */
  constructor({ width, query, block }: { width: number; query: number; block: number }) {
    this.width = width;
    this.blockAt = Math.ceil(query / 16) * 16;
    this.rowsAt = this.blockAt + block * Int32Array.BYTES_PER_ELEMENT;
    this.#memory = new webAssembly.Memory({ initial: Math.ceil(Math.max(1, this.rowsAt) / page) });
    const { exports } = new webAssembly.Instance(compiled, { vectors: { memory: this.#memory } });
    this.kernel = exports as Kernel;
  }

  /** The whole memory. Another one after `makeRoom`. */
  get buffer(): ArrayBuffer {
    return this.#memory.buffer;
  }

  /** Throws `RangeError` where there is no memory left. */
  makeRoom(rows: number): void {
    const there = this.buffer.byteLength;
    const missing = this.rowsAt + rows * this.width - there;
    if (missing > 0) this.#memory.grow(Math.ceil(Math.max(missing, there * (growth - 1)) / page));
  }

  /** The bytes of one row. */
  row(slot: number): Int8Array {
    return new Int8Array(this.buffer, this.rowsAt + slot * this.width, this.width);
  }

  /** Moves the row `from` into the place of `to`, and leaves nothing of it behind. */
  move(from: number, to: number): void {
    const row = this.row(from);
    this.row(to).set(row);
    row.fill(0);
  }
}
