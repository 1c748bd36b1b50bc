import MarkdownIt from 'markdown-it';
import { Markup } from './markup.js';

/**
 * Renders HTML in the text as text, and creates no link to `javascript:`, `vbscript:`, `file:` or, except for images,
 * `data:`.
 */
const READER = new MarkdownIt({ html: false, linkify: false, typographer: false });

/** Renders a text in Markdown (CommonMark, with tables) as part of a page. */
export function markdown(text: string): Markup {
  return new Markup(READER.render(text));
}

/** Renders one line like `markdown`, but without a surrounding paragraph. */
export function markdownLine(text: string): Markup {
  return new Markup(READER.renderInline(text));
}
