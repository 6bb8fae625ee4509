import { classOf, type HtmlElement } from './html-dom.ts';

const superscripts = new Map(
  ['0⁰', '1¹', '2²', '3³', '4⁴', '5⁵', '6⁶', '7⁷', '8⁸', '9⁹', '-⁻', '−⁻', '+⁺'].map((pair) => [
    pair.charAt(0),
    pair.charAt(1),
  ]),
);
const noText = /^(?:image|img|photo|picture|logo|icon|\S+\.(?:jpe?g|png|gif|webp|svg))$/i;

/** The text that stands for a picture. Names of files and pictures of one pixel say nothing. */
export function textOfPicture(image: HtmlElement): string {
  const text = (image.getAttribute('alt') ?? '').replaceAll(/\s+/g, ' ').trim();
  const isPixel = ['width', 'height'].some((side) => /^[01](?:px)?$/.test(image.getAttribute(side) ?? ''));
  return isPixel || noText.test(text) ? '' : text;
}

/** Marks of footnotes are no part of the sentence. */
export function isFootnoteMark(element: HtmlElement): boolean {
  return /reference|footnote/i.test(classOf(element)) || element.querySelector('a[href^="#"]') !== null;
}

/** The characters of a number that is raised, as "10⁶" is not "106"; undefined for anything else, such as "th". */
export function raisedText(element: HtmlElement): string | undefined {
  const raised = Array.from(element.textContent.trim(), (character) => superscripts.get(character));
  return raised.length > 0 && !raised.includes(undefined) ? raised.join('') : undefined;
}

/** "[x] " or "[ ] " for an item that begins with a checkbox. */
export function taskOf(item: HtmlElement): string {
  const box = item.querySelector('input[type="checkbox"]');
  if (box === null || box.closest('li') !== item) return '';
  return box.hasAttribute('checked') ? '[x] ' : '[ ] ';
}

/** A formula by its source in TeX, where the page has it. */
export function formulaOf(math: HtmlElement): string {
  const tex = math.querySelector('annotation[encoding="application/x-tex"]')?.textContent;
  return (tex ?? math.getAttribute('alttext') ?? math.textContent).trim();
}
