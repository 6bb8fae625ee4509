import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser, type ConsolePage } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { stratalogCommand } from '../support/program.ts';

const [command, ...words] = stratalogCommand;
const browser = useBrowser();

describe('the console on the data of the demo', () => {
  let folder: string;
  let demo: ChildProcess;
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'stratalog-console-'));
    const port = String(await freePort());
    demo = spawn(command, [...words, 'demo', '--serve', '--port', port, '--data', folder], {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: demo.stdout! })) {
      const address = /console: .*?(http:\/\/\S+\/console)/.exec(line)?.[1];
      if (address === undefined) continue;
      url = address.replaceAll(/\u001b\[\d+m/g, '');
      break;
    }
    demo.stdout!.resume();
  });

  afterAll(async () => {
    const ended = once(demo, 'exit');
    demo.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
  });

  /** Opens a view in a fresh window, and expects that nothing went wrong in it at the end. */
  async function on(view: string, look: (page: Page) => Promise<void>): Promise<void> {
    const { page, faults }: ConsolePage = await browser.open(url + view);
    await look(page);
    expect(faults).toEqual([]);
    await page.context().close();
  }

  const shows = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

  it('[J5] Search lab: why this, why not that, for one setting and for two', () =>
    on('/search?q=who%20may%20approve%20a%20release%3F', async (page) => {
      await shows(page, /^score 0\.\d+/);
      await shows(page, 'meaning');
      await shows(page, /Found as no\. \d+/);
      await page.getByRole('button', { name: 'Compare two settings' }).click();
      await expect.poll(() => page.getByRole('heading', { name: 'Results' }).count()).toBe(2);
      expect(page.url()).toContain('b.');
    }));

  it('[J5] Search lab: offers its call without a key', () =>
    on('/search?q=release', async (page) => {
      await shows(page, /^score 0\.\d+/);
      await page.getByRole('button', { name: 'Copy as call' }).click();
      await shows(page, /curl -X POST .*\/v1\/search\/explain/);
      await shows(page, /await client\.explainSearch/);
      expect(await page.getByRole('dialog').innerText()).not.toMatch(/sl_[A-Za-z0-9]/);
    }));

  it('[J5] Memories and Memory: what it is, who changed and read it', () =>
    on('/memories?layer=team', async (page) => {
      await page.getByRole('list', { name: 'Memories' }).getByRole('link').first().click();
      await shows(page, 'What it is');
      await shows(page, 'Who changed it');
      expect(page.url()).toContain('layer=team');
      const first = page.url();
      await page.getByRole('link', { name: 'Next' }).click();
      await expect.poll(() => page.url()).not.toBe(first);
      expect(page.url()).toContain('layer=team');
    }));

  it('[J5] Time machine: the chosen time holds for other screens', () =>
    on(`/time?at=${encodeURIComponent('2020-01-01T00:00:00.000Z')}`, async (page) => {
      await page.getByRole('slider').waitFor();
      await page.getByRole('link', { name: 'Memories', exact: true }).first().click();
      await shows(page, /what was known then/);
      await shows(page, 'Nothing is remembered yet');
    }));

  it('[J5] Sessions: what was asked, and whether it helped', () =>
    on('/sessions', async (page) => {
      await page
        .getByRole('link', { name: /demo-agent/ })
        .first()
        .click();
      await page.getByRole('heading', { level: 1, name: /Session demo-agent/ }).waitFor();
    }));

  it('[J5] Layers, Spaces and Documents: what there is, and where from', async () => {
    await on('/layers', (page) => shows(page, 'The seven layers'));
    await on('/spaces', (page) => shows(page, 'salesforce'));
    await on('/documents', async (page) => {
      await page
        .getByRole('link', { name: /Harbour handbook/ })
        .first()
        .click();
      await shows(page, /crane/i);
    });
  });

  it('[J5] [F7] Audit and Proof: an event is found, and proven in the browser', () =>
    on('/audit?type=MemoryStored', async (page) => {
      await page
        .getByRole('button', { name: /Memory stored/ })
        .first()
        .click();
      await page.getByRole('link', { name: 'Prove it' }).click();
      await page.getByText('proven', { exact: true }).first().waitFor();
    }));

  it('[J5] Learning and Operations: better than without, and up to date', async () => {
    await on('/learning', (page) => shows(page, 'Reward over time'));
    await on('/operations', async (page) => {
      await shows(page, 'memories');
      await expect.poll(() => page.getByText('up to date', { exact: true }).count()).toBeGreaterThan(10);
    });
  });

  it('[J5] Home: what happens elsewhere appears by itself', () =>
    on('/', async (page) => {
      await shows(page, 'Happening now');
      await page.getByText('live', { exact: true }).waitFor();
      const root = url.replace('/console', '');
      const stored = await fetch(`${root}/v1/memories`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'The lighthouse is painted in June' }),
      });
      expect(stored.status).toBe(201);
      await page.getByRole('link', { name: 'MemoryStored' }).first().waitFor();
    }));
});
