interface Screen {
  readonly path: string;
  readonly name: string;
  /** Opens the screen when typed after `g`. */
  readonly letter?: string;
  /** Operations of which the role must be allowed one, by `operationId`; without it everyone sees the screen. */
  readonly needs?: readonly string[];
}

/** The screens in the order of the menu. */
const screens: readonly Screen[] = [
  { path: '/', name: 'Home', letter: 'h' },
  { path: '/search', name: 'Search lab', letter: 's', needs: ['search'] },
  { path: '/memories', name: 'Memories', letter: 'm', needs: ['listMemories'] },
  { path: '/time', name: 'Time machine', letter: 't', needs: ['stats'] },
  { path: '/sessions', name: 'Sessions', needs: ['listMemories'] },
  { path: '/review', name: 'Review', letter: 'r', needs: ['listReviews'] },
  { path: '/layers', name: 'Layers', needs: ['stats'] },
  { path: '/spaces', name: 'Spaces', needs: ['listSpaces'] },
  { path: '/documents', name: 'Documents', letter: 'd', needs: ['listDocuments'] },
  { path: '/audit', name: 'Audit', letter: 'a', needs: ['auditEvents'] },
  { path: '/proof', name: 'Proof', needs: ['auditHeads'] },
  { path: '/learning', name: 'Learning', needs: ['policies', 'experience', 'listStrategies'] },
  { path: '/operations', name: 'Operations', letter: 'o', needs: ['listProjections', 'routing', 'budgets'] },
];

/** Whether a path belongs to a screen. */
export const isWithin = (path: string, screen: string): boolean =>
  screen === '/' ? path === '/' : path === screen || path.startsWith(`${screen}/`);

/** The name of the screen at a path if the role does not see it; undefined if it does, or if there is no such screen. */
export function hiddenScreen(path: string, may: (operation: string) => boolean): string | undefined {
  const screen = screens.find((one) => isWithin(path, one.path));
  return screen && !screensFor(may).includes(screen) ? screen.name : undefined;
}

/** The screens that a role sees. */
export const screensFor = (may: (operation: string) => boolean): readonly Screen[] =>
  screens.filter(({ needs }) => needs === undefined || needs.some(may));
