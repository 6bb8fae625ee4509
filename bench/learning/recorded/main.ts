// Simulated agents ask the questions of a data set and post what they used; prints what the server learns. See README.md.
import { parseArgs } from 'node:util';
import { measureExperience } from './experience.ts';
import { measureRoutes } from './routes.ts';
import { readRecorded, withFreshServers } from './setting.ts';

const measures = { routes: measureRoutes, experience: measureExperience };
/** Routes differ in what is found at all, experience in what comes first. */
const goals = { routes: { among: 5 }, experience: { among: 1 } };

export async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      set: { type: 'string', default: 'orgmem' },
      questions: { type: 'string', default: '500' },
      seed: { type: 'string', default: '1' },
    },
  });
  const [kind = 'routes'] = positionals;
  const questions = Number(values.questions);
  if (values.data === undefined || !isMeasure(kind) || !Number.isInteger(questions) || questions < 1)
    throw new Error(
      'usage: main.ts [routes|experience] --data DIR [--set orgmem] [--questions 500] [--seed 1]',
    );
  const recorded = await readRecorded(values.data, values.set, goals[kind], values.seed);
  await withFreshServers(recorded, async (fresh) => {
    console.log(
      `${values.set}, tenant ${recorded.tenant}, ${kind}, ${questions} questions, seed ${values.seed}`,
    );
    await measures[kind](recorded, fresh, { questions, seed: values.seed });
  });
}

function isMeasure(name: string): name is keyof typeof measures {
  return Object.hasOwn(measures, name);
}
