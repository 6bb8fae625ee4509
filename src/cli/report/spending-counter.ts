/** What the calls of one model for one purpose have cost. */
export interface Spending {
  readonly purpose: string;
  readonly model: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
  /** Whether the prices of all calls were known; `usd` is too low if not. */
  readonly priced: boolean;
  /** Whether the calls are in the ledger. Those that plan and refine questions are not: they count in no budget, and `usd` is 0. */
  readonly charged: boolean;
}

/** Adds up the events `CostIncurred`, of the ledger, and `LanguageModelCalled`, of questions. */
export class SpendingCounter {
  readonly #rows = new Map<string, Spending>();

  add(data: Readonly<Record<string, unknown>>, charged: boolean): void {
    const purpose = textOf(data['purpose']);
    const model = textOf(data['model']);
    const key = JSON.stringify([purpose, model, charged]);
    const before = this.#rows.get(key);
    const sum = (field: 'requests' | 'inputTokens' | 'outputTokens' | 'usd'): number =>
      (before?.[field] ?? 0) + numberOf(data[field]);
    this.#rows.set(key, {
      purpose,
      model,
      requests: sum('requests'),
      inputTokens: sum('inputTokens'),
      outputTokens: sum('outputTokens'),
      usd: sum('usd'),
      priced: (before?.priced ?? true) && data['priced'] === true,
      charged,
    });
  }

  /** The most expensive first. */
  sorted(): readonly Spending[] {
    return [...this.#rows.values()].toSorted((a, b) => b.usd - a.usd || b.inputTokens - a.inputTokens);
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : 'unknown');
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
