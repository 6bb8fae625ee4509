/** PostgreSQL's error fields, with the names of the `pg` driver. */
export interface SqlFailure {
  readonly message: string;
  /** SQLSTATE. */
  readonly code?: string;
  readonly severity?: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly where?: string;
  readonly schema?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  readonly position?: string;
}

const fields = [
  'code',
  'severity',
  'detail',
  'hint',
  'where',
  'schema',
  'table',
  'column',
  'constraint',
  'position',
] as const;

/** The database rejected a statement. Both adapters reject with this error. */
export class SqlError extends Error implements SqlFailure {
  override readonly name = 'SqlError';
  declare readonly code?: string;
  declare readonly severity?: string;
  declare readonly detail?: string;
  declare readonly hint?: string;
  declare readonly where?: string;
  declare readonly schema?: string;
  declare readonly table?: string;
  declare readonly column?: string;
  declare readonly constraint?: string;
  declare readonly position?: string;

  constructor(failure: SqlFailure, options?: ErrorOptions) {
    super(failure.message, options);
    Object.assign(this, failureOf(failure));
  }
}

/** The defined fields of a driver's error, as plain data that can be sent to another thread. */
export function failureOf(error: SqlFailure | Error): SqlFailure {
  const source = error as Partial<Record<(typeof fields)[number], unknown>>;
  const set = fields.filter((field) => typeof source[field] === 'string');
  return { message: error.message, ...Object.fromEntries(set.map((field) => [field, source[field]])) };
}

/** The error for a commit after a failed statement that the body of the transaction ignored. */
export function abortedTransaction(): SqlError {
  return new SqlError({
    message: 'the transaction was rolled back: one of its statements had failed',
    code: '25P02',
    severity: 'ERROR',
  });
}
