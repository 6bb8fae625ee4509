export function leftOutBy(seed: number): string[];
