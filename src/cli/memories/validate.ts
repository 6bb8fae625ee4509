import { Command } from 'commander';
import { connect } from '../client.ts';
import { printJson } from '../output.ts';
import { validationText } from './show-validation.ts';

export function validateCommand(): Command {
  return new Command('validate')
    .description('Find contradictions and supersessions among memories')
    .argument('<id...>')
    .action(async (ids: string[], _, own: Command) => {
      const { client, json } = connect(own);
      const found = await client.memories.validate({ ids });
      if (json) return printJson(found);
      console.log(validationText(found));
    });
}
