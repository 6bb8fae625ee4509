import { diffWords } from './word-diff.ts';
import './text-diff.css';

/** Two texts in one: removed words are struck through, added ones are underlined. */
export function TextDiff({ before, after }: { readonly before: string; readonly after: string }) {
  return (
    <p class="text-diff" dir="auto">
      {diffWords(before, after).map(({ kind, text }, index) => {
        if (kind === 'removed') return <del key={index}>{text}</del>;
        if (kind === 'added') return <ins key={index}>{text}</ins>;
        return <span key={index}>{text}</span>;
      })}
    </p>
  );
}
