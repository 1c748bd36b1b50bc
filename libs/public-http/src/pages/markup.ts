import { escapeHtml } from '#libs/platform';

/** Text that is already HTML. Only the `html` tag and the Markdown renderer create it. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = Markup | Markup[] | string | number | undefined;

/**
 * Creates HTML from a template. Inserted values are escaped, so text from strangers stays text (S66); only other `html`
 * results are inserted unchanged. Undefined values and empty lists insert no text.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  let text = strings[0];
  for (const [index, part] of parts.entries()) text += toText(part) + strings[index + 1];
  return new Markup(text);
}

function toText(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map((item) => item.text).join('');
  return escapeHtml(String(part));
}
