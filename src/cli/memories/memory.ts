/** A memory as the API shows it. */
export interface Memory {
  readonly id: string;
  readonly externalId?: string;
  readonly content: string;
  readonly layer: string;
  readonly scope: Readonly<Record<string, string>>;
  readonly spaces: readonly string[];
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly representations?: Readonly<Record<string, string>>;
  readonly occurredAt?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly createdBy: string;
  readonly revision: number;
  readonly state: string;
  readonly retentionUntil?: string;
  readonly accessCount: number;
  readonly lastAccessedAt?: string;
}

/** The answer to a command on a memory. */
export interface MemoryAnswer {
  readonly memory: Memory;
  readonly position: string;
}

/** The path of a memory in the API. */
export function pathOf(id: string): string {
  return `/v1/memories/${encodeURIComponent(id)}`;
}
