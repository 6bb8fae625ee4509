export function fetchOpenSearch(folder: string, say: (text: string) => void): Promise<string>;
