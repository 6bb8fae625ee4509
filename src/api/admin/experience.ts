import { z } from 'zod';
import {
  configureExperience as configure,
  readExperienceSettings,
} from '../../commands/experience/configure-experience.ts';
import { difference, groupReport, type GroupCounts } from '../../domain/experience/report.ts';
import { experienceSettingsSchema } from '../../domain/experience/settings.ts';
import type { DayCounts } from '../../queries/experience/experience-reader.ts';
import { positionField, waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import {
  experienceConfiguredExample,
  experienceExample,
  experienceSettingsExample,
} from '../reasoning/examples.ts';
import { routingOperators } from './roles.ts';

const estimate = z
  .object({ value: z.number(), low: z.number(), high: z.number() })
  .meta({ id: 'Estimate', description: 'With its interval of 95 %' });

const group = z
  .object({
    searches: z.int(),
    successes: z.int(),
    partial: z.int(),
    failures: z.int(),
    successRate: estimate.optional().meta({
      description: 'Share of the searches with an outcome that succeeded; a partial success counts half',
    }),
    searchesPerSuccess: estimate
      .optional()
      .meta({ description: 'Searches with an outcome for each success' }),
  })
  .meta({ id: 'ExperienceGroup' });

const groups = { with: group, without: group };

export const experience = operation({
  name: 'experience',
  summary: 'Show the settings of searches with experience, and how searches with and without it end',
  area: 'Administration',
  input: z.strictObject(waitFields),
  output: z
    .object({
      settings: experienceSettingsSchema,
      total: z.object({
        ...groups,
        difference: estimate
          .optional()
          .meta({ description: 'Success rate with experience minus that without it' }),
      }),
      days: z.array(z.object({ day: z.iso.date(), ...groups })).meta({ description: 'Newest first' }),
      position: positionField,
    })
    .meta({ id: 'Experience' }),
  examples: { input: {}, output: experienceExample },
  access: {
    roles: ['operator', 'auditor', 'admin'],
    refusal: 'the figures of experience need the role operator, auditor or admin',
  },
  reads: 'read-models',
  async handle({ caller, services: { commands, experience: reader }, wait, token }) {
    const settings = await readExperienceSettings(commands.store, caller.tenant);
    const { days, position } = await reader.days(caller.tenant, wait);
    const total = groupsOf(days);
    const gain = difference(total.with, total.without);
    return {
      output: {
        settings,
        total: { ...reported(total), ...(gain && { difference: gain }) },
        days: [...new Set(days.map(({ day }) => day))].map((day) => ({
          day,
          ...reported(groupsOf(days.filter((counts) => counts.day === day))),
        })),
        position: token(position),
      },
    };
  },
});

export const configureExperience = operation({
  name: 'configureExperience',
  summary: 'Change whether searches with experience apply it, and for which share of sessions',
  area: 'Administration',
  input: experienceSettingsSchema,
  output: z.object({ settings: experienceSettingsSchema, position: positionField }),
  examples: { input: experienceSettingsExample, output: experienceConfiguredExample },
  access: routingOperators,
  command: { scope: () => ['PUT', '/v1/admin/experience'] },
  async handle({ context, input, services, token }) {
    const { settings, position, replayed } = await configure(services.commands, context, input);
    return { output: { settings, position: token(position) }, replayed };
  },
});

interface Groups {
  readonly with: GroupCounts;
  readonly without: GroupCounts;
}

function groupsOf(days: readonly DayCounts[]): Groups {
  const sum = (applied: boolean): GroupCounts =>
    days
      .filter((counts) => counts.applied === applied)
      .reduce(
        (total, { searches, successes, partial, failures }) => ({
          searches: total.searches + searches,
          successes: total.successes + successes,
          partial: total.partial + partial,
          failures: total.failures + failures,
        }),
        { searches: 0, successes: 0, partial: 0, failures: 0 },
      );
  return { with: sum(true), without: sum(false) };
}

function reported(counts: Groups) {
  return { with: groupReport(counts.with), without: groupReport(counts.without) };
}
