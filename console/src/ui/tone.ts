/** What a colour says: nothing, good, to be looked at, broken, or chosen. */
export type Tone = 'plain' | 'good' | 'warn' | 'danger' | 'accent';
