import { expect, it } from '@jest/globals';
import { faultText } from './fault-text.js';
import type { FaultWord } from './try-outcome.js';

/** All fault words; the compiler reports missing ones. */
const CODES: Readonly<Record<FaultWord, RegExp>> = {
  no_public_address: /WORKER_WEBHOOK_EXCEPTIONS/,
  bad_host: /no valid host name/,
  blocked_port: /port 443 only/,
  refused: /refuses connections/,
  reset: /closed the connection/,
  unreachable: /could not be reached/,
  connect_timeout: /within 5 seconds/,
  first_byte_timeout: /within 10 seconds/,
  answer_timeout: /within 10 seconds/,
  tls_failed: /WORKER_EXTRA_CA_FILE/,
  protocol_error: /answer with HTTP/,
  cancelled: /will be repeated/,
  webhook_not_active: /once it is active/,
};

it.each(Object.entries(CODES))('the log explains the fault %s in a sentence', (code, words) => {
  expect(faultText(code)).toMatch(words);
});

it('the log gives the status of an answer, says that redirects are not followed, and does not explain an unknown code', () => {
  expect(faultText('http_500')).toMatch(/ status 500; .* accepts the event\.$/);
  expect(faultText('http_301')).toMatch(/ status 301; .* Redirects are not followed\.$/);
  expect(faultText('constructor')).toBe('The event could not be delivered.');
});
