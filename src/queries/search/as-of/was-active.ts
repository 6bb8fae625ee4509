import type { Parameters } from '../../sql-builder.ts';

/** SQL for whether a row of the memories table is the version that was valid at a position, of a memory that was active. */
export function wasActive(alias: string, at: number, parameters: Parameters): string {
  return `${alias}.state = 'active' and ${wasValid(alias, at, parameters)}`;
}

/** SQL for whether a row, valid in [from_position, to_position), was valid at a position. */
export function wasValid(alias: string, at: number, parameters: Parameters): string {
  const position = parameters.bind(at);
  return `${alias}.from_position <= ${position}
    and (${alias}.to_position is null or ${alias}.to_position > ${position})`;
}
