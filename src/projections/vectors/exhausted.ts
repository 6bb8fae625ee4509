/**
 * Texts that a budget does not allow for now: those of the tenant that have all of these labels. It is not known which of the spaces has
 * used up its budget, so a text with only some of the labels is tried.
 */
export interface Exhausted {
  readonly tenant: string;
  readonly spaces: readonly string[];
}

/** SQL for whether no budget is known to forbid a text, from its tenant and labels; $1 and $2 are `exhaustedParameters`. */
export function isAffordable(tenant: string, labels: string): string {
  return `not exists (select from unnest($1::text[], $2::text[]) as spent(tenant, spaces)
    where spent.tenant = ${tenant} and ${labels} @> array(select jsonb_array_elements_text(spent.spaces::jsonb)))`;
}

export function exhaustedParameters(exhausted: readonly Exhausted[]): [string[], string[]] {
  return [exhausted.map(({ tenant }) => tenant), exhausted.map(({ spaces }) => JSON.stringify(spaces))];
}
