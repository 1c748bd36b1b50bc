import type { Coverage, LoadedSource } from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { day } from '../amounts.js';
import { shownText } from '../pages/shown-text.js';

const SHOWN_MAX = 12;

export function coverageMarkup(
  { has_data, sources, names_in_tld }: Coverage,
  isEmpty: boolean,
): Markup {
  const known =
    names_in_tld === undefined
      ? undefined
      : html` ${counted(names_in_tld, 'name')} known under its top-level domain.`;
  if (!has_data) return html`${nothingLoaded()}`;
  const further = sources.length - SHOWN_MAX;
  return html`<p class="quiet coverage">
      Based on
      ${
        sources.length === 0
          ? 'sample data'
          : sources
              .slice(0, SHOWN_MAX)
              .map((source, place) => html`${place === 0 ? '' : '; '}${sourceWords(source)}`)
      }${further > 0 ? ` and ${counted(further, 'other source')}` : ''}.${known}
    </p>
    ${isEmpty ? anotherSource() : undefined}`;
}

function sourceWords({ source, since, updated_at, records, is_generated }: LoadedSource): string {
  const words = [
    since && `from ${day(since)}`,
    updated_at && `to ${day(updated_at)}`,
    counted(records, 'row'),
    is_generated && 'sample data',
  ].filter(Boolean);
  const name = source === 'fixtures' ? 'the free samples' : shownText(source);
  return `${name} (${words.join(', ')})`;
}

const SOURCE_LINE = 'npm run cli -- source add NAME --kind KIND --from FOLDER --rights shown';

function nothingLoaded(): Markup {
  return html`<p class="notice note">
      No loaded data could contain an answer, so this result says nothing about the name. The index
      grows with the lookups of this installation and with the sources that its operator loads:
    </p>
    <pre><code>${SOURCE_LINE}</code></pre>`;
}

function anotherSource(): Markup {
  return html`<p class="quiet">
    Other sources may have more data. The operator of this installation can load one with
    <code>${SOURCE_LINE}</code>.
  </p>`;
}
