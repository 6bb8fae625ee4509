/**
 * The files that take longest, the longest first. The gate runs a fifth of them, which its seed chooses; `npm run test:all` and
 * `.ci/run --all` run all. So the gate stays short, every file is in one of five runs, and a short test of each capability is in every run.
 */
const longFiles = [
  'test/servers/cluster-faults.test.ts',
  'test/conformance/demo.test.ts',
  'test/conformance/cli-start.test.ts',
  'test/clients/package.test.ts',
  'test/conformance/near-duplicates.test.ts',
  'test/clients/mem0.test.ts',
  'test/servers/lexical-index-opensearch.test.ts',
  'test/conformance/summary-triggers.test.ts',
  'test/servers/projector-kafka.test.ts',
  'test/conformance/own-writes.test.ts',
  'test/servers/roles.test.ts',
  'test/faults/graceful-drain.test.ts',
  'test/conformance/search-as-of.test.ts',
  'test/faults/erasure.test.ts',
  'test/conformance/audit-guide.test.ts',
  'test/conformance/embedding-models.test.ts',
  'test/conformance/multilingual-model.test.ts',
  'test/servers/lost-replies.test.ts',
  'test/faults/disk-full.test.ts',
  'test/contract/event-processor.local.test.ts',
  'test/unit/words-in-memory.local.test.ts',
  'test/conformance/erasures.test.ts',
  'test/conformance/refused-texts.test.ts',
  'test/servers/lexical-upkeep.test.ts',
  'test/conformance/what-if.test.ts',
  'test/conformance/reasoning-model.test.ts',
  'test/conformance/limits.test.ts',
  'test/servers/transport-kafka.test.ts',
  'test/faults/reactor-kill.test.ts',
  'test/conformance/search-relevance.test.ts',
  'test/conformance/mcp-stdio.test.ts',
  'test/conformance/content-limit.test.ts',
  'test/conformance/backup.test.ts',
  'test/conformance/language-model.test.ts',
  'test/conformance/cli-transfer.test.ts',
  'test/unit/projection-runner.local.test.ts',
  'test/conformance/development-identity.test.ts',
  'test/faults/kill-under-load.test.ts',
  'test/conformance/policies.test.ts',
  'test/conformance/embedding-endpoint.test.ts',
  'test/conformance/budgets.test.ts',
  'test/servers/lexical-search.test.ts',
  'test/conformance/audit.test.ts',
  'test/conformance/log-proofs.test.ts',
  'packages/client/frameworks/test/langgraph.test.ts',
  'packages/client/frameworks/test/published.test.ts',
  'test/conformance/large-tenant.test.ts',
  'test/conformance/embedding-faults.test.ts',
  'test/property/projections.local.test.ts',
  'test/faults/disk-and-lock.test.ts',
  'test/faults/pglite-upkeep.test.ts',
  'test/servers/doctor-cluster.test.ts',
  'test/conformance/parked-erasure.test.ts',
  'test/clients/mcp-configurations.test.ts',
  'test/contract/onnx-embedder.local.test.ts',
  'test/conformance/earlier-folder.test.ts',
  'test/conformance/language-model-operations.test.ts',
  'test/faults/pglite-data-directory.test.ts',
  'test/servers/refused-texts-postgres.test.ts',
  'test/conformance/search-times.test.ts',
  'test/clients/tlog-tools.test.ts',
  'test/conformance/reasoning.test.ts',
  'test/conformance/routing-settings.test.ts',
  'test/faults/document-kill.test.ts',
  'test/faults/fact-kill.test.ts',
  'test/conformance/space-models.test.ts',
  'test/conformance/idempotency.test.ts',
  'test/conformance/visibility.test.ts',
  'test/conformance/conversation-facts.test.ts',
];

const groups = 5;

/**
 * The files that a run with this seed leaves out. Every group takes about as long.
 * @param {number} seed
 * @returns {string[]}
 */
export function leftOutBy(seed) {
  return longFiles.filter((_, index) => index % groups !== seed % groups);
}
