import { type Problem, counted, waitWords } from '#libs/platform';

const REQUESTS: Readonly<Record<string, string>> = {
  live: 'live request',
  bulk: 'bulk request',
  heavy: 'search request',
};

/**
 * Returns the text of a rejection for people. Rejections by rate limits get words of their own, because the API's text
 * is for programmers, and names headers and rate classes.
 */
export function refusalWords(refusal: Problem): string {
  const { code, message, members, retryAfterSeconds: wait } = refusal;
  const again = wait === undefined ? 'in a moment' : `in ${waitWords(wait)}`;
  if (code === 'rate_limited') {
    const { class: rateClass, limit } = members as { class: string; limit: number };
    const requests = counted(limit, REQUESTS[rateClass] ?? 'request');
    return `Your plan allows ${requests} a minute, which you have used. You can continue ${again}. Nothing was charged.`;
  }
  if (code === 'class_busy') {
    return `Too many requests are running at the moment. Try again ${again}. Nothing was charged.`;
  }
  return message;
}
