import { visibilityKeys } from '../../domain/access/visibility.ts';
import type { Layer } from '../../domain/layers.ts';
import { invalid } from '../../domain/problems.ts';
import { depths } from '../../domain/summaries/depths.ts';
import type { SummaryPolicyEvent } from '../../domain/summaries/events.ts';
import {
  settingsByLayer,
  type SettingsByLayer,
  type SummarySettings,
} from '../../domain/summaries/settings.ts';
import { summarySettingsStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';
import { changeStream } from '../change-stream.ts';
import { callerKey, type CommandContext, type CommandResult, type CommandServices } from '../context.ts';

/** The settings of a tenant, as they are in the log now, or were when it had reached the position `upTo`. */
export async function readSummarySettings(
  store: EventStore,
  tenant: string,
  upTo: number = Infinity,
): Promise<SettingsByLayer> {
  const history = await store.load<SummaryPolicyEvent>(summarySettingsStream(tenant));
  return settingsOf(history.filter(({ position }) => position <= upTo));
}

/** Replaces the settings of one layer. */
export async function configureSummaries(
  services: CommandServices,
  context: CommandContext,
  layer: Layer,
  wanted: SummarySettings,
): Promise<CommandResult & { readonly settings: SummarySettings }> {
  if (wanted.personalized && visibilityKeys(layer).includes('user'))
    throw invalid(
      'personalized',
      `must be left out or false: summaries of the layer ${layer} are of one user`,
    );
  const settings = { ...wanted, depths: depths.filter((depth) => wanted.depths.includes(depth)) };
  const { history, position, replayed } = await changeStream<SummaryPolicyEvent>(services, context, {
    stream: summarySettingsStream(context.caller.tenant),
    memoryId: '',
    decide: (loaded) =>
      isSame(settingsOf(loaded)[layer], settings)
        ? []
        : [{ type: 'SummaryConfigured', data: { layer, settings } }],
    key: () => callerKey(services.vault, context.caller),
  });
  return { settings: settingsOf(history)[layer], position, replayed };
}

function settingsOf(history: readonly { readonly event: SummaryPolicyEvent }[]): SettingsByLayer {
  return settingsByLayer(history.map(({ event }) => event.data));
}

function isSame(left: SummarySettings, right: SummarySettings): boolean {
  const sorted = (settings: SummarySettings) =>
    JSON.stringify(Object.entries(settings).sort(([one], [other]) => (one < other ? -1 : 1)));
  return sorted(left) === sorted(right);
}
