import { Problem } from '#libs/platform';

/** Thrown if the log-in that began in this browser is complete, took too long, or had too many wrong codes. */
export class LogInOver extends Problem {
  constructor() {
    super({
      code: 'log_in_over',
      status: 410,
      detail: 'This log-in took too long or failed too often. Start again.',
    });
  }
}
