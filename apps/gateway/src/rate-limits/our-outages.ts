/** The codes of 503 rejections whose cause is an unavailable or overloaded service of ours. */
export const OUR_OUTAGES: ReadonlySet<string> = new Set([
  'class_busy',
  'lookup_overloaded',
  'service_overloaded',
  'service_unavailable',
]);

/** Whether our own outage caused a rejection with this code, so that it does not count towards the rate limit. */
export const isOurOutage = (code: string): boolean => OUR_OUTAGES.has(code);
