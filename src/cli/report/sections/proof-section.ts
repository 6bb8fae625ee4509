import type { VerifyLogAnswer } from '../../../../packages/client/src/index.ts';
import { facts, file, heading, note, part, section } from '../blocks.ts';
import { html, type Html, type HtmlValue } from '../html.ts';
import { isUnreadable, type Part } from '../part.ts';
import type { LogHeads, ProvenEvent, RangeProof, ReportData } from '../report-data.ts';
import { number, plural, utc } from '../texts.ts';

/** What a reader needs to check later that nobody changed what the report counts. */
export function proofSection({ range, proof }: ReportData): Html {
  const { heads, first, last, verification } = proof;
  return section(
    'proof',
    'Proof of the range',
    'Can a reader check later that the record was not changed?',
    heading('Verification of the whole log', 'written'),
    part('the result of a verification', verification, (answer) => verdict(answer, proof)),
    heading('Events of the range in the log', 'range'),
    first && last
      ? [
          facts([
            ['First event', eventText(first, range.first!)],
            ['Last event', eventText(last, range.last!)],
            ['Leaves of the range', leavesText(first, last, range.events)],
          ]),
          isUnreadable(last) &&
            note('The range is not covered by a signed head yet: write the report again in a minute.'),
        ]
      : note('The range has no events, so there is nothing of it to prove.'),
    part('the heads of the log', heads, (answer) => headText(answer)),
    !isUnreadable(heads) && heads.last && howToVerify(heads, proof),
  );
}

function verdict({ state, events, heads, signed, first }: VerifyLogAnswer, { last }: RangeProof): HtmlValue {
  if (state === 'unsound')
    return html`<p>
      <span class="tag bad">not sound</span> at position ${first?.position} (${first?.fault}):
      ${first?.detail}.
    </p>`;
  const unsigned = events - (signed?.size ?? 0);
  return [
    html`<p>
      <span class="tag good">sound</span> ${plural(events, 'event')} of the log agree with
      ${plural(heads, 'signed head')}.${unsigned > 0 && ` The last ${number(unsigned)} of them were behind the last signed head.`}
    </p>`,
    last &&
      !isUnreadable(last) &&
      signed &&
      last.leaf < signed.size &&
      html`<p>All events of the range are among the signed ones.</p>`,
  ];
}

function eventText(
  proven: Part<ProvenEvent>,
  { type, at, position }: { type: string; at: string; position: string },
): HtmlValue {
  const place = html`${type}, ${utc(at)}, position <code>${position}</code>`;
  if (isUnreadable(proven))
    return [place, html`<br /><span class="warn">no proof: ${proven.unreadable}</span>`];
  const { leaf, size, verified } = proven;
  return [
    place,
    html`<br />leaf ${number(leaf)} of ${number(size)},
      ${verified ? html`<span class="good">proof verified by the program that wrote this report</span>` : html`<span class="bad">the proof does not hold</span>`}`,
  ];
}

function leavesText(first: Part<ProvenEvent>, last: Part<ProvenEvent>, events: number): string | undefined {
  if (isUnreadable(first) || isUnreadable(last)) return undefined;
  return `${number(last.leaf - first.leaf + 1)} leaves from the first to the last, ${number(events)} of them events of this tenant in the range`;
}

function headText({ origin, verifierKey, restoredFrom = [], last }: LogHeads): HtmlValue {
  return [
    heading('Signed head', 'written'),
    facts([
      ['Log', origin],
      ...restoredFrom.map((from): [string, string] => [
        'Restored',
        `from the first ${number(from.size)} events of ${from.origin}`,
      ]),
      ['Signed', last && `${utc(last.at)}, ${plural(last.size, 'event')}`],
      ['Cosigned by', last?.cosignedBy?.join(', ')],
    ]),
    last
      ? [file('head.txt', last.note), html`<p>Verifier key:</p>`, file('verifier-key.txt', verifierKey)]
      : note('No head was signed yet, so nothing can be proved later. Write the report again in a minute.'),
  ];
}

/** The commands for a reader who has nothing but the report. */
function howToVerify({ verifierKey }: LogHeads, { first, last }: RangeProof): HtmlValue {
  const proofs = [
    ['first', first],
    ['last', last],
  ] as const;
  return [
    html`<h3>To check it later</h3>`,
    html`<p>
      Save the signed head above as <code>head.txt</code>. The command reports any event before this head that
      was changed, removed, inserted or moved since.
    </p>`,
    html`<pre>npx stratalog audit verify --against head.txt</pre>`,
    html`<p>Without the server, from a copy of its data folder or a backup:</p>`,
    html`<pre>
npx stratalog audit verify --data copy --against head.txt --verifier-key "${verifierKey}"</pre>`,
    proofs.map(([name, proven]) =>
      proven && !isUnreadable(proven)
        ? [
            html`<p>
              Proof of the ${name} event of the range. Save it as <code>${name}.tlog-proof</code>; it is
              verified without Stratalog and without the server, with <code>examples/verify/verify.mjs</code>:
            </p>`,
            html`<pre>node examples/verify/verify.mjs ${name}.tlog-proof "${verifierKey}"</pre>`,
            file(`${name}.tlog-proof`, proven.proof),
          ]
        : [],
    ),
    note(
      'Get the verifier key from the operator by another way than this report: who could forge one could send the other along.',
    ),
  ];
}
