import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import { redacted } from '../../domain/personal-data/personal-data.ts';
import {
  personalDataTypes,
  strictestActions,
  type PersonalDataType,
} from '../../domain/personal-data/policy.ts';
import type { Spaces } from '../../domain/spaces/spaces.ts';
import { personalDataIn } from '../entry/find-personal-data.ts';

/** Something that was left out, and the headings above it. */
export interface RefusedText {
  readonly type: string;
  readonly path: string[];
}

export interface ClearedContent {
  readonly content: DocumentContent;
  readonly refused: RefusedText[];
}

/**
 * Does to a document what its spaces say about personal data, before anything of it is recorded: redacts, and leaves out the paragraphs,
 * rows and turns that have what a space refuses. What is only flagged is flagged with the memory of its section.
 */
export async function clearPersonalData(
  { configured }: Spaces,
  labels: readonly string[],
  content: DocumentContent,
): Promise<ClearedContent> {
  const actions = strictestActions(labels.flatMap((label) => configured.get(label)?.config.pii ?? []));
  const wanted = personalDataTypes.filter((type) => actions[type] === 'redact' || actions[type] === 'refuse');
  if (wanted.length === 0) return { content, refused: [] };
  const refused: RefusedText[] = [];
  const path: string[] = [];
  const clear = async (text: string): Promise<string | undefined> => {
    const found = await personalDataIn(text, wanted);
    const refusals = found.filter(({ type }) => actions[type] === 'refuse');
    for (const { type } of refusals) refused.push({ type, path: [...path] });
    if (refusals.length > 0) return undefined;
    return redacted(text, found, (type: PersonalDataType) => actions[type] === 'redact').text;
  };
  const blocks: Block[] = [];
  for (const block of content.blocks) {
    const cleared = await clearBlock(block, clear);
    if (!cleared) continue;
    if (cleared.kind === 'heading') path.splice(cleared.level - 1, Infinity, cleared.text);
    blocks.push(cleared);
  }
  const { title, tags, ...rest } = content;
  const clearTags: string[] = [];
  // A tag is a name: one that would be redacted is of no use any more.
  for (const tag of tags ?? []) if ((await clear(tag)) === tag) clearTags.push(tag);
  const clearTitle = title === undefined ? undefined : await clear(title);
  return {
    content: {
      ...rest,
      ...(clearTitle !== undefined && { title: clearTitle }),
      ...(tags && { tags: clearTags }),
      blocks,
    },
    refused,
  };
}

/** Undefined for a block that is left out. */
async function clearBlock(
  block: Block,
  clear: (text: string) => Promise<string | undefined>,
): Promise<Block | undefined> {
  if (block.kind === 'table') {
    const rows: (readonly string[])[] = [];
    for (const row of block.rows) {
      const cells = await clearAll(row, clear);
      if (cells) rows.push(cells);
    }
    const header = await clearAll(block.header, clear);
    return { ...block, header: header ?? block.header.map(() => ''), rows };
  }
  if (block.kind === 'entry') {
    const texts = await clearAll([block.title, block.text], clear);
    return texts && { ...block, title: texts[0]!, text: texts[1]! };
  }
  const text = await clear(block.text);
  return text === undefined ? undefined : { ...block, text };
}

async function clearAll(
  texts: readonly string[],
  clear: (text: string) => Promise<string | undefined>,
): Promise<string[] | undefined> {
  const cleared: string[] = [];
  for (const text of texts) {
    const one = await clear(text);
    if (one === undefined) return undefined;
    cleared.push(one);
  }
  return cleared;
}
