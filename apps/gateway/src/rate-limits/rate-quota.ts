import { RATE_CLASSES, type RateClass } from '#libs/contracts';

/** The counter's quota of a class: test keys have quotas of their own, so they never use up a live one. */
export function rateQuota(rateClass: RateClass, isTest: boolean): number {
  return RATE_CLASSES.indexOf(rateClass) + (isTest ? RATE_CLASSES.length : 0);
}
