/** Calls that take much, each with a ceiling of its own. */
export const shapes = {
  largeSearch: 'searches with topK above 250 or a question of more than 4,000 characters',
  past: 'reads as of the past',
  context: 'contexts',
  multiHop: 'multi-hop searches',
  bulk: 'bulk stores',
  auditExport: 'exports of the audit trail',
  followedAudit: 'followed audit trails',
} as const;

export type Shape = keyof typeof shapes;

/** How many calls of each shape a credential may have under way in a process, those that wait for their turn among them. */
export type Ceilings = Readonly<Record<Shape, number>>;

const largeTopK = 250;
const longQuery = 4_000;

/** The shape of a search in any form; `own` if it is of the size of most. A read of the past counts as that, whatever else it is. */
export function searchShape(
  asked: {
    readonly query: string;
    readonly topK?: number | undefined;
    readonly asOf?: string | undefined;
  },
  own?: Shape,
): Shape | undefined {
  if (asked.asOf !== undefined) return 'past';
  if (own) return own;
  return (asked.topK ?? 0) > largeTopK || asked.query.length > longQuery ? 'largeSearch' : undefined;
}
