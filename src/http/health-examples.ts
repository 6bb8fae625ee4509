/** Answers of the health endpoints and a problem, as the OpenAPI document shows them. */

export const readinessExample = {
  status: 'ready',
  profile: 'embedded',
  roles: ['api', 'projector', 'worker'],
  identity: 'credentials',
  log: { head: 4_211, position: '0b8f3a9c1d2e-38z' },
  projections: [{ name: 'memories', position: 4_211, lag: 0, lock: 'here', parked: 0 }],
  reactors: [{ name: 'erasures', position: 4_211, lag: 0, lock: 'here', parked: 0 }],
  bulkStores: 'open',
  backEnds: {},
  embedder: { model: 'multilingual-e5-small-int8-f9c28841', state: 'up' },
};

export const metricsExample = `# HELP stratalog_projection_parked Number of streams whose events the live generation of a read model cannot apply
# TYPE stratalog_projection_parked gauge
stratalog_projection_parked{projection="memories"} 0
`;

export const problemExample = {
  type: 'urn:stratalog:problem:not-found',
  title: 'There is nothing here for this caller',
  status: 404,
  code: 'not-found',
  detail: 'no such memory',
  requestId: 'f0b0f7c4-6a60-4d3d-9a53-6b2a2c1f7e11',
};
