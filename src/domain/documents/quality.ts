import { words, wordSequence } from '../text/tokens.ts';
import { sentencesOf } from '../text/sentences.ts';
import { sectionBody, type Section } from './sections.ts';

/** Quality of boilerplate, at most. */
const boilerplateQuality = 0.1;

/**
 * How much of a section is worth remembering, from 0 to 1; its length is no part of it. The product of
 *
 * - 1 − navigation share, in characters: short lines and fragments between "·" or "|" that are commands or legal notices of a page
 *   ("Log in", "Privacy policy"), and sentences about cookies, scripts and copyright;
 * - 1 − (link share − 0.5) · 2 from a link share of 0.5 on: the characters of link texts and addresses;
 * - 1 − repetition share: the characters of lines and sentences that occurred before in the section;
 * - 1 − (symbol share − 0.3) · 2 from a symbol share of 0.3 on: pictographs, signs, encoded data, and marks of punctuation
 *   beyond the number of letters;
 * - variety from 20 words on: distinct words / √words, divided by 2.5, at most 1 (an honest text of 400 words has about 8);
 *
 * and at most 0.1 for what its reader took for navigation, a banner or quoted mail. Only that and emptiness count for tables and
 * source code, and tables and fences within prose are left out of the shares. Linear in the length of the content.
 */
export function sectionQuality(content: string, section: Section): number {
  const max = section.isBoilerplate === true ? boilerplateQuality : 1;
  const body = sectionBody(content, section.path);
  const measured = body.trim() === '' ? content : body;
  if (!/[\p{L}\p{N}]/u.test(measured)) return 0;
  if (section.kind === 'table' || section.kind === 'code') return max;
  const prose = proseOf(measured);
  // Nothing but tables and code.
  if (!/[\p{L}\p{N}]/u.test(prose)) return max;
  const others = 1 - prose.length / measured.length;
  return Math.min(max, others + (1 - others) * proseQuality(prose));
}

function proseQuality(prose: string): number {
  const sentences = sentencesIn(prose);
  const factors = [
    1 - navigationShare(sentences),
    1 - above(0.5, linkShare(prose)),
    1 - repetitionShare(sentences),
    1 - above(0.3, symbolShare(prose)),
    variety(prose),
  ];
  return factors.reduce((product, factor) => product * clamped(factor), 1);
}

/** 0 up to the limit, 1 from half a unit above it on. */
function above(limit: number, share: number): number {
  return clamped((share - limit) * 2);
}

function clamped(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** The text without fences and rows of tables. */
function proseOf(text: string): string {
  let fence: string | undefined;
  const lines = text.split('\n').filter((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1];
    const isInside = fence !== undefined;
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (mark !== undefined && fence !== undefined && mark.startsWith(fence)) fence = undefined;
    return !isInside && mark === undefined && !/^\s*\|.*\|\s*$/u.test(line);
  });
  return lines.join('\n');
}

/** `[text](address)`, `![text](address)`, and bare addresses. */
const LINK = /!?\[([^\][\n]*)\]\([^()\s]*(?:\s"[^"\n]*")?\)|<?https?:\/\/\S+/giu;

function linkShare(prose: string): number {
  const links = prose.match(LINK) ?? [];
  // Of an address that has a text only the text is seen.
  const seen = (link: string) =>
    lengthOfWords(link.startsWith('http') || link.startsWith('<') ? link : link.replace(LINK, '$1'));
  const linked = links.reduce((sum, link) => sum + seen(link), 0);
  const all = lengthOfWords(prose.replaceAll(LINK, '')) + linked;
  return all === 0 ? 0 : linked / all;
}

function lengthOfWords(text: string): number {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').length;
}

/** Line by line: an abbreviation at the end of a line does not join it to the next one. */
function sentencesIn(prose: string): string[] {
  return prose
    .split('\n')
    .flatMap((line) => sentencesOf(line).map(({ start, end }) => line.slice(start, end)));
}

function repetitionShare(sentences: readonly string[]): number {
  const seen = new Set<string>();
  let [repeated, all] = [0, 0];
  for (const sentence of sentences) {
    const form = words(sentence).join(' ');
    all += form.length;
    if (seen.has(form)) repeated += form.length;
    seen.add(form);
  }
  return all === 0 ? 0 : repeated / all;
}

/** Punctuation and marks of prose and of Markdown. */
const PROSE_MARK = /[\s\p{L}\p{M}\p{N}\p{P}$£€¥`°§+=<>|~^]/gu;
/** Runs of letters that are no word of any language: encoded data, garbage. */
const NO_WORD = /(?<![\p{L}\p{N}+/=_-])[A-Za-z0-9+/=_-]{48,}/gu;

function symbolShare(prose: string): number {
  const text = prose.replaceAll(LINK, ' ');
  const encoded = (text.match(NO_WORD) ?? []).reduce((sum, run) => sum + lengthOfWords(run), 0);
  const odd = text.replaceAll(PROSE_MARK, '').length + encoded;
  // "*** === ---": marks of prose are symbols, too, where there are more of them than letters.
  const letters = lengthOfWords(text) - encoded;
  const marks = text.replaceAll(/\s+/gu, '').length - letters - odd;
  const symbols = odd + Math.max(0, marks - letters);
  return symbols + letters === 0 ? 0 : symbols / (symbols + letters);
}

const minWords = 20;
const fullVariety = 2.5;

function variety(prose: string): number {
  const sequence = wordSequence(prose);
  if (sequence.length < minWords) return 1;
  return clamped(new Set(sequence).size / Math.sqrt(sequence.length) / fullVariety);
}

/** Units of a line of navigation. */
const maxFragment = 200;

function navigationShare(sentences: readonly string[]): number {
  let [navigation, all] = [0, 0];
  for (const sentence of sentences)
    for (const fragment of sentence.split(/\s[·|•›»/]\s|\]\([^()\s]*\)\s*/u)) {
      const plain = fragment.replaceAll(/[^\p{L}\p{N}©]+/gu, ' ').trim();
      all += plain.length;
      if ((plain.length <= maxFragment && COMMAND.test(plain)) || NOTICE.test(plain))
        navigation += plain.length;
    }
  return all === 0 ? 0 : navigation / all;
}

/** What a page offers besides its text: a fragment that consists of nothing else. */
const COMMAND = new RegExp(
  `^(?:(?:${[
    'home(?: page)?|about(?: us)?|contacts?(?: us)?|products?|services|jobs|careers|blog|press|faqs?|help|support|search|menu|sitemap|site map|imprint|legal(?: notice)?',
    'log ?in|log ?out|sign ?in|sign ?up|sign ?out|register|my account|account|subscribe|unsubscribe|newsletter|rss(?: feed)?|donate|shop|cart|checkout',
    'share(?: (?:this|on \\p{L}+))?|print(?: (?:this )?page)?|save for later|follow us|like us|tweet|facebook|twitter|instagram|linkedin|youtube|mastodon|e ?mail|copy link',
    'terms(?: (?:of (?:use|service)|and conditions))?|privacy(?: policy| notice| settings)?|cookies?(?: policy| settings)?|accessibility|disclaimer|all rights reserved',
    'back(?: to (?:the )?top)?|top|skip to (?:main )?content|next|previous|prev|read more|more|show more|load more|see also|you may also like|related(?: articles| posts)?|most read|sponsored|advertisement|accept(?: all)?|reject(?: all)?|settings|only necessary|close|edit(?: this page| on github)?|loading',
    'startseite|über uns|kontakt|impressum|datenschutz(?:erklärung)?|agb|anmelden|abmelden|registrieren|suche|menü|hilfe|teilen|drucken|nach oben|zurück|weiter|mehr lesen|weiterlesen|gästebuch|barrierefreiheit|stellenangebote|presse',
    'accueil|à propos|connexion|inscription|mentions légales|confidentialité|plan du site|partager|imprimer|haut de page|lire la suite|recherche|aide',
    'inicio|acerca de|contacto|iniciar sesión|registrarse|aviso legal|política de (?:privacidad|cookies)|mapa del sitio|compartir|imprimir|leer más|buscar|ayuda',
    'ホーム|お問い合わせ|会社概要|ログイン|新規登録|プライバシーポリシー|利用規約|サイトマップ|検索|メニュー',
    '首页|关于我们|联系我们|登录|注册|隐私政策|使用条款|网站地图|搜索|菜单',
  ].join('|')})(?: |$))+$`,
  'iu',
);

/** Sentences about the page itself. */
const NOTICE =
  /(?:^|\s)(?:(?:this|our) (?:web ?)?site uses cookies|we(?: and our \S+(?: \S+)?)? (?:use|store) cookies|by continuing (?:to \p{L}+ )?you (?:agree|consent|accept)|(?:please )?enable javascript|javascript is (?:disabled|required)|©|\(c\) \d{4}|copyright \d{4}|all rights reserved|alle rechte vorbehalten|diese (?:web)?(?:site|seite) (?:verwendet|nutzt) cookies|wir (?:verwenden|nutzen) cookies|ce site utilise des cookies|tous droits réservés|este sitio (?:utiliza|usa) cookies|todos los derechos reservados)/iu;
