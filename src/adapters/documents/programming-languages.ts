/** A language that source code is written in. */
export interface ProgrammingLanguage {
  /** As fences of Markdown name it. */
  readonly name: string;
  readonly extensions: readonly string[];
  /** What comes after `text/`, `application/` and `x-` in media types of the language, apart from its name. */
  readonly subtypes?: readonly string[];
  /** Names of its interpreters in a first line such as `#!/usr/bin/env python3`. */
  readonly interpreters?: readonly string[];
  /** Whole names of files. */
  readonly filenames?: readonly string[];
}

const languages: readonly ProgrammingLanguage[] = [
  { name: 'typescript', extensions: ['ts', 'mts', 'cts'], interpreters: ['tsx', 'deno', 'ts-node'] },
  { name: 'tsx', extensions: ['tsx'] },
  {
    name: 'javascript',
    extensions: ['js', 'mjs', 'cjs', 'jsx'],
    subtypes: ['ecmascript'],
    interpreters: ['node', 'bun'],
  },
  { name: 'python', extensions: ['py', 'pyi', 'pyw'], interpreters: ['python'] },
  { name: 'go', extensions: ['go'], subtypes: ['golang'] },
  { name: 'rust', extensions: ['rs'], subtypes: ['rustsrc'] },
  { name: 'java', extensions: ['java'], subtypes: ['java-source'] },
  { name: 'csharp', extensions: ['cs', 'csx'], subtypes: ['c#'] },
  { name: 'c', extensions: ['c', 'h'], subtypes: ['csrc', 'chdr'] },
  {
    name: 'cpp',
    extensions: ['cc', 'cpp', 'cxx', 'hpp', 'hh', 'hxx', 'ino'],
    subtypes: ['c++', 'c++src', 'c++hdr'],
  },
  { name: 'php', extensions: ['php', 'phtml'], subtypes: ['httpd-php'], interpreters: ['php'] },
  {
    name: 'ruby',
    extensions: ['rb', 'rake', 'gemspec'],
    interpreters: ['ruby'],
    filenames: ['Rakefile', 'Gemfile'],
  },
  {
    name: 'bash',
    extensions: ['sh', 'bash', 'zsh', 'ksh'],
    subtypes: ['sh', 'shellscript', 'shell'],
    interpreters: ['sh', 'bash', 'zsh', 'ksh', 'dash'],
  },
  { name: 'powershell', extensions: ['ps1', 'psm1'], interpreters: ['pwsh'] },
  { name: 'css', extensions: ['css'] },
  { name: 'sql', extensions: ['sql', 'ddl', 'psql'], interpreters: ['psql'] },
  { name: 'kotlin', extensions: ['kt', 'kts'] },
  { name: 'swift', extensions: ['swift'] },
  { name: 'scala', extensions: ['scala', 'sc'] },
  { name: 'lua', extensions: ['lua'], interpreters: ['lua'] },
  { name: 'perl', extensions: ['pl', 'pm'], interpreters: ['perl'] },
  { name: 'r', extensions: ['r'], subtypes: ['rsrc'], interpreters: ['Rscript'] },
  { name: 'julia', extensions: ['jl'], interpreters: ['julia'] },
  { name: 'elixir', extensions: ['ex', 'exs'], interpreters: ['elixir'] },
  { name: 'erlang', extensions: ['erl', 'hrl'] },
  { name: 'haskell', extensions: ['hs'] },
  { name: 'ocaml', extensions: ['ml', 'mli'] },
  { name: 'fsharp', extensions: ['fs', 'fsx'] },
  { name: 'clojure', extensions: ['clj', 'cljs', 'edn'] },
  { name: 'lisp', extensions: ['lisp', 'el', 'scm'] },
  { name: 'dart', extensions: ['dart'] },
  { name: 'zig', extensions: ['zig'] },
  { name: 'vb', extensions: ['vb', 'bas', 'vbs'] },
  { name: 'pascal', extensions: ['pas'] },
  { name: 'fortran', extensions: ['f90', 'f95', 'for'] },
  { name: 'groovy', extensions: ['groovy', 'gradle'] },
  { name: 'scss', extensions: ['scss', 'sass', 'less'] },
  { name: 'vue', extensions: ['vue'] },
  { name: 'svelte', extensions: ['svelte'] },
  { name: 'graphql', extensions: ['graphql', 'gql'] },
  { name: 'protobuf', extensions: ['proto'] },
  { name: 'hcl', extensions: ['tf', 'hcl'] },
  { name: 'yaml', extensions: ['yaml', 'yml'] },
  { name: 'toml', extensions: ['toml'] },
  { name: 'ini', extensions: ['ini', 'cfg', 'conf', 'properties', 'env'] },
  { name: 'xml', extensions: ['xml', 'xsd', 'xsl', 'xslt', 'wsdl', 'plist'] },
  { name: 'dockerfile', extensions: ['dockerfile'], filenames: ['Dockerfile', 'Containerfile'] },
  { name: 'makefile', extensions: ['mk'], interpreters: ['make'], filenames: ['Makefile', 'GNUmakefile'] },
  { name: 'cmake', extensions: ['cmake'], filenames: ['CMakeLists.txt'] },
  { name: 'batch', extensions: ['bat', 'cmd'] },
  { name: 'diff', extensions: ['diff', 'patch'] },
];

const byExtension = new Map(languages.flatMap((each) => each.extensions.map((one) => [one, each.name])));
const byFilename = new Map(
  languages.flatMap((each) => (each.filenames ?? []).map((one) => [one, each.name])),
);
const byInterpreter = new Map(
  languages.flatMap((each) => (each.interpreters ?? []).map((one) => [one, each.name])),
);
const bySubtype = new Map(
  languages.flatMap((each) => [each.name, ...(each.subtypes ?? [])].map((one) => [one, each.name])),
);

/** The language of a file by its name; `undefined` if the name tells none. */
export function languageOfFilename(filename: string | undefined): string | undefined {
  const name = filename?.split(/[\\/]/).at(-1) ?? '';
  return byFilename.get(name) ?? byExtension.get(/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '');
}

/** The language of a media type such as `text/x-python`, `application/sql` or `text/x-c++src`. */
export function languageOfMediaType(mediaType: string | undefined): string | undefined {
  const subtype = /^(?:text|application)\/(?:x-|vnd\.)?([\w.+#-]+)/i
    .exec(mediaType ?? '')?.[1]
    ?.toLowerCase();
  return subtype === undefined ? undefined : bySubtype.get(subtype.replace(/^script\./, ''));
}

/** The language by the first line of a text: a line `#!` with an interpreter, or `<?php`. */
export function languageOfFirstLine(text: string): string | undefined {
  if (text.startsWith('<?php')) return 'php';
  const [, command = ''] = /^#!\s*(\S.*)/.exec(text) ?? [];
  const words = command.split(/\s+/).filter((word) => !word.startsWith('-') && !word.includes('='));
  const program = (words[0]?.endsWith('/env') ? words[1] : words[0])?.split('/').at(-1) ?? '';
  return byInterpreter.get(program) ?? byInterpreter.get(program.replace(/[\d.]+$/, ''));
}

/** The media type of source code in a language. */
export function mediaTypeOfLanguage(language: string): string {
  if (language === 'sql' || language === 'xml' || language === 'yaml' || language === 'toml')
    return `application/${language}`;
  return language === 'css' || language === 'javascript' ? `text/${language}` : `text/x-${language}`;
}
