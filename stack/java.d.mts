/** The types of `java.mjs`, for its tests. */
export function findJava(
  name: string,
  range: { readonly oldest: number; readonly newest?: number; readonly otherwise: string },
): Promise<{ program: string; version: string }>;
