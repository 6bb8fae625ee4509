import type { ExperiencePolicyEvent } from '../../domain/experience/events.ts';
import { defaultExperience, type ExperienceSettings } from '../../domain/experience/settings.ts';
import { experienceStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';
import { changeStream } from '../change-stream.ts';
import { callerKey, type CommandContext, type CommandResult, type CommandServices } from '../context.ts';

/** The settings of a tenant, as they are in the log now. */
export async function readExperienceSettings(store: EventStore, tenant: string): Promise<ExperienceSettings> {
  return settingsOf(await store.load<ExperiencePolicyEvent>(experienceStream(tenant)));
}

/** Replaces the settings of the tenant. */
export async function configureExperience(
  services: CommandServices,
  context: CommandContext,
  settings: ExperienceSettings,
): Promise<CommandResult & { readonly settings: ExperienceSettings }> {
  const { history, position, replayed } = await changeStream<ExperiencePolicyEvent>(services, context, {
    stream: experienceStream(context.caller.tenant),
    memoryId: '',
    decide: (loaded) => {
      const { enabled, share, exploration } = settingsOf(loaded);
      const isSame =
        enabled === settings.enabled && share === settings.share && exploration === settings.exploration;
      return isSame ? [] : [{ type: 'ExperienceConfigured', data: { settings } }];
    },
    key: () => callerKey(services.vault, context.caller),
  });
  return { settings: settingsOf(history), position, replayed };
}

function settingsOf(history: readonly { readonly event: ExperiencePolicyEvent }[]): ExperienceSettings {
  return history.at(-1)?.event.data.settings ?? defaultExperience;
}
