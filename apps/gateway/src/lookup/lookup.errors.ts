export class ConnectionEnded extends Error {
  constructor() {
    super('the connection to lookup closed before the answer was complete');
  }
}

export class BrokenAnswer extends Error {
  constructor(what: string) {
    super(`lookup's answer cannot be read: ${what}`);
  }
}

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
