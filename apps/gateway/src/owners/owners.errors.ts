import { Problem } from '#libs/platform';

const MIB = 1024 * 1024;

/**
 * Thrown if the answer exceeds the operation's size limit. The client's request is the cause, so it counts towards the
 * rate limit, and a retry does not help.
 */
export class AnswerTooLarge extends Problem {
  constructor(limitBytes: number) {
    super({
      code: 'answer_too_large',
      status: 413,
      detail: `The answer is larger than ${limitBytes / MIB} MiB. Request fewer names, or send "Accept: application/x-ndjson". Nothing was charged.`,
      retryable: false,
    });
  }
}
