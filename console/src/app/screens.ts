export interface Screen {
  readonly path: string;
  readonly name: string;
  /** Operations of which the role must be allowed one, by `operationId`; without it everyone sees the screen. */
  readonly needs?: readonly string[];
}

/** The entries of the menu, in its order. */
export const screens: readonly Screen[] = [
  { path: '/', name: 'Home' },
  { path: '/search', name: 'Search lab' },
  { path: '/memories', name: 'Memories' },
  { path: '/time', name: 'Time machine' },
  { path: '/sessions', name: 'Sessions' },
  { path: '/review', name: 'Review' },
  { path: '/layers', name: 'Layers' },
  { path: '/spaces', name: 'Spaces' },
  { path: '/documents', name: 'Documents' },
  { path: '/audit', name: 'Audit' },
  { path: '/proof', name: 'Proof' },
  { path: '/learning', name: 'Learning' },
  { path: '/operations', name: 'Operations' },
];
