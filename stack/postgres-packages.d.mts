export function postgresProgramsIn(folder: string): string;
