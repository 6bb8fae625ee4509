/** The style of a report: inline, without fonts or pictures from elsewhere, and for paper as well as for a screen. */
export const style = `
:root { --ink: #1b2430; --soft: #5b6675; --line: #d5dbe3; --tint: #f4f6f9; --accent: #27507f; --good: #1f6b45; --bad: #a3271f; --warn: #8a5a00; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 210mm; padding: 14mm 15mm; color: var(--ink); background: #fff; font: 10pt/1.45 system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; }
h1, h2 { font-family: Charter, 'Bitstream Charter', 'Iowan Old Style', Georgia, 'Times New Roman', serif; font-weight: 600; margin: 0; }
h1 { font-size: 23pt; line-height: 1.15; }
h2 { font-size: 16pt; padding-bottom: 1.5mm; border-bottom: 2px solid var(--accent); }
h3 { font-size: 10.5pt; margin: 6mm 0 1.5mm; break-after: avoid; }
section { margin-top: 12mm; }
p { margin: 0 0 2.5mm; max-width: 170mm; }
.kicker { color: var(--accent); font-weight: 600; letter-spacing: 0.06em; text-transform: uppercase; font-size: 8.5pt; margin: 0 0 2mm; }
.period { font-size: 12pt; margin: 2.5mm 0 5mm; }
.question { color: var(--soft); font-style: italic; margin: 2mm 0 3mm; }
.note { color: var(--soft); }
.when { font-weight: 500; font-size: 7.5pt; padding: 0.3mm 1.8mm; border-radius: 2mm; margin-left: 1.5mm; vertical-align: 0.5mm; white-space: nowrap; }
.when.range { color: var(--accent); background: #e7eef7; }
.when.written { color: var(--soft); background: #eceff3; }
.tag { display: inline-block; font-size: 8.5pt; font-weight: 600; padding: 0.3mm 2mm; border-radius: 1mm; border: 1px solid currentColor; white-space: nowrap; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.warn { color: var(--warn); }
.unreadable { border-left: 3px solid var(--warn); background: #fdf6e9; padding: 2mm 3mm; margin: 3mm 0; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.8mm 6mm; margin: 0 0 3mm; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin: 0 0 3mm; font-size: 9pt; }
th { text-align: left; font-weight: 600; color: var(--soft); border-bottom: 1px solid var(--soft); padding: 1mm 2mm 1mm 0; vertical-align: bottom; }
td { border-bottom: 1px solid var(--line); padding: 1mm 2mm 1mm 0; vertical-align: top; overflow-wrap: break-word; }
td.code { overflow-wrap: anywhere; }
.number { text-align: right; padding-right: 3mm; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.number { white-space: normal; }
.time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.code, code, pre { font-family: ui-monospace, 'Cascadia Mono', 'SF Mono', Menlo, 'DejaVu Sans Mono', monospace; font-size: 8pt; }
pre { background: var(--tint); border: 1px solid var(--line); padding: 2.5mm 3mm; margin: 0 0 3mm; white-space: pre-wrap; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); border-top: 1px solid var(--line); border-left: 1px solid var(--line); margin: 0 0 3mm; }
.cards div { padding: 2.5mm 3mm; border-right: 1px solid var(--line); border-bottom: 1px solid var(--line); color: var(--soft); break-inside: avoid; overflow-wrap: anywhere; }
.cards strong { display: block; color: var(--ink); font-size: 15pt; font-weight: 600; line-height: 1.2; font-variant-numeric: tabular-nums; }
.cards small { display: block; font-size: 8pt; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 10mm; }
.columns { columns: 2; column-gap: 10mm; break-inside: avoid; }
.columns table { break-inside: auto; }
.chart { display: block; width: 100%; height: auto; margin: 0 0 3mm; }
.chart rect { fill: var(--accent); }
.chart text { font: 9px system-ui, -apple-system, 'Segoe UI', Arial, sans-serif; fill: var(--soft); }
.chart .grid { stroke: var(--line); }
.chart .axis { stroke: var(--soft); }
a { color: var(--accent); }
@page { size: A4; margin: 16mm 15mm 18mm; @bottom-right { content: counter(page) ' / ' counter(pages); font: 8pt system-ui, sans-serif; color: #5b6675; } @bottom-left { content: 'Stratalog report'; font: 8pt system-ui, sans-serif; color: #5b6675; } }
@media screen and (max-width: 700px) {
  body { padding: 5mm; }
  .pair { display: block; }
  table { display: block; overflow-x: auto; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 9.5pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  section + section { margin-top: 0; break-before: page; }
  tr, dt, dd, .chart, .unreadable, .cards div { break-inside: avoid; }
  .save { display: none; }
  thead { display: table-header-group; }
}
`;
