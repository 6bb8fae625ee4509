import { bgeSmall, e5Small, multilingualE5Small } from '../adapters/onnx/models.ts';
import { languageShareOf, type LanguageShare } from '../domain/text/language-share.ts';
import type { SqlExecutor } from '../ports/sql.ts';
import { generationTable } from '../read-models/generation-table.ts';
import { variantOf } from '../read-models/generation-variant.ts';

/** From this share of memories in other languages on, the multilingual model finds more than a model for English. */
const minShare = 0.2;
/** The sample must have this many texts in other languages, because a few may be exceptions. */
const minTexts = 5;
/** A sample reads this many pages of the table and this many texts: a few milliseconds however many memories there are. */
const pages = 64;
const texts = 500;
/** Characters that are read of each text. */
const textLength = 400;

const englishModels = new Map([bgeSmall, e5Small].map(({ id, name }) => [id, name]));

export interface StoredLanguages extends LanguageShare {
  /** Id of the model of the live vectors. */
  readonly model: string;
}

/** The languages of a sample of the active memories, of all tenants; undefined without read models. Changes nothing. */
export async function sampleLanguages(sql: SqlExecutor): Promise<StoredLanguages | undefined> {
  const [found] = await sql.query<{ active: string | null }>(
    `select to_regclass('read.active')::text as active`,
  );
  if (!found?.active) return undefined;
  const live = await sql.query<{ name: string; generation: number; signature: string }>(
    `select a.name, a.generation, g.signature from read.active a
     join read.generations g on g.name = a.name and g.generation = a.generation
     where a.name in ('lexical', 'vectors')`,
  );
  const [lexical, vectors] = ['lexical', 'vectors'].map((name) => live.find((row) => row.name === name));
  if (!lexical || !vectors) return undefined;
  const table = generationTable('lexical', lexical.generation);
  const rows = await sql.query<{ text: string }>(
    `select left(body, ${textLength}) as text
     from ${table} tablesample system (least(100, 100.0 * ${pages} * current_setting('block_size')::int
       / greatest(1, pg_relation_size('${table}'))))
     where body is not null limit ${texts}`,
  );
  return { ...languageShareOf(rows.map(({ text }) => text)), model: variantOf(vectors.signature) };
}

/** A sentence that says how to change to the multilingual model; undefined if it would not find more. */
export function modelAdvice({ judged, foreign, model }: StoredLanguages): string | undefined {
  const name = englishModels.get(model);
  if (name === undefined || foreign < minTexts || foreign < minShare * judged) return undefined;
  const percent = Math.round((100 * foreign) / judged);
  const { name: better } = multilingualE5Small;
  return (
    `${percent} % of the memories are not in English, and ${name} is a model for English: ${better} finds them better. ` +
    `Change to it with "stratalog projections rebuild --embedder ${better} --switch"`
  );
}
