/** Up to this many vectors in a tenant each of them is compared with the query's; above, the HNSW index answers first. */
export const exactScanLimit = 10_000;

/** Where vectors are kept in memory: up to this many of a tenant are compared in the database all the same. */
export const inDatabaseLimit = 2_000;
