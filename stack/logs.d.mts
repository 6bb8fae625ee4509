export function logs(
  servers: readonly { readonly name: string; readonly folder: string }[],
  write: (name: string, text: string) => void,
  options?: { readonly follow?: boolean; readonly signal?: AbortSignal },
): Promise<void>;
