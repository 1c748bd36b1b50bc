interface Run<Answer> {
  answer: Promise<Answer>;
  callers: number;
  abandon: AbortController;
  hasEnded: boolean;
}

/** Runs a task once for all callers that request it at the same time. */
export class JoinedRuns<Answer> {
  private readonly underWay = new Map<string, Run<Answer>>();

  has(key: string): boolean {
    return this.underWay.has(key);
  }

  /**
   * Joins the running task of this key, or starts it. All callers get the same answer, which must not be changed. The
   * task is abandoned when the last caller has left.
   *
   * @param start receives the controller that ends the task, and may use it.
   * @throws the error of the task, or the abort reason of `signal`, after which the other callers keep waiting.
   */
  async join(
    key: string,
    signal: AbortSignal | undefined,
    start: (abandon: AbortController) => Promise<Answer>,
  ): Promise<Answer> {
    signal?.throwIfAborted();
    const run = this.underWay.get(key) ?? this.begin(key, start);
    run.callers += 1;
    try {
      return await unlessAborted(run.answer, signal);
    } finally {
      run.callers -= 1;
      // An abort is expensive, so a run that has ended is not aborted.
      if (run.callers === 0 && !run.hasEnded) run.abandon.abort();
    }
  }

  private begin(key: string, start: (abandon: AbortController) => Promise<Answer>): Run<Answer> {
    const abandon = new AbortController();
    const run = { answer: start(abandon), callers: 0, abandon, hasEnded: false };
    this.underWay.set(key, run);
    const forget = () => {
      if (this.underWay.get(key) === run) this.underWay.delete(key);
    };
    // An abandoned run takes a moment to end; a request that arrives in the meantime starts a new run.
    abandon.signal.addEventListener('abort', forget, { once: true });
    const end = () => {
      run.hasEnded = true;
      forget();
    };
    run.answer.then(end, end);
    return run;
  }
}

function unlessAborted<Value>(value: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return value;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([value, promise]).finally(() => signal.removeEventListener('abort', abort));
}
