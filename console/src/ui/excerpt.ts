/** The beginning of a text, with an ellipsis if something is left out. */
export const excerpt = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
