/** The parts of a `tokenizer.json` that this tokenizer reads. */
interface TokenizerFile {
  readonly added_tokens: readonly { readonly id: number; readonly content: string }[];
  readonly normalizer: unknown;
  readonly pre_tokenizer: unknown;
  readonly post_processor: { readonly single?: unknown };
  readonly model: {
    readonly type: string;
    readonly unk_id: number;
    readonly vocab: readonly (readonly [piece: string, score: number])[];
  };
}

/** The pipeline of multilingual-e5-small, as in its `tokenizer.json`. */
const pipeline = JSON.stringify([
  {
    type: 'Sequence',
    normalizers: [{ type: 'NFKC' }, { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' }],
  },
  { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true, add_prefix_space: true },
  [
    { SpecialToken: { id: '<s>', type_id: 0 } },
    { Sequence: { id: 'A', type_id: 0 } },
    { SpecialToken: { id: '</s>', type_id: 0 } },
  ],
]);

/** How much less likely than the rarest piece an unknown character is, in log-probability, as in SentencePiece. */
const unknownPenalty = 10;

/** How many words the cache of pieces holds, and the maximum length of one. Together they take a few megabytes. */
const maxKnownWords = 20_000;
const maxKnownLength = 24;

/** SentencePiece writes a space as this character, at the start of a word. */
const space = '▁';
const wordStart = /(?=▁)/;

/**
 * The Unigram tokenizer of SentencePiece, for the pipeline of multilingual-e5-small. It divides a text into the most likely pieces
 * (Kudo, "Subword Regularization", ACL 2018), by Viterbi's algorithm. The general library builds a trie of 250,000 pieces, which takes
 * 2 seconds and 160 MB in each thread; here the pieces are looked up in a map.
 */
export class UnigramTokenizer {
  readonly #ids = new Map<string, number>();
  readonly #scores: Float64Array;
  readonly #unknown: number;
  readonly #begin: number;
  readonly #end: number;
  /** Matches special tokens, which are never split, such as `<s>`. */
  readonly #added: RegExp;
  /** Length of the longest piece, in UTF-16 units. */
  readonly #longest: number;
  /** Cache of the ids of the pieces of a word. Most words of a text are among the most frequent of its language. */
  readonly #known = new Map<string, readonly number[]>();

  private constructor({ added_tokens: added, model }: TokenizerFile) {
    this.#unknown = model.unk_id;
    this.#scores = Float64Array.from(model.vocab, ([, score]) => score);
    this.#scores[this.#unknown] =
      this.#scores.reduce((least, score) => Math.min(least, score)) - unknownPenalty;
    let longest = 1;
    for (const [id, [piece]] of model.vocab.entries()) {
      this.#ids.set(piece, id);
      longest = Math.max(longest, piece.length);
    }
    this.#longest = longest;
    for (const { id, content } of added) this.#ids.set(content, id);
    this.#begin = this.#ids.get('<s>')!;
    this.#end = this.#ids.get('</s>')!;
    this.#added = new RegExp(`(${added.map(({ content }) => content).join('|')})`);
  }

  /** Undefined for a `tokenizer.json` with another model or pipeline. */
  static of(file: TokenizerFile): UnigramTokenizer | undefined {
    const { normalizer, pre_tokenizer, post_processor, model } = file;
    const own = JSON.stringify([normalizer, pre_tokenizer, post_processor.single]);
    return model.type === 'Unigram' && own === pipeline ? new UnigramTokenizer(file) : undefined;
  }

  /** The ids of the tokens of a text, from `<s>` to `</s>`. */
  encode(text: string): { readonly ids: number[] } {
    const ids = [this.#begin];
    for (const [index, section] of text.split(this.#added).entries()) {
      if (index % 2 === 1) ids.push(this.#ids.get(section)!);
      else if (section !== '')
        for (const word of normalized(section).split(wordStart)) ids.push(...this.#wordPieces(word));
    }
    ids.push(this.#end);
    return { ids };
  }

  /** The pieces of a word with the space before it. A piece has a space at its start only, so words can be divided one by one. */
  #wordPieces(word: string): readonly number[] {
    const known = this.#known.get(word);
    if (known) return known;
    const pieces = this.#pieces(word);
    if (word.length <= maxKnownLength) {
      if (this.#known.size >= maxKnownWords) this.#known.clear();
      this.#known.set(word, pieces);
    }
    return pieces;
  }

  /** The most likely pieces. Adjacent unknown characters are one token. */
  #pieces(text: string): number[] {
    const best = new Float64Array(text.length + 1).fill(-Infinity);
    const pieceTo = new Int32Array(text.length + 1);
    const from = new Int32Array(text.length + 1);
    best[0] = 0;
    const offer = (start: number, end: number, id: number): void => {
      const score = best[start]! + this.#scores[id]!;
      if (score <= best[end]!) return;
      [best[end], pieceTo[end], from[end]] = [score, id, start];
    };
    for (let start = 0; start < text.length;) {
      const next = start + (text.codePointAt(start)! > 0xffff ? 2 : 1);
      let isKnown = false;
      for (let end = next; end <= Math.min(text.length, start + this.#longest); end++) {
        // No piece goes on with a space.
        if (end > next && text[end - 1] === space) break;
        const id = this.#ids.get(text.slice(start, end));
        if (id === undefined) continue;
        offer(start, end, id);
        isKnown ||= end === next;
      }
      if (!isKnown) offer(start, next, this.#unknown);
      start = next;
    }
    const ids: number[] = [];
    for (let end = text.length; end > 0; end = from[end]!) {
      const id = pieceTo[end]!;
      if (id !== this.#unknown || ids.at(-1) !== id) ids.push(id);
    }
    return ids.reverse();
  }
}

function normalized(text: string): string {
  const spaced = text.normalize('NFKC').replaceAll(/\s+/g, ' ').replaceAll(' ', space);
  return spaced.startsWith(space) ? spaced : space + spaced;
}
