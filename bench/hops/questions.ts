// Questions with an answer two references away, generated from records that refer to each other.
import type { Memory } from '../ranking/datasets.ts';

export interface TwoHopQuestion {
  readonly query: string;
  /** Ids of the documents that answer it. */
  readonly gold: ReadonlySet<string>;
}

/** A path such as `/keps/sig-node/693-topology-manager`. */
const REFERENCE = /keps\/[\w-]+\/(\d+-[\w-]+)/g;

/** The references between records of proposals (`see-also`, `replaces`, `superseded-by`), and questions that follow two of them. */
export class TwoHops {
  readonly references: readonly { readonly from: string; readonly to: string }[];
  readonly questions: readonly TwoHopQuestion[];

  constructor(memories: readonly Memory[]) {
    const records = new Map(
      memories
        .filter(({ id, scope }) => /^kep:.*#0$/.test(id) && scope['project'] !== undefined)
        .map((memory) => [memory.scope['project']!, memory]),
    );
    const named = (memory: Memory): Memory[] => {
      const projects = [...memory.text.matchAll(REFERENCE)].map((match) => match[1]!);
      return [...new Set(projects)].flatMap((project) => {
        const other = records.get(project);
        return other && other !== memory ? [other] : [];
      });
    };
    const all = [...records.values()];
    this.references = all.flatMap((from) => named(from).map((to) => ({ from: from.id, to: to.id })));
    this.questions = all.flatMap((start) => {
      const near = named(start);
      const far = near.flatMap(named).filter((other) => other !== start && !near.includes(other));
      if (far.length === 0) return [];
      const { title } = start.metadata as { title: string };
      const query = `What do the enhancements that "${title}" refers to build on themselves?`;
      return [{ query, gold: new Set(far.map(documentOf)) }];
    });
  }
}

function documentOf({ metadata }: Memory): string {
  return metadata!.doc!;
}
