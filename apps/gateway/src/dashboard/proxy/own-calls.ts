import type { OwnOperations } from '../../owners/own-operations.js';

/** Calls that the gateway itself answers, for the account of a session. */
export class OwnCalls {
  constructor(private readonly own: OwnOperations) {}

  /** @param name of the row. @throws what the answer throws. */
  async answer(
    name: string,
    values: Readonly<Record<string, unknown>>,
    accountId: string,
  ): Promise<object> {
    const answer = this.own.get(name);
    if (!answer) throw new Error(`nobody answers ${name}`);
    return answer(values as never, { account: { id: accountId } });
  }
}
