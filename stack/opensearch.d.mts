export const opensearch: { readonly name: string; readonly url: string };
