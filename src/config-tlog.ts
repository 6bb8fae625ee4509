import { z } from 'zod';
import { integer, secret } from './config-values.ts';

/** Settings of the signed log. */
export const tlogSettings = {
  STRATALOG_TLOG: z
    .enum(['auditors', 'public'])
    .default('auditors')
    .describe(
      'Who may read the signed heads, tiles and leaves of the log below /tlog. public: everyone, without a key',
    ),
  STRATALOG_TLOG_ORIGIN: z
    .string()
    .regex(/^[^\s+]{1,200}$/u, 'must have no spaces and no +')
    .optional()
    .describe(
      'Name of the log in its signed heads; a log that was restored adds its id. Default: stratalog/ and the id of the log',
    ),
  STRATALOG_TLOG_KEY: secret(40)
    .optional()
    .describe(
      'Key that signs the heads of the log, 32 bytes in base64. Default: follows from the key of the vault',
    ),
  STRATALOG_TLOG_OLD_KEY: secret(40)
    .optional()
    .describe('The key before, while keys are exchanged: heads have a signature of both'),
  STRATALOG_TLOG_PUBLISH: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Where signed heads of the log are sent: an http or https address that gets each by POST, or a file that they are appended to. A log that does not continue the last head in the file is not served',
    ),
  STRATALOG_CHECKPOINT_INTERVAL: integer(1, 86_400)
    .default(60)
    .describe('Seconds that new events wait at most for a signed head of the log'),
};

type Settings = z.infer<z.ZodObject<typeof tlogSettings>>;

/** The signed heads of the log. */
export interface TlogConfig {
  readonly isPublic: boolean;
  readonly origin: string | undefined;
  readonly key: string | undefined;
  readonly oldKey: string | undefined;
  readonly publishTo: string | undefined;
  readonly intervalMs: number;
}

export function tlogOf(values: Settings): TlogConfig {
  return {
    isPublic: values.STRATALOG_TLOG === 'public',
    origin: values.STRATALOG_TLOG_ORIGIN,
    key: values.STRATALOG_TLOG_KEY,
    oldKey: values.STRATALOG_TLOG_OLD_KEY,
    publishTo: values.STRATALOG_TLOG_PUBLISH,
    intervalMs: values.STRATALOG_CHECKPOINT_INTERVAL * 1_000,
  };
}
