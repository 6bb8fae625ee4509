import { p95ByTime } from './latency.ts';
import {
  fairRatio,
  fairnessTable,
  faultsTable,
  ms,
  tenantsTable,
  type ChaosReport,
  type Table,
} from './report.ts';
import { clock, floodName, quietName } from './run.ts';
import type { Verdict } from './verify.ts';

const width = 1_100;
const height = 300;
const left = 52;
const bottom = 24;
const leastMs = 1;
const mostMs = 60_000;
const steps = 150;
const colors = ['--quiet', '--busy1', '--busy2', '--busy3', '--busy4', '--busy5'];

/** The report as one page without anything outside of it, in light and dark. */
export function pageOf(report: ChaosReport): string {
  const { violations, verdict, run } = report;
  const sound = violations === 0;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chaos run: ${sound ? 'nothing was violated' : `${violations} violations`}</title>
<style>${style}</style></head><body>
<h1 class="${sound ? 'good' : 'bad'}">${sound ? 'Nothing was violated' : `${violations} violations`}</h1>
<p><code>${escaped(report.command)}</code><br>${clock(run.totalMs)} min of load, ${run.faults.length} faults, ${verdict.events.toLocaleString('en-US')} events. ${escaped(report.machine)}. ${report.finishedAt}</p>
${rulesList(verdict)}
<h2>Latency by tenant, and the faults</h2>
<p>95th percentile of each ${(run.totalMs / steps / 1_000).toFixed(1)} s on a logarithmic scale. A band is a fault; the darker ones are floods by one tenant.</p>
<figure>${timeline(report)}</figure>
<h2>Fairness</h2>
<p>Searches of the quiet tenant beside a flood; at most ${fairRatio} times its p95 of calm times is wanted.</p>
${list(fairnessTable(report))}
<h2>Tenants</h2>
${list(tenantsTable(report))}
<h2>Faults</h2>
${list(faultsTable(report))}
${report.skipped.map((line) => `<p>Not injected: ${escaped(line)}.</p>`).join('\n')}
</body></html>
`;
}

function timeline({ run: { samples, faults, totalMs }, byTenant }: ChaosReport): string {
  const x = (time: number): number => left + ((width - left) * time) / totalMs;
  const y = (value: number): number => {
    const share = Math.log(Math.min(mostMs, Math.max(leastMs, value)) / leastMs) / Math.log(mostMs / leastMs);
    return (height - bottom) * (1 - share);
  };
  const bands = faults.map(
    ({ fromMs, toMs, name, isFlood }) =>
      `<rect class="${isFlood ? 'flood' : 'fault'}" x="${x(fromMs).toFixed(1)}" y="0" width="${Math.max(2, x(toMs) - x(fromMs)).toFixed(1)}" height="${height - bottom}"><title>${clock(fromMs)} ${escaped(name)}, ${((toMs - fromMs) / 1_000).toFixed(1)} s</title></rect>`,
  );
  const lines = [1, 10, 100, 1_000, 10_000].map(
    (value) =>
      `<line class="grid" x1="${left}" x2="${width}" y1="${y(value)}" y2="${y(value)}"/><text x="${left - 6}" y="${y(value) + 4}" text-anchor="end">${ms(value)}</text>`,
  );
  const marks = Array.from({ length: 11 }, (_, n) => (totalMs * n) / 10).map(
    (time) => `<text x="${x(time).toFixed(1)}" y="${height - 6}" text-anchor="middle">${clock(time)}</text>`,
  );
  const tenants = [
    quietName,
    ...byTenant.map(({ tenant }) => tenant).filter((name) => name !== quietName),
    floodName,
  ];
  const colorOf = (tenant: string, index: number): string =>
    tenant === floodName ? '--floods' : (colors[index] ?? colors.at(-1)!);
  const stepMs = totalMs / steps;
  const curves = tenants.map((tenant, index) => {
    const values = p95ByTime(
      samples.filter((sample) => sample.tenant === tenant),
      stepMs,
      totalMs,
    );
    let pen = 'M';
    const path = values
      .map((value, step) => {
        if (value === undefined) {
          pen = 'M';
          return '';
        }
        const point = `${pen}${x((step + 0.5) * stepMs).toFixed(1)} ${y(value).toFixed(1)}`;
        pen = 'L';
        return point;
      })
      .join('');
    return `<path style="stroke:var(${colorOf(tenant, index)})" class="${tenant === quietName ? 'strong' : ''}" d="${path}"><title>${tenant}</title></path>`;
  });
  const legend = tenants
    .map((tenant, index) => `<span><i style="background:var(${colorOf(tenant, index)})"></i>${tenant}</span>`)
    .join(' ');
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Latency by tenant over time">${bands.join('')}${lines.join('')}${marks.join('')}${curves.join('')}</svg><figcaption>${legend}</figcaption>`;
}

function rulesList({ rules }: Verdict): string {
  const rows = rules.map(({ rule, checked, violations }) => [
    escaped(rule),
    escaped(checked),
    violations.length === 0
      ? '<span class="good">none</span>'
      : `<details open class="bad"><summary>${violations.length}</summary><ul>${violations
          .slice(0, 100)
          .map((one) => `<li>${escaped(one)}</li>`)
          .join('')}</ul></details>`,
  ]);
  return markup(['rule', 'checked', 'violations'], rows);
}

const list = ({ columns, rows }: Table): string =>
  markup(
    columns,
    rows.map((row) => row.map(escaped)),
  );

/** A table whose cells are HTML. */
function markup(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (tag: string, cells: readonly string[]): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<div class="scroll"><table><thead>${line('th', columns)}</thead><tbody>${rows.map((row) => line('td', row)).join('')}</tbody></table></div>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const style = `
:root { color-scheme: light dark; --text: #1c2026; --paper: #fff; --line: #d9dde3; --good: #12713a; --bad: #b3261e;
  --fault: #b3261e22; --flood: #8a5a0044; --quiet: #0b57d0; --busy1: #7a7f87; --busy2: #9aa0a8; --busy3: #8f7fb8; --busy4: #6f9a8d; --busy5: #b08a6a; --floods: #c77700; }
@media (prefers-color-scheme: dark) { :root { --text: #e3e6ea; --paper: #15181c; --line: #363b43; --good: #6fd394; --bad: #ff8a80;
  --fault: #ff8a8028; --flood: #ffb74d40; --quiet: #8ab4f8; --floods: #ffb74d; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--paper); max-width: 1140px; margin: 2rem auto; padding: 0 1rem; }
h1.good, .good { color: var(--good); } h1.bad, .bad { color: var(--bad); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } th, td { text-align: left; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; } .scroll { overflow-x: auto; } figure { margin: 0; } svg { width: 100%; height: auto; font-size: 11px; }
svg text { fill: var(--text); } .grid { stroke: var(--line); } svg path { fill: none; stroke-width: 1.2; } svg path.strong { stroke-width: 2.4; }
.fault { fill: var(--fault); } .flood { fill: var(--flood); } figcaption span { margin-right: 1.2rem; } figcaption i { display: inline-block; width: .9em; height: .9em; margin-right: .4em; vertical-align: -.1em; }
`;
