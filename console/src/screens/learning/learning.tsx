import './learning.css';
import type { ComponentType } from 'preact';
import { useAddress } from '../../app/address.tsx';
import { useSession, type Session } from '../../app/session.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Experience } from './experience.tsx';
import { Lessons } from './lessons.tsx';
import { Overview } from './overview.tsx';
import { Values } from './values.tsx';
import { Versions } from './versions.tsx';

interface Part {
  readonly tab: string;
  readonly name: string;
  readonly view: ComponentType;
  readonly followsTime?: true;
  isFor(session: Session): boolean;
}

const parts: readonly Part[] = [
  { tab: 'helps', name: 'Does it help?', view: Overview, isFor: ({ may }) => may('policies') },
  {
    tab: 'versions',
    name: 'Versions',
    view: Versions,
    followsTime: true,
    isFor: ({ may }) => may('policies'),
  },
  {
    tab: 'values',
    name: 'Value of memories',
    view: Values,
    followsTime: true,
    isFor: ({ may }) => may('listMemories'),
  },
  { tab: 'experience', name: 'Experience', view: Experience, isFor: ({ may }) => may('experience') },
  { tab: 'lessons', name: 'Lessons', view: Lessons, isFor: ({ may }) => may('listStrategies') },
];

/** What the server has learned from use, whether that helps, and the commands to change it. */
export default function Learning() {
  const session = useSession();
  const { values } = useAddress();
  const seen = parts.filter((part) => part.isFor(session));
  const part = seen.find(({ tab }) => tab === values['tab']) ?? seen[0];
  const View = part?.view;
  return (
    <Page title="Learning" question="Is it better than without?" followsTime={part?.followsTime ?? false}>
      {seen.length > 0 && (
        <Tabs label="Parts of learning" tabs={seen.map(({ tab, name }) => [tab, name] as const)} />
      )}
      {View && <View />}
    </Page>
  );
}
