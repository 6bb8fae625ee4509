/** Where everything is kept: in this process, on PostgreSQL, or on a server for each purpose. */
export const profiles = ['embedded', 'postgres', 'cluster'] as const;
