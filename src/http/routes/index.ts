import type { Route } from '../route.ts';
import { bulkRoute } from './bulk.ts';
import { auditRoute } from './audit-events.ts';
import { auditSearchRoute } from './audit-search.ts';
import { keyRoutes } from './keys.ts';
import { linkRoutes } from './links.ts';
import { memoryRoutes } from './memories.ts';
import { multiHopRoute } from './multi-hop.ts';
import { projectionRoutes } from './projections.ts';
import { routingRoutes } from './routing.ts';
import { searchRoute } from './search.ts';
import { statsRoute } from './stats.ts';
import { validateRoute } from './validate.ts';

/** Every call below /v1: what is served and what the OpenAPI document shows. `bulk` and `validate` stand before `:id`. */
export const routes: readonly Route[] = [
  bulkRoute,
  validateRoute,
  ...memoryRoutes,
  ...linkRoutes,
  searchRoute,
  multiHopRoute,
  statsRoute,
  auditRoute,
  auditSearchRoute,
  ...keyRoutes,
  ...projectionRoutes,
  ...routingRoutes,
];
