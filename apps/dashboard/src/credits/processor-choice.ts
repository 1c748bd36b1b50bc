import type { ChosenProcessor, ProcessorAnswer, ProcessorsAnswer } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { choice } from '../choice.js';
import { type PageVisit, isRefused } from '../pages/page-visit.js';

/** The choice of a processor among those on offer. */
export interface ProcessorChoice {
  offered: ProcessorAnswer[];
  /** The chosen processor; the first one unless the visitor has chosen another. */
  chosen: ChosenProcessor;
}

/** @param wanted the processor named in the address. */
export async function processorChoice(visit: PageVisit, wanted: string): Promise<ProcessorChoice> {
  const answer = await visit.billing({ method: 'GET', path: '/processors' });
  const offered = isRefused(answer) ? [] : (answer.body as ProcessorsAnswer).processors;
  const found = offered.find(({ name }) => name === wanted) ?? offered.at(0);
  return { offered, chosen: found?.name ?? 'stripe' };
}

/** The section shown if there are several processors: their purpose and differences, before anything is ordered. */
export function processorSection(
  { offered, chosen }: ProcessorChoice,
  addressOf: (processor: ChosenProcessor) => string,
): Markup {
  const answer = offered.find(({ name }) => name === chosen);
  if (offered.length < 2 || !answer) return html``;
  const options = offered.map(({ name, title }) => ({
    text: title,
    href: addressOf(name),
    isCurrent: name === chosen,
  }));
  const { pays_with: paysWith, differences } = answer;
  return html`<div class="paid-by">
    ${choice('Pay with', options)}
    <p class="quiet">${[paysWith, ...differences].join(' ')}</p>
  </div>`;
}
