/** Scripts that run if a page takes the text for markup. Each sets `globalThis.attacked` or opens a dialog. */
const run = ['globalThis.attacked=1', 'alert(1)'] as const;

const frames: readonly ((script: string) => string)[] = [
  (script) => `<script>${script}</script>`,
  (script) => `<img src=x onerror="${script}">`,
  (script) => `<svg onload="${script}">`,
  (script) => `<svg><animate onbegin="${script}" attributeName=x dur=1s>`,
  (script) => `"><img src=x onerror=${script}>`,
  (script) => `'><iframe srcdoc="<script>parent.${script}</script>">`,
  (script) => `javascript:${script}`,
  (script) => `<a href="javascript:${script}">click</a>`,
  (script) => `[click](javascript:${script})`,
  (script) => `![x](x "onerror='${script}'")`,
  (script) => `data:text/html,<script>${script}</script>`,
  (script) => `</title><script>${script}</script>`,
  (script) => `</textarea><script>${script}</script>`,
  (script) => `--><script>${script}</script>`,
  (script) => `]]><script>${script}</script>`,
  (script) => `<details open ontoggle="${script}">`,
  (script) => `<body onload="${script}">`,
  (script) => `<math><mtext><style><img src onerror="${script}"></style>`,
  (script) => `{{constructor.constructor('${script}')()}}`,
  (script) => `\${${script}}`,
  (script) => `<object data="javascript:${script}">`,
  (script) => `<form action="javascript:${script}"><button>go</button></form>`,
  (script) => `<meta http-equiv="refresh" content="0;url=javascript:${script}">`,
  (script) => `<base href="javascript:${script}//">`,
  (script) => `\u202e<script>${script}</script>`,
];

const wrappers: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `before ${text} after`,
  (text) => text.toUpperCase().replace('SCRIPT', 'ScRiPt'),
  (text) => text.replaceAll('<', '&lt;').repeat(2),
];

/** 200 texts that attack a page, for every field that a person or a file can fill. */
export const hostileTexts: readonly string[] = run.flatMap((script) =>
  frames.flatMap((frame) => wrappers.map((wrap) => wrap(frame(script)))),
);
