/** The types of `maven-jars.mjs`, for its tests. */
export function fetchJars(
  pins: Readonly<Record<string, string>>,
  folder: string,
  say: (text: string) => void,
  otherwise: string,
): Promise<string[]>;
