// OpenSearch 2.19.6 on 127.0.0.1:9200: one node, without TLS and without a password.
import { fetchOpenSearch } from './opensearch-jars.mjs';
import { findOpenSearchJava, nodeCommand } from './opensearch-node.mjs';
import { portOf } from './ports.mjs';

const port = portOf('STACK_OPENSEARCH_PORT', 9200);
const url = `http://127.0.0.1:${port}`;
const answerMs = 3_000;

export const opensearch = {
  name: 'opensearch',
  url,
  stopSignal: 'SIGTERM',
  install,
  command,
  ready,
  prepare: async () => {},
};

async function install(folder, say) {
  // Checked first, because without Java the download would be useless.
  await findOpenSearchJava();
  await fetchOpenSearch(folder, say);
}

async function command(folder) {
  const home = await fetchOpenSearch(folder, () => {});
  return nodeCommand({ home, folder, port, archive: true });
}

/** Whether the indexes of the last run are open. The port opens earlier. */
async function ready() {
  return fetch(`${url}/_cluster/health?wait_for_status=yellow&timeout=1s`, {
    signal: AbortSignal.timeout(answerMs),
  }).then(
    ({ status }) => status === 200,
    () => false,
  );
}
