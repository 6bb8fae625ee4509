/** Values of the query part of an address. An undefined or empty value is left out. */
export type AddressValues = Readonly<Record<string, string | undefined>>;
