import { z } from 'zod';
import { identifier, layers, type Layer, type Scope } from '../../domain/layers.ts';
import { invalid } from '../../domain/problems.ts';

/** The scope key of Stratalog for each entity of mem0. */
export const entityKeys = {
  user_id: 'user',
  agent_id: 'agent',
  run_id: 'session',
  app_id: 'project',
} as const satisfies Readonly<Record<string, keyof Scope>>;

export type EntityName = keyof typeof entityKeys;

export const entityNames = Object.keys(entityKeys) as readonly EntityName[];

/** The entities as `/v1/entities/` names them. */
export const entityTypes = { user: 'user_id', agent: 'agent_id', run: 'run_id', app: 'app_id' } as const;

/** Numbers become strings: programs often have numeric user ids, and mem0 takes them. */
const entityId = z.union([identifier, z.number().transform(String)]).nullish();

/** The four entities, as they stand beside other fields of a body. */
export const entityFields = {
  user_id: entityId,
  agent_id: entityId,
  run_id: entityId,
  app_id: entityId,
};

export type EntityIds = { readonly [Name in EntityName]?: string | null | undefined };

/** The layer and scope of a memory with these entities. The most specific one decides the layer. */
export function placeOf(ids: EntityIds): { readonly layer: Layer; readonly scope: Scope } {
  const scope: Scope = {};
  for (const name of entityNames) {
    const id = ids[name];
    if (typeof id === 'string') scope[entityKeys[name]] = id;
  }
  const layer = layers.find((layer) => layer !== 'company' && scope[layer] !== undefined);
  if (layer === undefined) throw noEntity('the body');
  return { layer, scope };
}

/** mem0 refuses requests that name no entity, and so do we: without one, the memories of all users would be mixed. */
export function noEntity(where: string) {
  return invalid('user_id', `${where} must name at least one of ${entityNames.join(', ')}`);
}
