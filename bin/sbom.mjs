// npm run sbom [-- FILE]
// Writes the software bill of materials (CycloneDX, JSON) of the package to FILE, or prints it: the packages that an installation
// gets, from package-lock.json, and what the package itself contains of others.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { name, devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** Libraries whose code is in the package itself: the viewer of `/docs`, and what the console is made with. */
const libraries = [
  ['swagger-ui-dist', 'Apache-2.0'],
  ['preact', 'MIT'],
  ['preact-iso', 'MIT'],
  ['@tanstack/preact-query', 'MIT'],
  ['@tanstack/virtual-core', 'MIT'],
  ['uplot', 'MIT'],
].map(([library, license]) => ({
  type: 'library',
  name: library,
  version: devDependencies[library],
  purl: `pkg:npm/${library.replace('@', '%40')}@${devDependencies[library]}`,
  license,
}));

/** Models have no version of their own; `models/README.md` has their sources and checksums. */
const contained = [
  ...libraries,
  {
    type: 'machine-learning-model',
    name: 'multilingual-e5-small',
    purl: 'pkg:huggingface/intfloat/multilingual-e5-small',
    license: 'MIT',
  },
  {
    type: 'machine-learning-model',
    name: 'bge-small-en-v1.5',
    purl: 'pkg:huggingface/BAAI/bge-small-en-v1.5',
    license: 'MIT',
  },
].map(({ license, ...component }) => ({
  'bom-ref': component.purl,
  ...component,
  licenses: [{ license: { id: license } }],
}));

const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
const bill = JSON.parse(execFileSync('npm', words, { cwd: root, maxBuffer: 2 ** 26 }));
// With --omit dev, npm also leaves out what a development dependency has in common with the package.
const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
const installed = new Set(
  Object.entries(packages)
    .filter(([folder, { dev }]) => folder !== '' && !dev)
    .map(([folder, { version }]) => `${folder.split('node_modules/').at(-1)}@${version}`),
);
bill.components = bill.components.filter((component) =>
  installed.has(`${component.name}@${component.version}`),
);
const refs = new Set([bill.metadata.component['bom-ref'], ...bill.components.map((each) => each['bom-ref'])]);
bill.dependencies = bill.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }));
// npm has no license for packages that declare none, or none by its SPDX name. These are what their license files say.
const byFile = JSON.parse(readFileSync(path.join(root, 'bin/licenses.json'), 'utf8'));
for (const component of bill.components) {
  const id = byFile[component.name];
  if (id !== undefined) component.licenses = [{ license: { id } }];
}
// npm takes the name of the folder.
bill.metadata.component.name = name;
bill.components.push(...contained);
const text = `${JSON.stringify(bill, null, 2)}\n`;
const [, , file] = process.argv;
if (file === undefined) process.stdout.write(text);
else writeFileSync(file, text);
