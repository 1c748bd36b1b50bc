import { type Markup, html } from '#libs/public-http';
import { grouped } from '../amounts.js';
import { shownText } from '../pages/shown-text.js';
import { datesOf } from './usage-chart.js';
import type { Series } from './usage-series.js';

// These sizes are in units of the picture, which fills the width of the page.
const HEIGHT = 120;
const BAR_WIDTH = 8;
const STEP = 10;

/** Draws a bar for each day, stacked by name. Each part has its value as a title. */
export function stackedChart(
  title: string,
  { from, to }: { from: string; to: string },
  all: readonly Series[],
): Markup {
  const dates = datesOf(from, to);
  const totals = dates.map((date) => all.reduce((sum, one) => sum + (one.byDay.get(date) ?? 0), 0));
  const most = Math.max(0, ...totals);
  const width = dates.length * STEP;
  return html`<figure class="chart">
      <svg
        viewBox="0 0 ${width} ${HEIGHT}"
        role="img"
        preserveAspectRatio="none"
        aria-label="${title}, ${grouped(most)} at most"
      >
        ${dates.flatMap((date, index) => bar(date, index * STEP, all, most))}
        <path d="M0 ${HEIGHT}H${width}" />
      </svg>
      <figcaption class="quiet">
        <span class="date">${from}</span>
        <span>${title}, at most ${grouped(most)}</span>
        <span class="date">${to}</span>
      </figcaption>
    </figure>
    <ul class="legend">
      ${all.map(
        ({ name, total }, place) =>
          html`<li>
            <svg class="chart-key" viewBox="0 0 10 10" aria-hidden="true">
              <rect class="series-${place}" width="10" height="10" />
            </svg>
            ${shownText(name)}: ${grouped(total)}
          </li>`,
      )}
    </ul>`;
}

function bar(date: string, x: number, all: readonly Series[], most: number): Markup[] {
  let sum = 0;
  return all.flatMap(({ name, byDay }, place) => {
    const count = byDay.get(date) ?? 0;
    if (count === 0) return [];
    // Both ends are rounded to whole units, so that the parts are stacked without a gap.
    const [top, bottom] = [sum + count, sum].map((value) => Math.round((value / most) * HEIGHT));
    sum += count;
    const rect = html`<rect
      class="series-${place}"
      x="${x}"
      y="${HEIGHT - top}"
      width="${BAR_WIDTH}"
      height="${top - bottom}"
    >
      <title>${date}, ${shownText(name)}: ${grouped(count)}</title>
    </rect>`;
    return [rect];
  });
}
