/** In tenants of up to this many memories every vector is compared with the query's; in larger ones HNSW is searched first. */
export const exactScanLimit = 10_000;

/** Tenants of up to this many memories are compared in the database even if vectors of larger ones are kept in RAM. */
export const inDatabaseLimit = 2_000;
