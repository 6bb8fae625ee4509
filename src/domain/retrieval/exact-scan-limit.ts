/** Up to this many vectors in a tenant each of them is compared with the query's; above, the HNSW index answers first. */
export const exactScanLimit = 10_000;
