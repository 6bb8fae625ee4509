import type { Chat } from './chat.ts';

/** `[12.03.26, 18:05:11] Ada: …` and `3/12/26, 6:05 PM - Ada: …`, as WhatsApp writes them. */
const messenger =
  /^\u200E?\[?(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}),?\s+(\d{1,2}:\d{2}(?::\d{2})?)(?:\s?([AaPp])\.?[Mm]\.?)?\]?(?:\s+-)?\s+(?:([^:\n]{1,60}):\s)?(.*)$/;
/** `Ada [14:02]: …`, `[14:02:10] Ada: …`, `<Ada> …` with a time before it, as in logs of meetings and of IRC. */
const clocked = /^(?:\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s+)(?:<([^>\n]{1,40})>|([^:\n<]{1,40}):)\s(.*)$/;
const MIN_TURNS = 3;
/** Of the lines that are not empty, those that must start a turn. */
const MOSTLY = 0.3;

interface Line {
  readonly speaker?: string;
  readonly text: string;
  readonly at?: string;
}

/** Reads a conversation that is exported as text with a time on the line of each turn. `undefined` if the text is none. */
export function readChatText(text: string): Chat | undefined {
  const lines = text.split('\n');
  const sample = lines.slice(0, 400).filter((line) => line.trim() !== '');
  const pattern = [messenger, clocked].find((each) => {
    const found = sample.filter((line) => each.test(line)).length;
    return found >= MIN_TURNS && found >= MOSTLY * sample.length && each.test(sample[0] ?? '');
  });
  if (!pattern) return undefined;
  const isDayFirst = pattern === messenger && putsDayFirst(lines);
  const turns: (Line & { speaker: string })[] = [];
  for (const line of lines) {
    const started = pattern.exec(line);
    const turn =
      started && (pattern === messenger ? messengerLine(started, isDayFirst) : clockedLine(started));
    const last = turns.at(-1);
    // A line with a time but without a speaker is a remark of the program, such as who joined.
    if (turn) turns.push(...(turn.speaker === undefined ? [] : [{ ...turn, speaker: turn.speaker }]));
    else if (last) turns.splice(-1, 1, { ...last, text: `${last.text}\n${line}` });
  }
  const blocks = turns
    .map(({ text, ...turn }) => ({
      kind: 'turn' as const,
      ...turn,
      text: text.replaceAll('\u200E', '').trim(),
    }))
    .filter(
      ({ text }) =>
        text !== '' &&
        !/^<?(?:media|image|video|audio|sticker|document|Medien)\b.*(?:omitted|weggelassen|ausgeschlossen)>?$/i.test(
          text,
        ),
    );
  if (new Set(blocks.map(({ speaker }) => speaker)).size < 2) return undefined;
  const occurredAt = blocks[0]?.at;
  return { blocks, ...(occurredAt !== undefined && { occurredAt }) };
}

/** Whether `3/12/26` is in December. If no date settles it, the month is first where people write `6:05 PM` without leading zeros. */
function putsDayFirst(lines: readonly string[]): boolean {
  const dates = lines.flatMap((line) => {
    const [, first = '', sign, second = ''] =
      /^\u200E?\[?(\d{1,2})([./-])(\d{1,2})\2\d{2,4}\b/.exec(line) ?? [];
    return sign === undefined ? [] : [{ first, sign, second }];
  });
  if (dates.some(({ first, sign }) => Number(first) > 12 || sign === '.')) return true;
  if (dates.some(({ second }) => Number(second) > 12)) return false;
  const isPadded = dates.some(({ first, second }) => first.startsWith('0') || second.startsWith('0'));
  return isPadded || !lines.some((line) => /^\S+\s\d{1,2}:\d{2}(?::\d{2})?\s?[ap]\.?m\b/i.test(line));
}

function messengerLine(
  [, day = '', time = '', half, speaker, text = '']: RegExpExecArray,
  isDayFirst: boolean,
): Line {
  const at = instantOf(day, time, half, isDayFirst);
  return {
    text,
    ...(speaker !== undefined && { speaker: speaker.replace(/^~\s*/, '').trim() }),
    ...(at !== undefined && { at }),
  };
}

function clockedLine([, nick, name, text = '']: RegExpExecArray): Line {
  const speaker = nick ?? name;
  return { text, ...(speaker !== undefined && { speaker: speaker.trim() }) };
}

/** By the clock of who exported it, which the text does not say: it counts as UTC. */
function instantOf(
  day: string,
  time: string,
  half: string | undefined,
  isDayFirst: boolean,
): string | undefined {
  const [a = 0, b = 0, c = 0] = day.split(/[./-]/).map(Number);
  const [year, month, date] = a > 31 ? [a, b, c] : isDayFirst ? [c, b, a] : [c, a, b];
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  const shift = half === undefined ? hours : (hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  const instant = Date.UTC(year < 100 ? 2000 + year : year, month - 1, date, shift, minutes, seconds);
  return month >= 1 && month <= 12 && date >= 1 && date <= 31 ? new Date(instant).toISOString() : undefined;
}
