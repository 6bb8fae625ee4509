/** What a reviewer may decide; `undo` takes the last decision about the memory back. */
export const reviewDecisions = ['approve', 'reject', 'merge', 'supersede', 'keep', 'undo'] as const;
export type ReviewDecision = (typeof reviewDecisions)[number];
