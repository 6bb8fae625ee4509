/** One generation's table of a read model, or its index of that name. */
export function generationTable(table: string, generation: number): string {
  return `read.${table}_g${generation}`;
}
