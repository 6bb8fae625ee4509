export const postgres: { readonly name: string; readonly url: string };
