import type { SpacePreset } from '../spaces/space-config.ts';
import type { Spaces } from '../spaces/spaces.ts';
import { hasPhrase, phraseForm } from './phrases.ts';

/**
 * The words of a subject: `sure` ones hardly occur elsewhere, two of the `telling` ones say the same together, and so do four of those that
 * are `everyday` words too.
 */
interface Subject {
  readonly sure: readonly string[];
  readonly telling: readonly string[];
  readonly everyday: readonly string[];
}

const listed = (text: string): readonly string[] => text.split('|').map((phrase) => phrase.trim());

/** What a space is about that was made from a preset, for as long as it has few memories to compare with. */
const subjects: Readonly<Record<SpacePreset, Subject>> = {
  dev_copilot: {
    sure: listed(
      'stack trace|stacktrace|traceback|typeerror|referenceerror|syntaxerror|keyerror|valueerror|nullpointerexception|segfault|' +
        'npm|pnpm|npx|pip install|docker|dockerfile|kubectl|kubernetes|helm chart|terraform|git|github|gitlab|localhost|' +
        'pull request|merge request|merge conflict|rebase|code review|code base|codebase|our repo|the repo|monorepo|' +
        'unit test|integration test|failing test|flaky test|test suite|linter|eslint|typescript|javascript|node.js|python|' +
        'golang|rust crate|pandas|numpy|django|fastapi|zod|webpack|pytest|vitest|makefile|dotenv|.env|env file|env var|regex|' +
        'refactor|refactoring|compiler|type checker|ci pipeline|build fails|stack overflow|debugger|hotfix|changelog|webhook|' +
        'postgres|postgresql|sqlite|redis|nginx|grpc|json.parse|null pointer|race condition|memory leak|feature flag|lockfile|' +
        'command line|environment variable|status code|http 500|deadlock|backend|frontend|css|html|sdk',
    ),
    telling: listed(
      'commit|deployed|deploy script|endpoint|exception|config|dependency|dependencies|staging|api|debug|compile|compiled|' +
        'parser|thread|async|database|retries|timeout|log line|json|yaml|sql|snippet|workaround|regression|upstream|cache|' +
        'stdout|variable|repository|breakpoint|bugfix|deploy',
    ),
    everyday: listed(
      'bug|branch|build|function|class|method|crash|script|test|reviewer|server|port|container|library|module|query|retry|' +
        'runner|yarn|cargo|react|handler|fixed by|pinned|lock|worker|release|token',
    ),
  },
  salesforce: {
    sure: listed(
      'salesforce|apex|soql|sosl|visualforce|lightning web component|lightning component|lightning experience|lightning page|' +
        'lightning app builder|trailhead|appexchange|sobject|sfdx|sf cli|scratch org|sandbox refresh|data loader|' +
        'permission set|object permission|field-level security|sharing rule|role hierarchy|' +
        'organization-wide default|org-wide default|workflow rule|process builder|flow builder|screen flow|' +
        'record-triggered flow|autolaunched flow|before-save|after-save|custom object|junction object|big object|' +
        'master-detail|lookup relationship|roll-up summary|formula field|lead conversion|convert lead|opportunity stage|' +
        'forecast category|contact role|campaign member|queueable|batchable|governor limit|trigger handler|wire adapter|' +
        'refreshapex|aura component|einstein prediction|einstein analytics|einstein bot|sales cloud|service cloud|' +
        'marketing cloud|experience cloud|platform event|person account|price book|entitlement process|omni-channel|' +
        'assignment rule|escalation rule|approval process|dynamic form|record page|web-to-lead|email-to-case|' +
        'custom metadata type|change set|managed package|external id|duplicate rule|matching rule|path component|dev hub',
    ),
    telling: listed(
      'opportunity|opportunities|einstein|sandbox|crm|bulkify|validation rule|record type|page layout|custom field|' +
        'lookup field|quick action|list view|report folder|security token|connected app|picklist|territory management|' +
        'account access|trigger|lightning|bulkified|queue member',
    ),
    everyday: listed(
      'lead|account|case|campaign|flow|profile|role|record|forecast|dashboard|queue|admin|org|chatter|quote|territory|' +
        'component|builder|approver|field|object|user',
    ),
  },
  research: {
    sure: listed(
      'arxiv|preprint|doi|ablation|perplexity|pre-training|pretraining|pre-trained|pretrained|fine-tuning|fine-tuned|' +
        'finetuning|contrastive|softmax|self-attention|cross-attention|attention head|attention layer|attention sink|' +
        'language model|diffusion model|reinforcement learning|gradient descent|backpropagation|learning rate|' +
        'cosine schedule|chain-of-thought|chain of thought|few-shot|zero-shot|in-context learning|knowledge distillation|' +
        'held-out|auxiliary loss|loss function|loss curve|hard negatives|neural network|deep learning|machine learning|' +
        'regret bound|convergence rate|billion parameters|trillion tokens|billion tokens|mixture of experts|quantisation|' +
        'quantization|literature review|related work|peer-reviewed|systematic review|meta-analysis|confidence interval|' +
        'statistically significant|p-value|bleu|ndcg|imagenet|neurips|icml|iclr|emnlp|cvpr|we propose|outperforms|' +
        'randomized controlled trial|randomised controlled trial|unbiased|estimator|variance|annotated|probing|tokeniser|' +
        'tokenizer|reranker|retriever|hyperparameter|overfitting|latent space|downstream task|inductive bias|distillation',
    ),
    telling: listed(
      'benchmark|baseline|dataset|data set|encoder|decoder|embedding|f1|hypothesis|supervised|theorem|outperform|' +
        'proceedings|the authors|we find|we show|we introduce|state of the art|state-of-the-art|upper bound|lower bound|' +
        'sample size|transformer|corpus|regret|gradient|distribution shift|submission|citation',
    ),
    everyday: listed(
      'paper|attention|accuracy|precision|recall|experiment|evaluation|training|model|parameters|tokens|experimental|study|' +
        'workshop|conference|findings|participants|abstract|survey|labels|network|batch|distribution|noise|scaling|graph|' +
        'kernel|agents|results',
    ),
  },
};

/** Signs of program code, as they stand in a line. */
const codeSigns: readonly RegExp[] = [
  /^\s*(export\s+)?(abstract\s+)?class \w+[^.]*\{/m,
  /\b(const|let|var) \w+\s*(:[^=\n]{1,60})?=/,
  /\bfunction\s*\w*\s*\([^)\n]*\)\s*\{/,
  /\bdef \w+\([^)\n]*\)\s*(->[^:\n]+)?:/,
  /\b(this|self)\.\w+\s*(-|\+)?=/,
  /\breturn [^\n]{0,80};/,
  /=>\s*[{(\w]/,
  /^\s*(import|from) [\w{*][^\n]*$/m,
  /\bthrow new \w+\(/,
  /\bif \([^)\n]+\) (\{|throw|return)/,
  /^#!\/|\bfor \w+ in [^\n]+; do\b/m,
];

/** UTF-16 units of a text that are looked at: its subject shows there. */
const maxLength = 4_000;
const weightOfSure = 2;
const weightOfEveryday = 0.5;
const mostTelling = 2;
const mostSigns = 4;
/** What a subject must reach. */
const least = 2;
/** A text of this length has words of any subject: more of them must say the same. */
const lengthOfLong = 1_000;
const leastOfLong = 4;
/** Telling words count by how close they stand: two of them in a text of this length. */
const closeness = 300;
/** A further subject counts if it has at least this share of the strongest, and not by telling words alone. */
const leastShare = 0.5;

/** A subject that a text speaks of, with the weight of its words. */
export interface FoundSubject {
  readonly space: string;
  readonly weight: number;
}

interface Weight {
  /** Of words and signs that hardly occur elsewhere. */
  readonly sure: number;
  readonly all: number;
}

/** The spaces made from presets whose subjects a text surely speaks of, the strongest first. */
export function subjectsOf(
  { configured }: Spaces,
  { title = '', text }: { readonly title?: string | undefined; readonly text: string },
): readonly FoundSubject[] {
  const start = `${title}\n${text}`.slice(0, maxLength);
  const form = phraseForm(start);
  const weights = new Map<SpacePreset, Weight>();
  const found = [...configured.values()].flatMap(({ id, config: { preset } }) => {
    if (preset === undefined) return [];
    const weight = weights.get(preset) ?? weightOf(preset, form, start);
    weights.set(preset, weight);
    return [{ space: id, weight }];
  });
  const strongest = Math.max(0, ...found.map(({ weight }) => weight.all));
  const needed = form.length > lengthOfLong ? leastOfLong : least;
  return found
    .filter(({ weight: { all, sure } }) =>
      all === strongest ? all >= needed : sure >= needed && all >= leastShare * strongest,
    )
    .map(({ space, weight }) => ({ space, weight: weight.all }))
    .sort((left, right) => right.weight - left.weight);
}

function weightOf(preset: SpacePreset, form: string, text: string): Weight {
  const { sure, telling, everyday } = subjects[preset];
  const count = (phrases: readonly string[]) =>
    phrases.filter((phrase) => hasPhrase(form, phrase, { inflected: true })).length;
  const signs = preset === 'dev_copilot' ? codeSigns.filter((sign) => sign.test(text)).length : 0;
  const ofSure = weightOfSure * count(sure) + Math.min(mostSigns, signs);
  const said = count(telling) + weightOfEveryday * count(everyday);
  const close = (said * closeness) / Math.max(closeness, form.length);
  return { sure: ofSure, all: ofSure + Math.min(mostTelling, close) };
}
