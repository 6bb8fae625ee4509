import { Command } from 'commander';
import { call, connectionOf } from '../client.ts';
import { printJson } from '../output.ts';
import { validationText, type Validation } from './show-validation.ts';

export function validateCommand(): Command {
  return new Command('validate')
    .description('Find contradictions and supersessions among memories')
    .argument('<id...>')
    .action(async (ids: string[], _, own: Command) => {
      const connection = connectionOf(own);
      const found = await call<Validation>(connection, '/v1/memories/validate', {
        method: 'POST',
        body: { ids },
      });
      if (connection.json) return printJson(found);
      console.log(validationText(found));
    });
}
