import type { Command } from 'commander';
import { deleteCommand } from './delete.ts';
import { getCommand } from './get.ts';
import { historyCommand } from './history.ts';
import { listCommand } from './list.ts';
import { statsCommand } from './stats.ts';
import { storeCommand } from './store.ts';
import { updateCommand } from './update.ts';
import { validateCommand } from './validate.ts';

export const memoryCommands = (): Command[] => [
  storeCommand(),
  getCommand(),
  listCommand(),
  historyCommand(),
  updateCommand(),
  deleteCommand(),
  validateCommand(),
  statsCommand(),
];
