import { newestVersion } from '#libs/contracts';
import { type Markup, html } from '../pages/markup.js';
import { type Search, type Typed, askedOf } from './search.js';

/**
 * A search as a line for a shell. Values of parameters are encoded so that none means anything to the shell; a body
 * stands between single quotes.
 */
export function callLine(apiUrl: string, search: Search, typed: Typed): Markup {
  const { row } = search;
  const { path } = row.routes.find(({ version }) => version === newestVersion(row))!;
  const { query, body } = askedOf(search, withExample(search, typed));
  const address = `${apiUrl}${path}${query && `?${query}`}`;
  const json = body && JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  const data = json === undefined ? '' : ` -H "Content-Type: application/json" -d '${json}'`;
  return html`<pre
    data-copy="line"
  ><code>curl -H "Authorization: Bearer $KEY"${data} "${address}"</code></pre>`;
}

/** Before anything is typed, what the row gives as an example. */
function withExample({ row }: Search, typed: Typed): Typed {
  if (Object.keys(typed).length > 0) return typed;
  const [example] = row.examples;
  if (!row.body) return example.parameters;
  return Object.fromEntries(
    Object.entries(row.body.example).map(([name, value]) => [name, [value].flat().join('\n')]),
  );
}
