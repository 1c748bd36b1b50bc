/**
 * The points at which a process may be killed with work half handed over, and a description of each. A kill
 * at each of them is part of `npm run prove`; a test checks that each is called exactly in the stated place.
 */
export const CRASH_POINTS = {
  'outbox.after-commit': 'an event is committed, nobody was told to relay it',
  'relay.after-read': 'rows are read from the outbox, not sent yet',
  'relay.after-send': 'the broker has them, they are not marked as sent',
  'consumer.before-inbox': 'an event has arrived, nothing is written',
  'consumer.before-commit': 'the handler is done, its transaction is open',
  'consumer.after-commit': 'the handler is committed, the broker was not told',
  'failed-event.before-commit': 'an event is put aside, its transaction is open',
  'failed-event-retry.before-commit':
    'an event that was put aside is handled, its transaction is open',
  'command.before-answer': 'a command is committed, its caller has no answer',
  'deletion.before-commit': 'account, keys and sessions are ended, their transaction is open',
  'restore.before-commit': 'an account is restored, its transaction is open',
  'erasure.before-commit': 'a person is erased, the transaction is open',
  'key-expiry.before-commit': 'a key has expired, its transaction is open',
  'mail.after-claim': 'a mail is taken, it is not delivered',
  'mail.after-send': 'a mail is delivered, it is not marked as sent',
  'gateway.after-reserve': 'credits are reserved, lookup was not called',
  'gateway.after-lookup-answer': 'lookup has answered, the customer has nothing',
  'gateway.after-answer': 'the customer has the answer, the journal does not know',
  'gateway.after-settle': 'a settlement is acknowledged, the gateway has not noted it',
  'gateway.at-lease-close': 'a close is acknowledged, the journal still has the lease',
  'gateway.at-replay': 'leases of an earlier life are settled, none is closed',
  'lookup.before-answer': 'the registry has answered, the gateway has nothing',
  'lease.before-commit': 'credits are set aside for a lease, the transaction is open',
  'lease.after-commit': 'a lease is granted, its gateway has no answer',
  'close.before-commit': 'a lease is settled and closed, the transaction is open',
  'expiry.before-commit': 'time is applied to an account, its transaction is open',
  'settle.before-commit': 'a settlement is booked, its transaction is open',
  'settle.after-commit': 'a settlement is committed, the gateway has no answer',
  'reaper.before-close': 'abandoned leases are found, none is closed',
  'reaper.after-close': 'abandoned leases are closed, the round is not over',
  'order.after-commit': 'an order is stored, the processor was not called',
  'checkout.after-call': 'the processor has made the checkout, its reference is not stored',
  'callback.after-commit': 'a callback is stored, the processor has no answer',
  'sync.after-fetch': 'an object is fetched, nothing is written',
  'sync.before-commit': 'rows and events of a fetched object are written, the transaction is open',
  'sync.after-commit': 'a fetched object is taken over, the queue does not know',
  'healing.after-store': 'an event without a callback is stored, and the next poll does not know',
  'plan-change.after-call':
    'the processor has changed, cancelled or resumed a subscription, our rows do not know',
  'refund.after-commit': 'a refund is stored, the processor was not called',
  'refund.after-call': 'the processor has refunded, our rows do not know',
  'follow.after-mark': 'a cancellation is noted, the processor was not called',
  'follow.after-call': 'the processor has cancelled, our rows do not know',
  'import.before-commit': 'a part of an import is written, its transaction is open',
  'import.after-commit': 'a part of an import is committed, the next one is not begun',
  'job.after-hold': 'the credits of a job are set aside, the job does not know',
  'chunk.after-claim': 'a chunk is claimed, none of its names was looked up',
  'chunk.after-answers': 'the names of a chunk are answered, nothing is kept',
  'chunk.after-write': 'the answers of a chunk are in a file, its row does not know',
  'chunk.after-commit': 'a chunk is done, its names are not charged',
  'chunk.after-settle': 'a chunk is charged, its row does not know',
  'job.after-join': 'the results are one file, what is left of the credits is still set aside',
  'job.after-release': 'what is left of the credits is given back, the job does not know',
  'job.before-commit': 'a job is ended with its mail and webhooks, the transaction is open',
  'job.after-commit': 'a job has ended, its mail is not sent',
  'check.after-claim': 'watched names are claimed, none of them was looked up',
  'check.before-commit': 'the finding of a check is announced, its transaction is open',
  'check.after-commit': 'the finding of a check is announced, the next name is not yet checked',
  'charge.after-hold': 'credits for paid checks are set aside, none is charged',
  'charge.after-settle': 'paid checks are charged, their hold is open',
  'charge.after-close': 'paid checks are charged, their row does not know',
  'match.before-commit': 'new names that were found are announced, their transaction is open',
  'match.after-tell':
    'the names found in a page of changes are announced, its reader has not advanced',
  'file.after-rows': 'a stretch of rows is in a file, others are missing',
  'file.after-write': 'a file is whole, nobody can have it',
  'file.before-commit': 'a file is published, its transaction is open',
  'file.after-commit': 'a file is published, its webhooks are not told',
  'collect.before-commit': 'new names are taken for a lookup, the transaction is open',
  'collect.after-commit': 'new names wait for their lookup, the next page is not read',
  'collect.after-answers': 'names are answered and still wait for their lookup',
  'delivery.after-send': 'a webhook has an event, its delivery does not know',
  'delivery.before-commit': 'a delivery is noted, its transaction is open',
  'delivery.after-commit': 'a delivery is noted, the next one is not sent',
} as const;

export type CrashPoint = keyof typeof CRASH_POINTS;

/** A point and the pass at which the process is killed, from `<point>:<n>`. */
interface ArmedPoint {
  point: CrashPoint;
  passesLeft: number;
}

/**
 * Kills this process (SIGKILL, so nothing is tidied up) at the n-th pass of the point that `CRASH_AT`
 * names when it starts. If it is unset, as it always is outside the fault matrix, this is an empty function.
 */
export const crashPoint: (point: CrashPoint) => void = armedBy(process.env.CRASH_AT);

/** @throws if the text names no point or no pass, so that a typing error cannot be mistaken for survival. */
export function armedBy(
  text: string | undefined,
  kill: () => void = () => process.kill(process.pid, 'SIGKILL'),
): (point: CrashPoint) => void {
  if (!text) return () => {};
  const armed = parseCrashAt(text);
  return (point) => {
    if (point === armed.point && --armed.passesLeft === 0) kill();
  };
}

function parseCrashAt(text: string): ArmedPoint {
  const [, point = '', passes = ''] = /^([a-z.-]+):([1-9]\d*)$/.exec(text) ?? [];
  if (!Object.hasOwn(CRASH_POINTS, point)) {
    throw new Error(`CRASH_AT is <point>:<n> with one of ${Object.keys(CRASH_POINTS).join(', ')}`);
  }
  return { point: point as CrashPoint, passesLeft: Number(passes) };
}
