import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Chromium shall not contact hosts of its maker, has no graphics card, and cannot use its sandbox as root. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of Chromium: `STRATALOG_TEST_BROWSER`, or where Debian has it, which is installed there if root may do so. */
function browserPath(): string {
  const given = process.env['STRATALOG_TEST_BROWSER'];
  const found = given ?? places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  try {
    execFileSync('apt-get', ['update', '-qq']);
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium']);
  } catch (cause) {
    throw new Error(
      'the tests of the console need Chromium: install it (Debian: apt-get install chromium), or name it in STRATALOG_TEST_BROWSER',
      { cause },
    );
  }
  return places[0]!;
}

/** A page of the console, and what went wrong in it. */
export interface ConsolePage {
  readonly page: Page;
  /** Errors of scripts, violations of the Content-Security-Policy, requests to other hosts. Empty if all is well. */
  readonly faults: string[];
}

export interface TestBrowser {
  /** A page in a context of its own, as in a new private window. */
  open(url: string, options?: BrowserContextOptions): Promise<ConsolePage>;
}

/** A browser for the tests of one file. */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath(), args });
  });
  afterAll(() => browser?.close());
  return {
    async open(url, options = {}) {
      const context = await browser!.newContext({ viewport: { width: 1_280, height: 860 }, ...options });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
      page.on('console', (message) => {
        // The browser also reports answers such as 403, which the page itself shows.
        const isOfCall = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !isOfCall) faults.push(`console: ${message.text()}`);
      });
      page.on('dialog', (dialog) => {
        faults.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      const { host } = new URL(url);
      page.on('request', (request) => {
        const target = new URL(request.url());
        if (target.protocol.startsWith('http') && target.host !== host)
          faults.push(`request to ${target.host}`);
      });
      await page.goto(url);
      return { page, faults };
    },
  };
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Violations of WCAG 2.2 A and AA that axe-core finds in the page, each with the first element concerned. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // The policy of the page allows no added scripts, but the browser's debugger may run them.
  await page.evaluate(axeSource);
  const violations = await page.evaluate<AxeViolation[]>(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) => violations)",
  );
  return violations.map(({ id, help, nodes }) => `${id}: ${help} in ${nodes[0]?.html.slice(0, 200)}`);
}
