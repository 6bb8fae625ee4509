import { facts } from './blocks.ts';
import { html, Html } from './html.ts';
import type { ReportData } from './report-data.ts';
import { auditSection } from './sections/audit-section.ts';
import { costSection } from './sections/cost-section.ts';
import { glanceSection } from './sections/glance-section.ts';
import { healthSection } from './sections/health-section.ts';
import { learningSection } from './sections/learning-section.ts';
import { proofSection } from './sections/proof-section.ts';
import { useSection } from './sections/use-section.ts';
import { style } from './style.ts';
import { number, utc } from './texts.ts';

/** The whole report: one page of HTML that asks no host for anything and runs no script. */
export function reportPage(data: ReportData): string {
  const title = `Stratalog report: ${data.tenant}, ${data.from.slice(0, 10)} to ${data.to.slice(0, 10)}`;
  const { markup } = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
      <meta name="viewport" content="width=device-width" />
      <meta name="color-scheme" content="light" />
      <title>${title}</title>
      <style>
        ${new Html(style)}
      </style>
    </head>
    <body>
      ${header(data)}
      <main>
        ${glanceSection(data)} ${healthSection(data)} ${useSection(data)} ${learningSection(data)}
        ${costSection(data)} ${auditSection(data)} ${proofSection(data)}
      </main>
    </body>
  </html> `;
  return `<!doctype html>\n${markup}`;
}

function header({ tenant, server, caller, from, to, writtenAt, writtenWith, range }: ReportData): Html {
  const by = `role ${caller.role}${caller.user === undefined ? '' : `, user ${caller.user}`} (${caller.credential === 'development' ? 'no credential' : caller.credential === 'jwt' ? 'JWT' : 'API key'})`;
  return html`<header>
    <p class="kicker">
      Stratalog report${server.environment !== 'development' && ` · ${server.environment}`}
    </p>
    <h1>${tenant}</h1>
    <p class="period">${utc(from)} to ${utc(to)}</p>
    ${facts([
      ['Range', 'events at or after the first time and before the second, both in UTC'],
      [
        'Not ended',
        to > writtenAt && 'The range ends after the report was written; what came later is missing.',
      ],
      ['Events', range.events === 0 ? 'none: nothing happened in the range' : number(range.events)],
      ['Server', `${server.url}, version ${server.version}, environment ${server.environment}`],
      ['Tenant', tenant],
      ['Written', `${utc(writtenAt)} by ${by}, with version ${writtenWith}`],
    ])}
  </header>`;
}
