import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Markup, html, markdown } from '#libs/public-http';

const OPERATOR_TEXTS = ['terms', 'privacy', 'contact'] as const;
export type OperatorText = (typeof OPERATOR_TEXTS)[number];

/** Maximum length of a text in characters. */
const LENGTH_MAX = 200_000;

/** The texts shown if the operator provides none. The path is relative to the compiled file. */
const DEFAULTS = fileURLToPath(new URL('../../../../../docs/texts/', import.meta.url));

/**
 * Reads the texts in Markdown from `terms.md`, `privacy.md` and `contact.md` in the operator's folder. A built-in text
 * replaces a missing file; for `contact.md`, the operator's address does so if it is set. The texts are read once, at
 * startup.
 * @throws if a file cannot be read or is longer than 200,000 characters.
 */
export async function loadOperatorTexts({
  textsFolder: folder,
  contactAddress: address,
}: {
  textsFolder?: string;
  contactAddress?: string;
}): Promise<Readonly<Record<OperatorText, Markup>>> {
  const texts = OPERATOR_TEXTS.map(async (name) => {
    const own = folder && (await textOf(folder, name));
    if (name === 'contact' && !own && address) return [name, addressMarkup(address)] as const;
    return [name, markdown(own ?? (await textOf(DEFAULTS, name)) ?? '')] as const;
  });
  return Object.fromEntries(await Promise.all(texts)) as Record<OperatorText, Markup>;
}

const addressMarkup = (address: string) =>
  html`<p>Write to the operator of this installation: <a href="mailto:${address}">${address}</a></p>
    <p>A reply to any e-mail from this service arrives there, too.</p>`;

/**
 * Reads an operator's text; returns undefined if there is no such file.
 * @throws Error if the text is too long or cannot be read.
 */
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
