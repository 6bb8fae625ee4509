// npm run screenshots [-- URL]
// Takes the pictures of docs/console.md: every screen of the console, light and dark. Without a URL it runs the demo first, whose
// data the pictures then show. Needs Chromium (Debian: apt-get install chromium), or its path in STRATALOG_TEST_BROWSER.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const root = path.dirname(import.meta.dirname);
const folder = path.join(import.meta.dirname, 'console');

/** File name and address of each picture; `{memory}` and the like are filled in from the server. */
const views = {
  home: '/',
  search: '/search?q=who%20may%20approve%20a%20release%3F',
  memories: '/memories',
  memory: '/memories/{memory}',
  time: '/time',
  sessions: '/sessions',
  review: '/review',
  layers: '/layers',
  spaces: '/spaces',
  documents: '/documents',
  audit: '/audit',
  proof: '/proof',
  learning: '/learning',
  operations: '/operations',
};

/** Starts the demo, and resolves with its address once its server stays up. */
async function startDemo(data) {
  const words = ['bin/stratalog.mjs', 'demo', '--serve', '--port', '8097', '--data', data];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout }))
    if (line.includes('The server is still running')) return { url: 'http://127.0.0.1:8097', child };
  throw new Error('the demo ended early');
}

async function takeAll(url) {
  const browser = await chromium.launch({
    executablePath: process.env.STRATALOG_TEST_BROWSER ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const listed = await (await fetch(`${url}/v1/memories?limit=1`)).json();
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 800 }, colorScheme });
    for (const [name, view] of Object.entries(views)) {
      await page.goto(`${url}/console${view.replace('{memory}', listed.items[0].id)}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      // Answers come one after the other, and the audit stream keeps the network busy.
      await page.waitForTimeout(2_500);
      await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}.png`) });
    }
  }
  await browser.close();
}

const [, , given] = process.argv;
const data = await mkdtemp(path.join(tmpdir(), 'stratalog-screenshots-'));
const demo = given === undefined ? await startDemo(data) : undefined;
await takeAll(given ?? demo.url);
demo?.child.kill('SIGTERM');
await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
