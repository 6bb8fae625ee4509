/** Where everything is kept: in this process, on PostgreSQL, or on a server for each purpose. */
export const profiles = ['embedded', 'postgres', 'cluster'] as const;

/** What a process may do. Of the profile `embedded` one process does all of it, but for the relay. */
export const processRoles = ['api', 'relay', 'projector', 'worker'] as const;
export type ProcessRole = (typeof processRoles)[number];
