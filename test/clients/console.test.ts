import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client } from '../support/api.ts';
import { accessibilityFaults, useBrowser, type ConsolePage } from '../support/browser.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { useSharedServer } from '../support/use-server.ts';

/** Every screen, by its address, with its heading. */
const screens = {
  '/': 'Home',
  '/search': 'Search lab',
  '/memories': 'Memories',
  '/time': 'Time machine',
  '/sessions': 'Sessions',
  '/review': 'Review',
  '/layers': 'Layers',
  '/spaces': 'Spaces',
  '/documents': 'Documents',
  '/audit': 'Audit',
  '/proof': 'Proof',
  '/learning': 'Learning',
  '/operations': 'Operations',
} as const;

const server = useSharedServer('deterministic');
const browser = useBrowser();

/** Opens a view with a key, typed as a person would. */
async function signedIn(key: string, view: string, options = {}): Promise<ConsolePage> {
  const opened = await browser.open(`${server.url}/console${view}`, options);
  await opened.page.getByLabel('API key').fill(key);
  await opened.page.getByRole('button', { name: 'Open the console' }).click();
  await isInside(opened.page);
  return opened;
}

/** Waits until the key was accepted. */
function isInside(page: Page): Promise<void> {
  return page.getByRole('link', { name: 'Stratalog' }).waitFor();
}

/** Opens another view in the same tab, and waits until it has its answers. The audit stream keeps the network busy. */
async function go(page: Page, view: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', '/console${view}'); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await page.waitForTimeout(500);
  await expect.poll(() => page.locator('.loading').count(), { timeout: 30_000 }).toBe(0);
}

describe('the console', () => {
  let admin: Client;

  beforeAll(async () => {
    const tenant = freshTenant();
    admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
    const ada = await clientWithKey(server, { tenant, role: 'member', user: 'ada' });
    for (const content of ['The pump in hall 3 leaks at the seal', 'Ada prefers tea in the morning'])
      await ada.store({ content, spaces: ['notes'] });
  });

  it('[J5] asks for a key, keeps it for the tab only, and forgets it when signed out', async () => {
    const { page, faults } = await browser.open(`${server.url}/console`);
    await page.getByLabel('API key').fill('wrong-key-of-nobody');
    await page.getByRole('button', { name: 'Open the console' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('API key').fill(admin.key!);
    await page.getByRole('button', { name: 'Open the console' }).click();
    await isInside(page);
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain(admin.key!);
    await page.reload();
    await isInside(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(admin.key!);
    expect(faults).toEqual([]);
  });

  it.each([
    ['light', {}],
    ['dark, on a phone', { colorScheme: 'dark', viewport: { width: 390, height: 800 } }],
  ])('[J5] has screens that are accessible and fit the window: %s', async (_, options) => {
    const { page, faults } = await signedIn(admin.key!, '/', options);
    for (const [view, heading] of Object.entries(screens)) {
      await go(page, view);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      expect([view, await accessibilityFaults(page)]).toEqual([view, []]);
      const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect([view, width]).toEqual([view, 0]);
    }
    expect(faults).toEqual([]);
  });

  it('[J5] shows no screen that the role may not use, and says so at its address', async () => {
    const tenant = freshTenant();
    const agent = await clientWithKey(server, { tenant, role: 'agent', agents: ['helper'], users: ['*'] });
    const { page } = await signedIn(agent.key!, '/');
    const menu = await page.getByRole('navigation').innerText();
    expect(menu).toContain('Memories');
    expect(menu).not.toMatch(/Audit|Operations/);
    await go(page, '/proof');
    await page.getByText('The role agent does not see this screen').waitFor();
  });

  it('[I1] [J5] asks for a key again as soon as a call is refused because the key was revoked', async () => {
    const created = await admin.post('/v1/admin/keys', { role: 'member', user: 'ada' });
    const { page } = await signedIn(created.body.key, '/memories');
    await page.getByRole('list', { name: 'Memories' }).waitFor();
    await admin.delete(`/v1/admin/keys/${created.body.id}`);
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByLabel('API key').waitFor({ timeout: 20_000 });
    expect(await page.locator('body').innerText()).not.toContain('pump in hall 3');
  });

  it('[J5] lets an agent say for which user it acts', async () => {
    const tenant = freshTenant();
    const agent = await clientWithKey(server, { tenant, role: 'agent', agents: ['helper'], users: ['mia'] });
    const { page } = await signedIn(agent.key!, '/');
    await page.getByLabel('For user').fill('bob');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('For user').fill('mia');
    await page.keyboard.press('Enter');
    await page.getByText(`mia · ${tenant} · agent`).waitFor();
    await page.getByLabel('Text to remember').fill('Mia is allergic to peanuts');
    await page.getByRole('button', { name: 'Store it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Memory' }).waitFor();
    await page.getByText('Mia is allergic to peanuts').first().waitFor();
    await page.getByRole('button', { name: 'Copy as call' }).click();
    const calls = page.getByRole('dialog', { name: 'The calls of this view' });
    const texts = (await calls.locator('pre').allInnerTexts()).join('\n');
    expect(texts).toContain("-H 'x-on-behalf-of: mia'");
    expect(texts).toContain('await client.onBehalfOf("mia").memories.get(');
    expect(texts).toContain('"user_id": "mia"');
    expect(texts).not.toContain(agent.key!);
  });

  it('[F6] [J5] opens the receipt of an erased memory, and shows its text no more', async () => {
    const tenant = freshTenant();
    const owner = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
    const { id } = (await owner.store({ content: 'The tide gauge drifts by two centimetres' })).memory;
    const { page } = await signedIn(owner.key!, `/memories/${id}`);
    await page.getByText('tide gauge').first().waitFor();
    await page.getByRole('button', { name: 'Erase' }).click();
    await page.getByLabel('Type erase to confirm').fill('erase');
    await page.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByRole('heading', { level: 1, name: 'Proof' }).waitFor();
    await page.goBack();
    await page.getByText('There is no such memory for you here').waitFor();
    expect(await page.locator('body').innerText()).not.toContain('tide gauge');
  });

  it('[J5] says that a screen could not be loaded, and loads it once the server is back', async () => {
    const { page } = await signedIn(admin.key!, '/');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.route('**/console**', (route) => route.abort());
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByText('This screen could not be loaded').waitFor();
    await page.waitForTimeout(3_000);
    await page.unroute('**/console**');
    await page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor();
  });

  it('[J5] reads a long list to its end while memories are stored, leaves it alone, and returns to the same row', async () => {
    const owner = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    await owner.bulk(Array.from({ length: 650 }, (_, number) => ({ content: `Buoy ${number} was checked` })));
    const { page } = await signedIn(owner.key!, '/memories');
    const list = page.getByRole('list', { name: 'Memories' });
    const lastRow = list.getByText('Buoy 0 was checked');
    await list.waitFor();
    for (let number = 0; (await lastRow.count()) === 0 && number < 100; number++) {
      await list.evaluate((element: { scrollTop: number; scrollHeight: number }) => {
        element.scrollTop = element.scrollHeight;
      });
      if (number % 4 === 0) await owner.store({ content: `Lamp ${number} was changed` });
      await page.waitForTimeout(250);
    }
    await lastRow.waitFor();
    let reads = 0;
    page.on('request', (request) => {
      if (request.url().includes('/v1/memories?')) reads++;
    });
    await owner.store({ content: 'The last lamp was changed' });
    await page.waitForTimeout(4_000);
    expect(reads).toBe(0);
    await lastRow.click();
    await page.getByRole('heading', { level: 1, name: 'Memory' }).waitFor();
    await page.goBack();
    await lastRow.waitFor();
    // Seen from its beginning, the list is refreshed again.
    await list.evaluate((element: { scrollTop: number }) => {
      element.scrollTop = 0;
    });
    await list.getByText('The last lamp was changed').waitFor();
  });

  it('[J5] says that another reviewer was faster, and does not overwrite the decision', async () => {
    const tenant = freshTenant();
    const owner = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
    const member = await clientWithKey(server, { tenant, role: 'member', user: 'mia' });
    await owner.put('/v1/admin/trust', { quarantine: [{ source: 'user' }], reviewers: ['admin'] });
    const { id } = (await member.store({ content: 'The quay is closed on Sundays' })).memory;
    const { page } = await signedIn(owner.key!, '/review');
    const reject = page.getByRole('button', { name: 'Reject r' });
    await reject.waitFor();
    // As if nothing had arrived yet when the button is clicked.
    await page.route('**/v1/reviews?*', (route) => route.abort());
    await owner.post(`/v1/reviews/${id}`, { decision: 'approve' });
    await reject.click();
    await page.getByText(/somebody else has changed the memory or decided about it/).waitFor();
    await page.unroute('**/v1/reviews?*');
    await page.getByText('Nothing waits for a review').waitFor();
    await page.getByText(/^Not decided: somebody else/).waitFor();
    expect((await owner.get(`/v1/memories/${id}`)).body.trust.state).toBe('trusted');
  });

  it('[J5] refuses a verifier key that is none', async () => {
    const { page } = await signedIn(admin.key!, '/proof');
    await page.getByLabel('Your key').fill('nonsense');
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByText('A verifier key is name+hash+key').waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('nonsense');
  });

  it('[J5] [F7] compares as soon as the question of a what-if is typed', async () => {
    const { page } = await signedIn(admin.key!, '/audit?view=what-if');
    await page.getByLabel('Or a question, asked now').pressSequentially('What leaks?');
    await page.getByLabel('Without the actor').pressSequentially('user:ada');
    const compare = page.getByRole('button', { name: 'Compare' });
    await expect.poll(() => compare.isEnabled()).toBe(true);
  });

  it('[J5] breaks long identifiers of results on a phone', async () => {
    const owner = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    await owner.store({
      content: 'Releases are cut on Tuesdays',
      externalId: `handbook:${'process/'.repeat(12)}index`,
    });
    const { page } = await signedIn(owner.key!, '/search?q=When%20are%20releases%20cut', {
      viewport: { width: 390, height: 800 },
    });
    await page.getByText('handbook:process').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  });

  it('[J5] shows hostile texts as text, in every field', async () => {
    const tenant = freshTenant();
    const owner = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
    const views = await storeHostile(owner);
    const { page, faults } = await signedIn(owner.key!, '/memories');
    const list = page.getByRole('list', { name: 'Memories' });
    await list.waitFor();
    expect(await list.innerText()).toContain(hostileTexts.at(-1)!.slice(0, 20));
    for (const view of [...Object.keys(screens), ...views]) await go(page, view);
    expect(await page.evaluate('globalThis.attacked')).toBeUndefined();
    expect(faults).toEqual([]);
  });
});

/** Puts the texts into every field that a person, a file or an agent fills. Returns the addresses that show one thing each. */
async function storeHostile(owner: Client): Promise<string[]> {
  const at = (index: number): string => hostileTexts[index % hostileTexts.length]!;
  const sessionId = at(7);
  const stored = await owner.bulk(
    hostileTexts.map((content, index) => ({
      content,
      tags: [at(index + 1).slice(0, 60)],
      metadata: { note: at(index + 2), [at(index + 3).slice(0, 40)]: 1 },
      externalId: `${index} ${at(index + 4)}`.slice(0, 120),
      representations: { code: at(index + 5) },
      duplicates: 'keep',
    })),
  );
  expect(stored.map(({ status }) => status)).toEqual(hostileTexts.map(() => 201));
  const [first, second] = stored.map(({ id }) => id as string) as [string, string];
  const accepted = [
    await owner.patch(`/v1/memories/${first}`, { content: at(9) }, { 'if-match': '*', 'x-reason': at(10) }),
    await owner.put(`/v1/memories/${first}/links/related/${second}`),
    await owner.post(`/v1/memories/${first}/feedback`, { kind: 'outdated', note: at(11) }),
    await owner.put('/v1/spaces/notes', { description: at(12) }),
    await owner.post('/v1/search', { query: at(13), sessionId }),
    await owner.post('/v1/admin/keys', { role: 'member', user: 'bob', name: at(14) }),
  ];
  const document = await owner.post('/v1/documents?waitMs=20000', {
    text: `# ${at(15)}\n\n## ${at(16)}\n\nThe harbour opens at six. ${at(17)}`,
    title: at(18),
    filename: `${at(19).replaceAll('/', '-')}.md`,
    sourceUri: at(20),
    layer: 'company',
  });
  expect([...accepted, document].flatMap(({ status, body }) => (status < 400 ? [] : [body.detail]))).toEqual(
    [],
  );
  const query = encodeURIComponent(at(13));
  return [
    `/memories/${first}`,
    `/search?q=${query}`,
    '/spaces?id=notes',
    `/documents/${document.body.document.id}`,
    `/sessions/${encodeURIComponent(sessionId)}`,
    '/audit?type=MemoryUpdated',
    '/operations?tab=keys',
  ];
}
