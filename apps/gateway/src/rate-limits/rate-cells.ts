import { RATE_CLASSES, type RateClass } from '#libs/contracts';

/** The counter's cell of a class: test keys have cells of their own, so they never use up live quota. */
export function rateCell(rateClass: RateClass, isTest: boolean): number {
  return RATE_CLASSES.indexOf(rateClass) + (isTest ? RATE_CLASSES.length : 0);
}
