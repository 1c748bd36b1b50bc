import type { UsageAnswer } from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { grouped } from '../amounts.js';

// These sizes are in units of the picture, which fills the width of the page.
const HEIGHT = 120;
const BAR_WIDTH = 8;
const STEP = 10;
/** Minimum height of a bar, so that a day with one request stays visible beside a day with a million. */
const LEAST_HEIGHT = 2;

const TITLES = { requests: 'Requests a day', credits: 'Credits used a day' } as const;

export function usageChart(
  { from, to, days }: UsageAnswer,
  figure: keyof typeof TITLES = 'requests',
): Markup {
  const counts = new Map<string, number>();
  for (const day of days) counts.set(day.date, (counts.get(day.date) ?? 0) + day[figure]);
  return barChart(TITLES[figure], { from, to }, counts);
}

/** Draws a bar for each day, which has its value as a title. */
export function barChart(
  title: string,
  { from, to }: { from: string; to: string },
  counts: ReadonlyMap<string, number>,
): Markup {
  const dates = datesOf(from, to);
  const most = Math.max(0, ...counts.values());
  const bars = dates.map((date, index) => {
    const count = counts.get(date) ?? 0;
    const height = count <= 0 ? 0 : Math.max(LEAST_HEIGHT, Math.round((count / most) * HEIGHT));
    return html`<rect
      x="${index * STEP}"
      y="${HEIGHT - height}"
      width="${BAR_WIDTH}"
      height="${height}"
    >
      <title>${date}: ${grouped(count)}</title>
    </rect>`;
  });
  const width = dates.length * STEP;
  return html`<figure class="chart">
    <svg
      viewBox="0 0 ${width} ${HEIGHT}"
      role="img"
      preserveAspectRatio="none"
      aria-label="${title}, ${grouped(most)} at most"
    >
      ${bars}
      <path d="M0 ${HEIGHT}H${width}" />
    </svg>
    <figcaption class="quiet">
      <span class="date">${from}</span>
      <span>${title}, at most ${grouped(most)}</span>
      <span class="date">${to}</span>
    </figcaption>
  </figure>`;
}

export function datesOf(from: string, to: string): string[] {
  const [first, last] = [from, to].map((day) => Date.parse(`${day}T00:00:00Z`));
  const count = (last - first) / DAY_MS + 1;
  return Array.from({ length: count }, (_, index) =>
    new Date(first + index * DAY_MS).toISOString().slice(0, 10),
  );
}
