export const kurrentdbDouble: { readonly name: string; readonly url: string };
