import { Problem } from '#libs/platform';

const MIB = 1024 * 1024;

/** What was asked for does not fit into one JSON answer: the request's doing, so it counts, and a repeat is no use. */
export class AnswerTooLarge extends Problem {
  constructor(limitBytes: number) {
    super({
      code: 'answer_too_large',
      status: 413,
      detail: `The answer has more than ${limitBytes / MIB} MiB. Ask about fewer names, or with Accept: application/x-ndjson. Nothing was charged.`,
      retryable: false,
    });
  }
}
