/** Most turns of one conversation: their numbers have three hexadecimal digits. */
export const maxTurns = 1_000;

const digits = 3;

/** The id of a new conversation, made from a fresh UUIDv7: it ends in zeros, which leave room for the numbers of its turns. */
export const conversationIdFrom = (fresh: string): string => withEnd(fresh, 0);

/**
 * The id of a turn, counted from 1. It is a UUIDv7 that begins like its conversation's, so that whoever knows a turn knows the stream of
 * its conversation, and a repetition stores each turn under the same id.
 */
export const turnIdOf = (conversationId: string, turn: number): string => withEnd(conversationId, turn);

/** The conversation that a memory would belong to if it were a turn. */
export const conversationIdOf = (memoryId: string): string => withEnd(memoryId, 0);

function withEnd(id: string, number: number): string {
  return id.slice(0, -digits) + number.toString(16).padStart(digits, '0');
}
