export const kafka: { readonly name: string; readonly url: string };
