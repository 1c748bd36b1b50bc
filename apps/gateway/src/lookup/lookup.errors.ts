/** Thrown if the connection to lookup was closed before the answer was complete. */
export class ConnectionEnded extends Error {
  constructor() {
    super('the connection to lookup closed before the answer was complete');
  }
}

/** Thrown if the bytes on the connection are not a valid answer from lookup. */
export class BrokenAnswer extends Error {
  constructor(what: string) {
    super(`lookup's answer cannot be read: ${what}`);
  }
}

/** Thrown if lookup exceeded its time limit. */
export class AnswerLate extends Error {
  constructor() {
    super('lookup did not answer in time');
  }
}

export class ConnectTimeout extends Error {
  constructor() {
    super('lookup did not accept a connection in time');
  }
}
