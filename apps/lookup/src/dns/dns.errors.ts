import { Problem } from '#libs/platform';
import { CUT_OFF } from '../answers/answers.errors.js';

const RETRY_AFTER_SECONDS = 5;

/** Thrown if no resolver could be queried, or if none could find an answer. */
export class ResolverUnreachable extends Problem {
  /** @param isCutOff whether no upstream at all can be reached. */
  constructor(isCutOff: boolean, retryAfterSeconds = RETRY_AFTER_SECONDS) {
    super({
      code: 'resolver_unreachable',
      status: 503,
      detail: isCutOff
        ? CUT_OFF
        : 'No resolver could get an answer from the name servers of this domain. Nothing was charged.',
      retryAfterSeconds,
    });
  }
}

export class ResolverTimeout extends Problem {
  /** @param isCutOff as in `ResolverUnreachable`. */
  constructor(isCutOff: boolean, retryAfterSeconds = RETRY_AFTER_SECONDS) {
    super({
      code: 'resolver_timeout',
      status: 504,
      detail: isCutOff
        ? CUT_OFF
        : 'The name servers of this domain did not answer in time. Nothing was charged.',
      retryAfterSeconds,
    });
  }
}

/**
 * Thrown for a name that is not in the public DNS. A resolver's answer about such a name would describe the resolver's
 * own network (S123).
 */
export class NameNotPublic extends Problem {
  constructor(name: string) {
    super({
      code: 'name_not_public',
      status: 422,
      detail: `${name} is not under a delegated top-level domain, or is reserved for private networks.`,
    });
  }
}
