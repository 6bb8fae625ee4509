/** Layers of memories, from the most to the least specific. */
export const layers = ['agent', 'user', 'session', 'project', 'team', 'org', 'company'] as const;

export type Layer = (typeof layers)[number];
