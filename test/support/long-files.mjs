/**
 * About how many seconds each long file takes on two cores, by the lane that it runs in. The gate runs a ninth of them, which its seed
 * chooses; `npm test` by hand, `npm run test:all` and `.ci/run --all` run all. So the gate stays short, every file is in one of nine
 * runs, and a short test of each requirement is in every run. The seconds only divide the files evenly, so they need not be exact.
 * @type {Readonly<Record<string, Readonly<Record<string, number>>>>}
 */
export const longFiles = {
  tests: {
    'test/conformance/cli-start.test.ts': 135,
    'test/conformance/cli-transfer.test.ts': 104,
    'test/conformance/backup.test.ts': 98,
    'test/conformance/idempotency.test.ts': 73,
    'test/faults/graceful-drain.test.ts': 73,
    'test/conformance/near-duplicates.test.ts': 70,
    'test/conformance/demo.test.ts': 63,
    'test/conformance/embedding-models.test.ts': 60,
    'test/conformance/filters.test.ts': 56,
    'test/conformance/policies.test.ts': 54,
    'test/conformance/projections.test.ts': 53,
    'test/conformance/documents.test.ts': 51,
    'test/faults/reactor-kill.test.ts': 51,
    'test/faults/disk-full.test.ts': 50,
    'test/faults/document-kill.test.ts': 50,
    'test/conformance/search-explain.test.ts': 46,
    'test/conformance/log-proofs.test.ts': 45,
    'test/conformance/own-writes.test.ts': 45,
    'test/conformance/search-relevance.test.ts': 45,
    'test/conformance/cli.test.ts': 43,
    'test/conformance/visibility.test.ts': 43,
    'test/faults/erasure.test.ts': 41,
    'test/conformance/multilingual-model.test.ts': 40,
    'test/conformance/routing.test.ts': 40,
    'test/faults/fact-kill.test.ts': 40,
    'test/conformance/space-models.test.ts': 36,
    'test/conformance/multi-hop.test.ts': 35,
    'test/conformance/refused-texts.test.ts': 35,
    'test/faults/kill-under-load.test.ts': 35,
    'test/conformance/http.test.ts': 33,
    'test/contract/event-processor.local.test.ts': 32,
    'test/conformance/conflicts.test.ts': 30,
    'test/conformance/search-as-of.test.ts': 30,
    'test/contract/multilingual-model.local.test.ts': 30,
    'test/faults/pglite-data-directory.test.ts': 30,
    'test/unit/projection-runner.local.test.ts': 30,
    'test/conformance/put.test.ts': 29,
    'test/conformance/sources.test.ts': 29,
    'test/conformance/reasoning-model.test.ts': 28,
    'test/conformance/cli-memories.test.ts': 27,
    'test/conformance/embedding-faults.test.ts': 26,
    'test/conformance/jwt.test.ts': 26,
    'test/conformance/language-model.test.ts': 26,
    'test/conformance/validate.test.ts': 26,
    'test/faults/disk-and-lock.test.ts': 26,
    'test/conformance/content-limit.test.ts': 25,
    'test/conformance/mcp-stdio.test.ts': 25,
    'test/conformance/limits.test.ts': 24,
    'test/conformance/mcp.test.ts': 24,
    'test/conformance/routing-conditions.test.ts': 24,
    'test/conformance/search-times.test.ts': 24,
    'test/conformance/audit-guide.test.ts': 23,
    'test/conformance/context.test.ts': 23,
    'test/faults/pglite-upkeep.test.ts': 23,
    'test/unit/words-in-memory.local.test.ts': 23,
    'test/conformance/summary-triggers.test.ts': 22,
    'test/conformance/values.test.ts': 22,
    'test/conformance/changing-facts.test.ts': 21,
    'test/conformance/filter-fields.test.ts': 21,
    'test/conformance/summaries.test.ts': 21,
    'test/contract/kurrentdb-event-log.local.test.ts': 21,
    'test/conformance/embedding-endpoint.test.ts': 20,
    'test/conformance/mem0.test.ts': 20,
    'test/conformance/conversation-facts.test.ts': 19,
    'test/conformance/delete-restore.test.ts': 19,
    'test/conformance/development-identity.test.ts': 18,
    'test/conformance/failing-rebuild.test.ts': 18,
    'test/conformance/links.test.ts': 18,
    'test/conformance/revoked-streams.test.ts': 18,
    'test/conformance/superseded.test.ts': 17,
    'test/conformance/alerts.test.ts': 18,
    'test/conformance/audited-reads.test.ts': 16,
    'test/conformance/budgets.test.ts': 16,
    'test/conformance/report.test.ts': 15,
    'test/conformance/tracing.test.ts': 10,
    'test/conformance/past.test.ts': 16,
    'test/unit/stack-cli.local.test.ts': 16,
    'test/conformance/large-tenant.test.ts': 15,
    'test/conformance/what-if.test.ts': 15,
    'test/conformance/embedding-budgets.test.ts': 14,
    'test/conformance/lifetimes.test.ts': 14,
    'test/conformance/metrics.test.ts': 14,
    'test/conformance/positions.test.ts': 14,
    'test/property/projections.local.test.ts': 14,
    'test/unit/outcome-reactor.local.test.ts': 14,
    'test/conformance/audit-query.test.ts': 13,
    'test/conformance/duplicates.test.ts': 13,
    'test/conformance/parked-erasure.test.ts': 13,
    'test/conformance/search-turns.test.ts': 13,
    'test/conformance/trust.test.ts': 13,
    'test/unit/outdated-view.local.test.ts': 13,
    'test/conformance/audit.test.ts': 12,
    'test/conformance/spaces-guide.test.ts': 12,
    'test/contract/kurrentdb-server.local.test.ts': 12,
    'test/contract/onnx-embedder.local.test.ts': 12,
    'test/faults/summary-kill.test.ts': 12,
    'test/unit/passage-backlog.local.test.ts': 12,
    'test/conformance/filtered-search.test.ts': 11,
    'test/conformance/surfaces.test.ts': 11,
    'test/unit/child-reader.local.test.ts': 11,
    'test/unit/rebuild-coordinator.local.test.ts': 11,
    'test/conformance/accesses.test.ts': 10,
    'test/conformance/bulk.test.ts': 10,
    'test/conformance/language-model-operations.test.ts': 10,
    'test/conformance/outcomes.test.ts': 10,
    'test/conformance/reasoning.test.ts': 10,
    'test/conformance/search-with-experience.test.ts': 10,
    'test/conformance/client.test.ts': 9,
    'test/conformance/content-routing.test.ts': 9,
    'test/conformance/earlier-events.test.ts': 9,
    'test/conformance/lessons.test.ts': 9,
    'test/conformance/openapi.test.ts': 9,
    'test/conformance/outcome-signals.test.ts': 9,
    'test/conformance/replayed-search.test.ts': 9,
    'test/conformance/routing-settings.test.ts': 9,
    'test/conformance/server-log.test.ts': 9,
    'test/conformance/space-ranking.test.ts': 9,
    'test/unit/search-looks.local.test.ts': 9,
    'test/unit/vectors-apart.local.test.ts': 9,
    'test/conformance/affirmation.test.ts': 8,
    'test/conformance/alerts.test.ts': 8,
    'test/conformance/earlier-folder.test.ts': 8,
    'test/conformance/fact-generations.test.ts': 8,
    'test/conformance/feedback.test.ts': 8,
    'test/conformance/on-behalf.test.ts': 8,
    'test/conformance/representations.test.ts': 8,
    'test/contract/pglite-sql.local.test.ts': 8,
    'test/contract/sql-key-vault.local.test.ts': 8,
    'test/property/partitions.local.test.ts': 8,
    'test/unit/flat-index.local.test.ts': 8,
    'test/unit/hostile-texts.test.ts': 8,
    'test/unit/issue-words.test.ts': 8,
    'test/unit/kurrentdb-event-log.local.test.ts': 8,
    'test/unit/pruning.local.test.ts': 8,
    'test/conformance/console.test.ts': 7,
    'test/conformance/erasures.test.ts': 7,
    'test/conformance/identity.test.ts': 7,
    'test/conformance/passages.test.ts': 7,
    'test/conformance/precedence.test.ts': 7,
    'test/conformance/spaces.test.ts': 7,
    'test/conformance/written-lessons.test.ts': 7,
    'test/contract/pglite-event-log.local.test.ts': 7,
    'test/property/values.local.test.ts': 7,
    'test/property/vector-segment.test.ts': 7,
    'test/unit/kurrentdb-restart.local.test.ts': 7,
    'test/unit/pglite-maintenance.local.test.ts': 7,
    'test/unit/put-memory.local.test.ts': 7,
    'test/unit/reactor-processor.local.test.ts': 7,
    'test/conformance/feedback-relevance.test.ts': 6,
    'test/conformance/idempotency-scope.test.ts': 6,
    'test/conformance/route-choices.test.ts': 6,
    'test/conformance/traces.test.ts': 6,
    'test/faults/onnx-exit.test.ts': 6,
    'test/property/postings.test.ts': 6,
    'test/property/windows.local.test.ts': 6,
    'test/unit/operations-in-process.local.test.ts': 6,
    'test/unit/parked-streams.local.test.ts': 6,
    'test/unit/policy-learning.local.test.ts': 6,
    'test/unit/store-fact.local.test.ts': 6,
    'test/unit/verify-log.local.test.ts': 6,
  },
  servers: {
    'test/servers/cluster-faults.test.ts': 150,
    'test/servers/projector-kafka.test.ts': 140,
    'test/servers/lexical-index-opensearch.test.ts': 113,
    'test/servers/roles.test.ts': 69,
    'test/servers/lost-replies.test.ts': 59,
    'test/servers/transport-kafka.test.ts': 42,
    'test/servers/lexical-upkeep.test.ts': 41,
    'test/servers/lexical-search.test.ts': 33,
    'test/servers/lexical-projection.test.ts': 26,
    'test/servers/refused-texts-postgres.test.ts': 15,
    'test/servers/tracing-cluster.test.ts': 15,
    'test/servers/doctor-cluster.test.ts': 10,
  },
  clients: {
    'test/clients/console-demo.test.ts': 120,
    'test/clients/package.test.ts': 120,
    'test/clients/mem0.test.ts': 53,
    'test/clients/mcp-configurations.test.ts': 47,
    'packages/client/frameworks/test/langgraph.test.ts': 21,
    'test/clients/prometheus.test.ts': 20,
    'packages/client/frameworks/test/published.test.ts': 15,
    'test/clients/tlog-tools.test.ts': 10,
  },
};

export const groupCount = 9;

const groups = divide();

/** Gives each file, the longest of a lane first, to the group that has the fewest seconds so far: in that lane, then in all lanes. */
function divide() {
  const all = Array.from({ length: groupCount }, () => ({ files: new Set(), lane: 0, total: 0 }));
  for (const lane of Object.values(longFiles)) {
    for (const group of all) group.lane = 0;
    for (const [file, seconds] of Object.entries(lane).toSorted((a, b) => b[1] - a[1])) {
      const [lightest] = all.toSorted((a, b) => a.lane - b.lane || a.total - b.total);
      lightest.files.add(file);
      lightest.lane += seconds;
      lightest.total += seconds;
    }
  }
  return all.map(({ files }) => files);
}

/**
 * The seed by which a gate chooses what it runs; undefined if a run takes all.
 * @returns {number | undefined}
 */
export function choosingSeed() {
  const {
    STRATALOG_TEST_REPORTS: reports,
    STRATALOG_TEST_ALL: all,
    STRATALOG_TEST_SEED: seed = '0',
  } = process.env;
  return reports && all === undefined ? Number(seed) : undefined;
}

/**
 * The files that a run with this seed leaves out; none without a seed.
 * @param {number | undefined} seed
 * @returns {string[]}
 */
export function leftOutBy(seed) {
  if (seed === undefined) return [];
  const chosen = groups[seed % groupCount];
  return Object.values(longFiles)
    .flatMap(Object.keys)
    .filter((file) => !chosen.has(file));
}
