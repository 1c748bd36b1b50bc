import type { ChosenProcessor, ProcessorAnswer, ProcessorsAnswer } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { choice } from '../choice.js';
import { type PageVisit, isRefused } from '../pages/page-visit.js';

export interface ProcessorChoice {
  offered: ProcessorAnswer[];
  /** The visitor's choice or, without one, the first processor; `stripe` if none is offered. */
  chosen: ChosenProcessor;
}

/**
 * Returns the offered processors, and the chosen one. The list is empty if billing rejects the
 * call.
 * @param wanted the processor named in the URL.
 * @throws the errors of `PageVisit.billing`.
 */
export async function processorChoice(visit: PageVisit, wanted: string): Promise<ProcessorChoice> {
  const answer = await visit.billing({ method: 'GET', path: '/processors' });
  const offered = isRefused(answer) ? [] : (answer.body as ProcessorsAnswer).processors;
  const found = offered.find(({ name }) => name === wanted) ?? offered.at(0);
  return { offered, chosen: found?.name ?? 'stripe' };
}

/**
 * Returns the section in which one of several processors is chosen, with the differences between them; empty if there
 * is no choice.
 */
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
