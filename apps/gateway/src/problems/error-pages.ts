import { readFile, readdir } from 'node:fs/promises';

/** The folder of the pages, seen from the compiled file. */
const FOLDER = new URL('../../../../../docs/errors/', import.meta.url);

/** The page of each error code, as `GET /errors/<code>` serves it. */
export class ErrorPages {
  private constructor(private readonly pages: ReadonlyMap<string, string>) {}

  /** Reads every page once: what is served later never touches the disk. */
  static async load(folder: URL = FOLDER): Promise<ErrorPages> {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.md'));
    const pages = await Promise.all(
      names.map(async (name) => {
        const text = await readFile(new URL(name, folder), 'utf8');
        return [name.slice(0, -'.md'.length), text] as const;
      }),
    );
    return new ErrorPages(new Map(pages));
  }

  /** Markdown, or undefined for a code that does not exist. */
  markdown(code: string): string | undefined {
    return this.pages.get(code);
  }

  /** The same page for a browser. The pages hold headings, paragraphs, lists and code words only. */
  html(code: string): string | undefined {
    const markdown = this.pages.get(code);
    if (markdown === undefined) return undefined;
    const blocks = markdown.trim().split(/\n{2,}/);
    return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${code}</title>\n${blocks.map(htmlOf).join('\n')}\n</html>\n`;
  }

  get codes(): string[] {
    return [...this.pages.keys()];
  }
}

function htmlOf(block: string): string {
  const heading = /^(#{1,3}) (.*)$/s.exec(block);
  if (heading) return `<h${heading[1].length}>${inline(heading[2])}</h${heading[1].length}>`;
  if (block.startsWith('* ')) {
    const items = block.split(/\n(?=\* )/).map((item) => `<li>${inline(item.slice(2))}</li>`);
    return `<ul>${items.join('')}</ul>`;
  }
  return `<p>${inline(block)}</p>`;
}

function inline(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replace(/`([^`]+)`/g, '<code>$1</code>');
}
