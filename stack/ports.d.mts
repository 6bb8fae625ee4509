export function portOf(variable: string, standard: number): number;
