import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  readonly version: string;
  readonly dev?: true;
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: true;
  readonly hasInstallScript?: true;
}

function lockedIn(folder: string): [name: string, LockedPackage][] {
  const { packages } = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  return Object.entries(packages)
    .filter(([place]) => place !== '')
    .map(([place, locked]) => [place.slice(place.lastIndexOf('node_modules/') + 13), locked]);
}

const locked = lockedIn('.');
const installed = locked.filter(([, { dev }]) => !dev);
const namesOf = (packages: readonly [string, LockedPackage][]) =>
  [...new Set(packages.map(([name]) => name))].toSorted();

/** Licenses that ask for nothing but a notice. */
const permissive = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'MIT-0',
  'Zlib',
];
/** What the license files of packages say that declare none, or none by its SPDX name. */
const byFile = JSON.parse(readFileSync('bin/licenses.json', 'utf8')) as Readonly<Record<string, string>>;
/** Applies to changed files of the package itself, none of which is distributed. */
const forTools = [...permissive, 'MPL-2.0'];

/** Whether an SPDX expression can be met with these licenses. */
function isMetBy(expression: string, allowed: readonly string[]): boolean {
  const meets = (license: string) => allowed.includes(license.replaceAll(/[()]/g, '').trim());
  return expression.split(' OR ').some((choice) => choice.split(' AND ').every(meets));
}

/**
 * Packages of an installation that have an install script, which the guide has users switch off, with what the script does. Before you add
 * one: read its script, and say here why the package works without it.
 */
const withInstallScript = {
  esbuild: 'replaces the starter by the program itself, which saves some milliseconds',
  'onnxruntime-node': 'downloads GPU libraries, which are not used',
  protobufjs: 'prints a warning about the version range in package.json',
};

/** Makers and packages that report installations or the use of a program. */
const telemetry =
  /^(@scarf|@sentry|@segment|@amplitude|@datadog|@bugsnag|@rollbar|@posthog|@vercel\/analytics)|^(posthog|mixpanel|amplitude|analytics-node|applicationinsights|dd-trace|newrelic|bugsnag|rollbar|insight|universal-analytics|react-ga|opencollective)/;

describe('[I5] the packages of others', () => {
  it.each(['.', 'test/clients', 'test/clients/mem0', 'packages/client/frameworks'])(
    'are locked with a hash, from the npm registry: %s',
    (folder) => {
      for (const [name, { integrity, resolved, link }] of lockedIn(folder)) {
        if (link) continue;
        expect(integrity, name).toMatch(/^sha512-/);
        expect(resolved ?? 'https://registry.npmjs.org/', name).toMatch(/^https:\/\/registry\.npmjs\.org\//);
      }
    },
  );

  it('have licenses that allow what is done with them', () => {
    const refused = locked.filter(
      ([name, { license, dev }]) => !isMetBy(byFile[name] ?? license ?? '', dev ? forTools : permissive),
    );
    expect(refused).toEqual([]);
  });

  it('run no install script that was not looked at', () => {
    const scripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(namesOf(scripts)).toEqual(Object.keys(withInstallScript));
  });

  it('report nothing about who installs or runs them', () => {
    expect(namesOf(installed).filter((name) => telemetry.test(name))).toEqual([]);
    expect('@scarf/scarf').toMatch(telemetry);
  });

  it('that are copied into the package are unchanged, with their license', () => {
    for (const file of [
      'LICENSE',
      'NOTICE',
      'swagger-ui.css',
      'swagger-ui-bundle.js',
      'swagger-ui-bundle.js.LICENSE.txt',
    ]) {
      const original = readFileSync(path.join('node_modules/swagger-ui-dist', file));
      const isSame = original.equals(readFileSync(path.join('vendor/swagger-ui', file)));
      expect(isSame, `${file}: run \`npm run vendor\``).toBe(true);
    }
  });
});
