/** The connection to lookup was closed before the answer was whole. */
export class ConnectionEnded extends Error {
  constructor() {
    super('lookup closed the connection before its answer was whole');
  }
}

/** The bytes on the connection are no answer of lookup. */
export class BrokenAnswer extends Error {
  constructor(what: string) {
    super(`lookup's answer cannot be read: ${what}`);
  }
}

/** Lookup took longer than it may. */
export class AnswerLate extends Error {
  constructor() {
    super('lookup did not answer in time');
  }
}

export class ConnectTimeout extends Error {
  constructor() {
    super('lookup took no connection in time');
  }
}
