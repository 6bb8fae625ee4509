import type { Parameters } from '../../sql-builder.ts';

/** Whether a row of the memories table is the version of an active memory that was valid at a position. */
export function wasActive(alias: string, at: number, parameters: Parameters): string {
  const position = parameters.bind(at);
  return `${alias}.state = 'active' and ${alias}.from_position <= ${position}
    and (${alias}.to_position is null or ${alias}.to_position > ${position})`;
}
