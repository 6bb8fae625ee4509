import { z } from 'zod';
import { text } from '../../domain/json.ts';

/** Names a stream that a read model has parked. */
export const parkedStreamInput = z.strictObject({ stream: text(200).min(1) });
