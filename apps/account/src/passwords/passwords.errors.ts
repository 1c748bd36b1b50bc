import { Problem } from '#libs/platform';

export class PasswordQueueFull extends Problem {
  constructor() {
    super({
      code: 'too_busy',
      status: 429,
      detail: 'Too many people are logging in right now. Try again in a moment.',
      retryAfterSeconds: 2,
    });
  }
}
