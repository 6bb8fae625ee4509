export const longFiles: Readonly<Record<string, Readonly<Record<string, number>>>>;
export const groupCount: number;
export function choosingSeed(): number | undefined;
export function leftOutBy(seed: number | undefined): string[];
