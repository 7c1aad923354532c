// Felts of drafts and of typed texts, or the first error in them.
import type { Abi } from '../../src/abi.js';
import { type Draft, type Encoded, encodeDraft } from '../../src/draft.js';
import type { Resolve } from '../../src/scalar.js';
import { draftOfText } from '../../src/typed-text.js';

function firstError({ error, parts = [] }: Encoded): string | undefined {
  return error ?? parts.map(firstError).find((message) => message !== undefined);
}

export function feltsOf(type: string, draft: Draft, abi: Abi, resolve?: Resolve) {
  const encoded = encodeDraft(type, draft, abi, resolve);
  return encoded.isWrong ? firstError(encoded) : encoded.felts;
}

export const feltsOfText = (type: string, text: string, abi: Abi) =>
  feltsOf(type, draftOfText(type, text, abi), abi);
