/** How many events of each kind came. */
export interface Counts {
  readonly changes: number;
  readonly searches: number;
  readonly reads: number;
  readonly all: number;
}

export const noEvents: Counts = { changes: 0, searches: 0, reads: 0, all: 0 };

const searches = /^(Search|Context|MultiHop)/;
const reads = /(Accessed|Read|Listed|Viewed)$/;
const changes = /^(Memory|Memories|Document|Space|Source|Link)/;

/** The counts with further events. An event is counted once, by the first kind that its type belongs to. */
export function counted(counts: Counts, events: readonly { readonly type: string }[]): Counts {
  let { changes: changed, searches: searched, reads: read } = counts;
  for (const { type } of events) {
    if (searches.test(type)) searched++;
    else if (reads.test(type)) read++;
    else if (changes.test(type)) changed++;
  }
  return { changes: changed, searches: searched, reads: read, all: counts.all + events.length };
}
