import type { Dataset, FileFormat, FilesAnswer, OwnFileEntry } from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { grouped } from '../amounts.js';
import { type Notice, type PageContext, page } from '../pages/layout.js';

const DATASETS: Readonly<Record<Dataset, string>> = {
  newly: 'New names',
  dropped: 'Dropped names',
  names: 'All names',
  newly_whois: 'WHOIS of new names',
  updated_whois: 'Changed WHOIS',
  whois: 'All WHOIS',
  newly_whois_cleaned: 'Cleaned WHOIS of new names',
  updated_whois_cleaned: 'Changed cleaned WHOIS',
  whois_cleaned: 'All cleaned WHOIS',
  newly_dns: 'DNS of new names',
  updated_dns: 'Changed DNS',
  dns: 'All DNS',
};
const FORMATS: Readonly<Record<FileFormat, string>> = {
  'csv.gz': 'CSV',
  'json.gz': 'JSON',
  zip: 'ZIP',
};
const KILOBYTE = 1_000;
const MEGABYTE = 1_000_000;

export function filesPage(
  context: PageContext,
  { files, paging }: Pick<FilesAnswer, 'files' | 'paging'>,
  notice?: Notice,
): Markup {
  const days = [...Map.groupBy(files, ({ date }) => date)];
  const next = paging.next_cursor;
  return page(context, {
    title: 'Database files',
    notice,
    body: html`<p>
        Each daily file covers one day (UTC). It is available by 06:00 UTC on the next day and
        updated by 18:00. Full downloads are made once a week. All files are kept for 90 days.
        <a href="/plans">Domainer plans</a> include them.
      </p>
      ${
        files.length > 0 && files.every(({ rows }) => rows === 0)
          ? html`<p>
              These files are empty because nothing was recorded on their days. Newly registered
              names that are added today will be in today’s daily files, and all names in the next
              full download.
            </p>`
          : undefined
      }
      ${days.length === 0 ? html`<p>There are no files yet.</p>` : undefined}
      ${days.map(
        ([date, ofDay]) =>
          html`<section>
            <h2>${date}</h2>
            <ul class="rows">
              ${ofDay.map((file) => row(file))}
            </ul>
          </section>`,
      )}
      ${next ? html`<p><a href="/files?cursor=${encodeURIComponent(next)}">Earlier files</a></p>` : undefined}`,
  });
}

function row(file: OwnFileEntry): Markup {
  const { dataset, rows, gained, lost } = file;
  return html`<li>
    <div>
      <strong>${DATASETS[dataset]}</strong>
      <p class="quiet">
        <span>${counted(rows, 'row')}</span>
        ${
          gained === null || lost === null
            ? undefined
            : html`<span
                >${grouped(gained)} added, ${grouped(lost)} removed since the previous file</span
              >`
        }
      </p>
    </div>
    <div class="actions">${actionsOf(file)}</div>
  </li>`;
}

function actionsOf({ dataset, date, state, artifacts, ...held }: OwnFileEntry): Markup {
  const what = `${DATASETS[dataset]} of ${date}`;
  if (!held.is_included) {
    const wanted = held.plan_dataset.replaceAll('-', ' ');
    return html`<a href="/plans" aria-label="Requires a plan with ${wanted}: ${what}"
      >Requires a plan</a
    >`;
  }
  const address = `/api/files/${dataset}/${date}`;
  if (state === 'withheld') {
    // A request for a withheld file queues a check of that file.
    return html`<a
      class="button plain small"
      href="${address}"
      aria-label="Request the check: ${what}"
      >Withheld: request its check</a
    >`;
  }
  return html`${artifacts.map(({ format, bytes }) => {
    const text = `${FORMATS[format]}, ${sizeText(bytes)}`;
    return html`<a
      class="button small"
      href="${address}?format=${format}"
      aria-label="${text}: ${what}"
      >${text}</a
    >`;
  })}`;
}

function sizeText(bytes: number): string {
  if (bytes >= MEGABYTE / 10) return `${(bytes / MEGABYTE).toFixed(1)} MB`;
  return bytes >= KILOBYTE ? `${Math.round(bytes / KILOBYTE)} kB` : counted(bytes, 'byte');
}
