import MarkdownIt from 'markdown-it';
import { Markup } from './markup.js';

/** HTML in the text stays text, and a link leads only to http, https, mailto or our own pages. */
const READER = new MarkdownIt({ html: false, linkify: false, typographer: false });

/** Renders a text in Markdown (CommonMark, with tables) as part of a page. */
export function markdown(text: string): Markup {
  return new Markup(READER.render(text));
}

/** Like `markdown`, for one line: without a surrounding paragraph. */
export function markdownLine(text: string): Markup {
  return new Markup(READER.renderInline(text));
}
