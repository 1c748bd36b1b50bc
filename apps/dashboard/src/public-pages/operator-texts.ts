import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Markup, markdown } from '#libs/public-http';

/** Pages whose words are the operator's. */
export const OPERATOR_TEXTS = ['terms', 'privacy', 'contact'] as const;
export type OperatorText = (typeof OPERATOR_TEXTS)[number];

/** Longest text, in characters. */
const LENGTH_MAX = 200_000;

/** The text shown until the operator writes his own; its path is seen from the compiled file. */
const DEFAULTS = fileURLToPath(new URL('../../../../../docs/texts/', import.meta.url));

/**
 * Terms, privacy and contact, in Markdown: `terms.md`, `privacy.md` and `contact.md` of the operator's folder, where one
 * is missing ours. Read once, at start.
 * @throws when a file cannot be read or is longer than 200,000 characters.
 */
export async function loadOperatorTexts(
  folder?: string,
): Promise<Readonly<Record<OperatorText, Markup>>> {
  const texts = OPERATOR_TEXTS.map(async (name) => {
    const own = folder && (await textOf(folder, name));
    return [name, markdown(own ?? (await textOf(DEFAULTS, name)) ?? '')] as const;
  });
  return Object.fromEntries(await Promise.all(texts)) as Record<OperatorText, Markup>;
}

/** Undefined where there is no such file. */
async function textOf(folder: string, name: OperatorText): Promise<string | undefined> {
  const path = join(folder, `${name}.md`);
  try {
    const text = await readFile(path, 'utf8');
    if (text.length > LENGTH_MAX)
      throw new Error(`${path} is longer than ${LENGTH_MAX} characters`);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
