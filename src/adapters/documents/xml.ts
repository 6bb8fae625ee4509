import { XMLParser } from 'fast-xml-parser';
import { Problem } from '../../domain/problems.ts';

/** An element with its children in order. Names have no prefix: the formats read here use one vocabulary for each part. */
export interface XmlElement {
  readonly name: string;
  /** Names keep their prefix, since `id` and `r:id` differ. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
}

type Parsed = Readonly<Record<string, unknown>>;

const attributesKey = ':@';
const textKey = '#text';

/** Entities are decoded here and not by the parser: no document type may declare its own, so none can blow up. */
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: 500,
});

/** The root element of an XML text. Throws `document-unreadable`, naming `part`, if it has none. */
export function parseXml(text: string, part: string): XmlElement {
  let nodes: unknown;
  try {
    nodes = parser.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch (cause) {
    throw new Problem('document-unreadable', `${part} is not well-formed XML`, { cause });
  }
  const root = convertAll(nodes).find((child) => typeof child !== 'string');
  if (root === undefined || typeof root === 'string') {
    throw new Problem('document-unreadable', `${part} has no content`);
  }
  return root;
}

const beforeRoot = /^(?:\s|<\?[^?]*(?:\?(?!>)[^?]*)*\?>|<!--[\s\S]*?-->|<![^>[]*(?:\[[^\]]*\]\s*)?>)*/;
const afterRoot = /(?:\s|<!--(?:[^-]|-(?!->))*-->)*$/;

/**
 * Throws `document-unreadable` if an XML text ends before its root element does. For texts that are read without a tree of the whole, where
 * the missing part would not be noticed.
 */
export function assertComplete(text: string, part: string): void {
  const content = text.replace(/^\uFEFF/, '');
  const root = /^<([\w.:-]+)/.exec(content.slice(beforeRoot.exec(content)![0].length))?.[1];
  const end = content.slice(-2_000).replace(afterRoot, '');
  if (root !== undefined && (/<\/([\w.:-]+)\s*>$/.exec(end)?.[1] === root || isEmptyElement(content))) return;
  throw new Problem('document-unreadable', `${part} is not complete: its end is missing`);
}

function isEmptyElement(content: string): boolean {
  return content.endsWith('/>') && !content.includes('</');
}

function convertAll(nodes: unknown): (XmlElement | string)[] {
  return Array.isArray(nodes) ? nodes.flatMap((node) => convert(node as Parsed)) : [];
}

function convert(node: Parsed): (XmlElement | string)[] {
  const text = node[textKey];
  if (typeof text === 'string') return [decodeEntities(text)];
  const name = Object.keys(node).find((key) => key !== attributesKey);
  if (name === undefined) return [];
  const attributes = (node[attributesKey] ?? {}) as Readonly<Record<string, unknown>>;
  return [
    {
      name: localName(name),
      attributes: Object.fromEntries(
        Object.entries(attributes).map(([key, value]) => [key, decodeEntities(String(value))]),
      ),
      children: convertAll(node[name]),
    },
  ];
}

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (typeof name === 'string') return named[name] ?? whole;
    const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
  });
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

export function elementsOf(element: XmlElement | undefined): readonly XmlElement[] {
  return element ? element.children.filter((child) => typeof child !== 'string') : [];
}

/** The children of that name. */
export function childrenOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return elementsOf(element).filter((child) => child.name === name);
}

/** The element at a path of names below another. */
export function childAt(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  let at = element;
  for (const name of path) at = elementsOf(at).find((child) => child.name === name);
  return at;
}

/** All elements of that name below another, in document order. */
export function descendantsOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return elementsOf(element).flatMap((child) => (child.name === name ? [child] : descendantsOf(child, name)));
}

export function textOf(element: XmlElement | undefined): string {
  return element
    ? element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('')
    : '';
}

/** An attribute in a namespace, such as the `id` of `r:id`, whatever its prefix. */
export function prefixedAttribute(element: XmlElement, name: string): string | undefined {
  return Object.entries(element.attributes).find(([key]) => key.endsWith(`:${name}`))?.[1];
}
