import type { ListMemoriesQuery } from '@stratalog/client';
import type { AddressValues } from '../../app/address-values.ts';

const states = ['active', 'archived', 'deleted'] as const;
const orders = ['newest', 'oldest'] as const;

/** The query of the list of memories that an address names. */
export function listFilter(values: AddressValues): ListMemoriesQuery {
  const { layer, space, tag } = values;
  const state = states.find((one) => one === values['state']);
  const order = orders.find((one) => one === values['order']);
  return {
    ...(layer && { layer: [layer] }),
    ...(space && { space: [space] }),
    ...(tag && { tag: [tag] }),
    ...(state && { state }),
    ...(order && { order }),
  };
}

/** Only the filters of the list, of all values in an address. */
export function listValues({ layer, space, tag, state, order }: AddressValues): AddressValues {
  return { layer, space, tag, state, order };
}
