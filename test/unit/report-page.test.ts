import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { html } from '../../src/cli/report/html.ts';
import { reportPage } from '../../src/cli/report/page.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { sampleReport } from '../support/sample-report.ts';

const elementsOf = (page: string) => [...parseHTML(page).document.querySelectorAll('*')];

/** All that opens a tag or ends an attribute, in order: text adds none of it. */
const markupOf = (page: string) => page.match(/<[^\s>]*|["']/g);

describe('the page of a report', () => {
  it('[J9] [J5] shows whatever stands in a name as text, wherever a name can stand', () => {
    const plain = markupOf(reportPage(sampleReport('plain')));
    for (const text of hostileTexts) {
      const page = reportPage(sampleReport(text));
      expect(markupOf(page), text).toEqual(plain);
      expect(page, text).not.toContain('\u202e');
    }
  });

  it('[J9] asks no host for anything and runs no script', () => {
    for (const element of elementsOf(reportPage(sampleReport('https://example.com/x.js')))) {
      expect(['script', 'link', 'img', 'iframe', 'object', 'base', 'form']).not.toContain(element.localName);
      for (const name of element.getAttributeNames()) {
        expect(name).not.toMatch(/^on|^src/);
        if (name === 'href') expect(element.getAttribute(name)).toMatch(/^data:text\/plain;base64,/);
      }
    }
    expect(reportPage(sampleReport('plain'))).not.toMatch(/https?:|url\(|@import/);
  });

  it('[J9] says which figures are of the range, and what the key may not read', () => {
    const page = reportPage(sampleReport('budgets need the role operator'));
    expect(page).toMatch(/Spent <span class="when range">in the range<\/span>/);
    expect(page).toMatch(/Contents <span class="when written">when written<\/span>/);
    expect(page).toMatch(/Not readable: the budget\.<\/strong> Budgets need the role operator\./);
  });

  it('[J9] offers the head and the proofs as files', () => {
    const saved = elementsOf(reportPage(sampleReport('a note\n'))).filter((one) => one.localName === 'a');
    expect(saved.map((one) => one.getAttribute('download'))).toEqual([
      'head.txt',
      'verifier-key.txt',
      'first.tlog-proof',
      'last.tlog-proof',
    ]);
    const [, data = ''] = saved[0]!.getAttribute('href')!.split('base64,');
    expect(Buffer.from(data, 'base64').toString()).toBe('a note\n');
  });
});

describe('a template of markup', () => {
  it('[J9] escapes text in content and attributes, and leaves out what is not there', () => {
    const { markup } = html`<p title="${'"<&>\''}">${['<b>', html`<i>${1}</i>`, undefined, false]}</p>`;
    expect(markup).toBe('<p title="&quot;&lt;&amp;&gt;&#39;">&lt;b&gt;<i>1</i></p>');
  });
});
