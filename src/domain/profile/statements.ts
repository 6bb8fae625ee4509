import type { BlockStatement } from '../context/block.ts';
import { dayOf } from '../context/line.ts';
import { groupBy } from '../group-by.ts';

/** A memory of the user. */
interface Told {
  readonly id: string;
  readonly externalId?: string;
  readonly time: Date;
}

/** By memory: what it says about the user. */
export type Facts<Memory> = ReadonlyMap<Memory, readonly string[]>;

/**
 * The statements of a profile, in the order of the memories. If a newer memory has probably changed a fact, one statement tells both,
 * the newer first, each with its day: "I moved to Lyon. (2026-06-14; on 2026-01-09: I live in Leeds.)" A newer memory that says nothing
 * about the user changes nothing. `successors`: the newer memory by the id of the older one.
 */
export function profileStatements<Memory extends Told>(
  memories: readonly Memory[],
  facts: Facts<Memory>,
  successors: ReadonlyMap<string, Memory>,
): readonly BlockStatement[] {
  const newestOf = (memory: Memory): Memory => {
    const successor = successors.get(memory.id);
    return successor && facts.has(successor) ? successor : memory;
  };
  const changed = groupBy(
    memories.filter((memory) => newestOf(memory) !== memory),
    newestOf,
  );
  const wordsOf = (memory: Memory) => facts.get(memory)!.join(' ');
  const newest = new Set(memories.map(newestOf));
  return [...newest].flatMap((memory) => {
    const earlier = changed.get(memory);
    if (!earlier) return facts.get(memory)!.map((text) => statementOf([memory], text));
    const notes = earlier.map((one) => `on ${dayIn(one)}: ${wordsOf(one)}`);
    const text = `${wordsOf(memory)} (${[dayIn(memory), ...notes].join('; ')})`;
    return [statementOf([memory, ...earlier], text)];
  });
}

const dayIn = ({ time }: Told): string => dayOf(time.toISOString());

function statementOf(memories: readonly Told[], text: string): BlockStatement {
  return {
    text,
    sources: memories.map(({ id, externalId }) => ({ id, ...(externalId !== undefined && { externalId }) })),
  };
}
