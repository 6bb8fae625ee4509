import type { Root, RootContent, Table } from 'mdast';
import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { charsetOfMediaType, decodeText } from './decode.ts';
import { type FrontMatter, readToml, readYaml } from './front-matter.ts';
import { htmlText, plainText, readableContent, readableSource } from './markdown-source.ts';
import { typeOfProse } from './prose-type.ts';

const parser = unified().use(remarkParse).use(remarkGfm).use(remarkFrontmatter, ['yaml', 'toml']);

/** Reads Markdown (CommonMark, tables and lists of tasks of GitHub, wikilinks of vaults, properties in YAML or TOML). */
export function readMarkdown(file: FileToRead): DocumentContent {
  const { text, replacements } = decodeText(file.bytes, charsetOfMediaType(file.mediaType));
  const { blocks, properties } = parseMarkdown(text);
  const title = properties.title ?? titleOf(blocks);
  const type = properties.contentType ?? typeOfProse({ blocks, source: text, title, ...properties });
  return {
    mediaType: 'text/markdown',
    contentType: type,
    ...(title !== undefined && { title }),
    ...(properties.language !== undefined && { language: properties.language }),
    ...(properties.occurredAt !== undefined && { occurredAt: properties.occurredAt }),
    blocks,
    ...(properties.tags && { tags: properties.tags }),
    ...(Object.keys(properties.metadata).length > 0 && { metadata: properties.metadata }),
    replacements,
  };
}

/** The blocks of Markdown and the properties before them. */
export function parseMarkdown(source: string): { blocks: readonly Block[]; properties: FrontMatter } {
  const root = parser.parse(source);
  const [first] = root.children as readonly { readonly type: string; readonly value?: string }[];
  const properties =
    first?.type === 'yaml'
      ? readYaml(first.value ?? '')
      : first?.type === 'toml'
        ? readToml(first.value ?? '')
        : { metadata: {} };
  return { blocks: new BlockWriter(source, root).write(), properties };
}

class BlockWriter {
  readonly #source: string;
  readonly #root: Root;
  /** Definitions of footnotes that were not yet written, by their labels. */
  readonly #notes = new Map<string, string>();

  constructor(source: string, root: Root) {
    this.#source = source;
    this.#root = root;
  }

  write(): readonly Block[] {
    for (const node of this.#root.children)
      if (node.type === 'footnoteDefinition')
        this.#notes.set(
          node.identifier,
          node.children.map((child) => readableSource(this.#source, child)).join('\n\n'),
        );
    const blocks = this.#root.children.flatMap((node) => [...this.#blocksOf(node), ...this.#notesOf(node)]);
    const unused = [...this.#notes.values()].map((text): Block => ({ kind: 'text', text }));
    return [...blocks, ...unused].filter((block) => block.kind !== 'text' || block.text !== '');
  }

  #blocksOf(node: RootContent): readonly Block[] {
    switch (node.type) {
      case 'heading': {
        const text = plainText(node).replace(/\s*\{#[\w-]+\}$/, '');
        return text === '' ? [] : [{ kind: 'heading', level: node.depth, text }];
      }
      case 'table':
        return [this.#table(node)];
      case 'code': {
        const language = node.lang?.replace(/^\{?\.?([\w+#-]+).*$/, '$1').toLowerCase();
        if (node.value.trim() === '') return [];
        return [{ kind: 'code', text: node.value, ...(language && { language }) }];
      }
      case 'html':
        return [{ kind: 'text', text: htmlText(node.value) }];
      case 'definition':
      case 'footnoteDefinition':
      case 'thematicBreak':
      case 'yaml':
        return [];
      default:
        return (node.type as string) === 'toml'
          ? []
          : [{ kind: 'text', text: readableSource(this.#source, node) }];
    }
  }

  /** Footnotes that a block refers to first, so that a note stands with what it explains. */
  #notesOf(node: RootContent): readonly Block[] {
    return referencesOf(node).flatMap((identifier) => {
      const text = this.#notes.get(identifier);
      if (text === undefined || node.type === 'footnoteDefinition') return [];
      this.#notes.delete(identifier);
      return [{ kind: 'text' as const, text }];
    });
  }

  #table(node: Table): Block {
    const [header = [], ...rows] = node.children.map((row) =>
      row.children.map((cell) => readableContent(this.#source, cell).replaceAll(/\\\|/g, '|')),
    );
    return { kind: 'table', header, rows };
  }
}

function referencesOf(node: RootContent): string[] {
  if (node.type === 'footnoteReference') return [node.identifier];
  return 'children' in node ? (node.children as RootContent[]).flatMap(referencesOf) : [];
}

/** The heading of level 1 if there is only one, and else the first heading. */
function titleOf(blocks: readonly Block[]): string | undefined {
  const headings = blocks.flatMap((block) => (block.kind === 'heading' ? [block] : []));
  const tops = headings.filter(({ level }) => level === 1);
  return (tops.length === 1 ? tops[0] : headings[0])?.text;
}
