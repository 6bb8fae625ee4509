import type { Parameters } from '../../sql-builder.ts';

/** Whether a row of the memories table is the version of an active memory that was valid at a position. */
export function wasActive(alias: string, at: number, parameters: Parameters): string {
  return `${alias}.state = 'active' and ${wasValid(alias, at, parameters)}`;
}

/** Whether a row that is valid in [from_position, to_position) was so at a position. */
export function wasValid(alias: string, at: number, parameters: Parameters): string {
  const position = parameters.bind(at);
  return `${alias}.from_position <= ${position}
    and (${alias}.to_position is null or ${alias}.to_position > ${position})`;
}
