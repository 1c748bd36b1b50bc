import { readFile, readdir } from 'node:fs/promises';
import { html, markdown } from '#libs/public-http';
import { apiPage } from './api-page.js';

const FOLDER = new URL('../../../../../docs/errors/', import.meta.url);

/** The page of each error code (`GET /errors/<code>`), and the list of all codes (`/errors`). */
export class ErrorPages {
  /** The lists by the dashboard's origin. */
  private readonly lists = new Map<string, string>();

  private constructor(private readonly pages: ReadonlyMap<string, string>) {}

  /** Reads every page once, so that serving pages needs no disk access. */
  static async load(folder: URL = FOLDER): Promise<ErrorPages> {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.md'));
    const pages = await Promise.all(
      names.map(async (name) => {
        const text = await readFile(new URL(name, folder), 'utf8');
        return [name.slice(0, -'.md'.length), text] as const;
      }),
    );
    return new ErrorPages(new Map(pages.toSorted(([a], [b]) => (a < b ? -1 : 1))));
  }

  /** Returns a code's page in Markdown; undefined for an unknown code. */
  markdown(code: string): string | undefined {
    return this.pages.get(code);
  }

  /** Returns a code's page in HTML; undefined for an unknown code. */
  html(code: string, dashboardUrl: string): string | undefined {
    const text = this.pages.get(code);
    if (text === undefined) return undefined;
    const { title, rest } = headed(text);
    return apiPage(dashboardUrl, title, html`<section>${markdown(rest)}</section>`);
  }

  /** Returns the list of all codes with their titles, in HTML. It is rendered once, because anyone may ask for it. */
  list(dashboardUrl: string): string {
    const known = this.lists.get(dashboardUrl) ?? this.listOf(dashboardUrl);
    this.lists.set(dashboardUrl, known);
    return known;
  }

  private listOf(dashboardUrl: string): string {
    const lines = [...this.pages].map(
      ([code, text]) =>
        html`<div>
          <dt><a href="/errors/${code}">${code}</a></dt>
          <dd>${headed(text).title}</dd>
        </div>`,
    );
    return apiPage(
      dashboardUrl,
      'Errors',
      html`<section>
        <dl class="facts">${lines}</dl>
      </section>`,
    );
  }

  get codes(): string[] {
    return [...this.pages.keys()];
  }
}

function headed(text: string): { title: string; rest: string } {
  const [, title, rest] = /^# (.*)\n([\s\S]*)$/.exec(text)!;
  return { title, rest };
}
