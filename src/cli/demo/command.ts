import { Command } from 'commander';

export function demoCommand(): Command {
  return new Command('demo').description('Show the main job on a real corpus in under a minute');
}
