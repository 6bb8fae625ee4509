/** Where data is stored: in this process, in PostgreSQL, or on a separate server per purpose. */
export const profiles = ['embedded', 'postgres', 'cluster'] as const;

/** Roles that a process can have. With the profile `embedded` one process has all of them except `relay`. */
export const processRoles = ['api', 'relay', 'projector', 'worker'] as const;
export type ProcessRole = (typeof processRoles)[number];

/** What an installation is for. */
export const environments = ['development', 'staging', 'production'] as const;
export type Environment = (typeof environments)[number];
