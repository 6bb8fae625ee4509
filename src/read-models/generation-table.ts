/** The full name of one generation's table, or of its index with that name: `read.memories_g3`. */
export function generationTable(table: string, generation: number): string {
  return `read.${table}_g${generation}`;
}
