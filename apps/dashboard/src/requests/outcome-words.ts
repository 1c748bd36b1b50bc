/** Texts for outcomes whose internal names customers would not understand. */
const WORDS: Readonly<Record<string, string>> = {
  restricted: 'cannot be registered by everyone',
  empty: 'nothing found',
  throttled: 'registry too busy',
  unreachable: 'no source reachable',
  parse_failed: 'answer not readable',
  broken_off: 'answer broken off',
  client_gone: 'you closed the connection',
};

/** Returns the outcome of a request (for a rejected request, its error code) in words. */
export const outcomeWords = (outcome: string) => WORDS[outcome] ?? outcome.replaceAll('_', ' ');
