import type { JsonObject } from '../json.ts';
import type { ModelScale } from './calibration.ts';
import { likeness, type Substance } from './likeness.ts';
import { compareVersions, parseVersion, versionsIn, withoutVersion, type Version } from './versions.ts';

/** A result that may be a version of a document. */
export interface Versioned {
  readonly metadata: JsonObject;
  readonly substance: Substance;
}

/** Metadata fields with the version, the first that can be read counts. */
const versionFields = ['version', 'sf_version'] as const;

/** Metadata fields that name the document, the first that both have counts. */
const documentFields = ['document_id', 'document', 'source_title', 'title'] as const;

/**
 * How alike two texts must be (`likeness`) to be the same part of two versions: enough that both are about the same subject if their
 * document has a name, and that they say nearly the same if it has none.
 */
const ALIKE = { named: -1.2, unnamed: 1.5 };

/** Which of several versions of a document stands first: the one that the question names, else the newest. */
export class DocumentVersions {
  readonly #asked: readonly Version[];
  readonly #scale: ModelScale;
  readonly #known = new Map<Versioned, Version | undefined>();

  constructor(question: string, scale: ModelScale) {
    this.#asked = versionsIn(question);
    this.#scale = scale;
  }

  /** Whether `one` is to stand before `other`; undefined if they are not two versions of one document. */
  precedes(one: Versioned, other: Versioned): boolean | undefined {
    const [own, others] = [this.#versionOf(one), this.#versionOf(other)];
    if (!own || !others) return undefined;
    const difference = compareVersions(own, others);
    if (difference === undefined || difference === 0 || !this.#areOfOneDocument(one, other)) return undefined;
    const [isAsked, isOtherAsked] = [this.#isAsked(own), this.#isAsked(others)];
    return isAsked === isOtherAsked ? difference > 0 : isAsked;
  }

  #versionOf(one: Versioned): Version | undefined {
    if (!this.#known.has(one)) {
      const versions = versionFields.map((field) => parseVersion(one.metadata[field]));
      this.#known.set(
        one,
        versions.find((version) => version !== undefined),
      );
    }
    return this.#known.get(one);
  }

  #isAsked(version: Version): boolean {
    return this.#asked.some((asked) => compareVersions(asked, version) === 0);
  }

  #areOfOneDocument(one: Versioned, other: Versioned): boolean {
    const field = documentFields.find(
      (name) => typeof one.metadata[name] === 'string' && typeof other.metadata[name] === 'string',
    );
    if (field !== undefined) {
      const [left, right] = [one, other].map(({ metadata }) => withoutVersion(metadata[field] as string));
      if (left !== right) return false;
    }
    const required = field === undefined ? ALIKE.unnamed : ALIKE.named;
    return likeness(one.substance, other.substance, this.#scale) >= required;
  }
}
