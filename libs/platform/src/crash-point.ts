/**
 * The points at which a process may be killed in the middle of a handover, with a description of each. `npm run prove`
 * kills a process at each point; a test checks that the code calls exactly these points.
 */
export const CRASH_POINTS = {
  'outbox.after-commit': 'an event is committed, but the relay is not woken yet',
  'relay.after-read': 'rows are read from the outbox, but not sent yet',
  'relay.after-send': 'the broker has the rows, but they are not marked as sent',
  'consumer.before-inbox': 'an event has arrived, but nothing is written',
  'consumer.before-commit': 'the handler has run, but its transaction is open',
  'consumer.after-commit':
    "the handler's transaction is committed, but the event is not acknowledged",
  'failed-event.before-commit': 'an event is stored as failed, but the transaction is open',
  'failed-event-retry.before-commit': 'a failed event is handled, but the transaction is open',
  'command.before-answer': 'a command is committed, but its caller has no answer',
  'deletion.before-commit': 'account, keys and sessions are ended, but the transaction is open',
  'restore.before-commit': 'an account is restored, but the transaction is open',
  'erasure.before-commit': 'a person is erased, but the transaction is open',
  'key-expiry.before-commit': 'a key has expired, but the transaction is open',
  'mail.after-claim': 'an e-mail is claimed, but not delivered',
  'mail.after-send': 'an e-mail is delivered, but not marked as sent',
  'gateway.after-reserve': 'credits are reserved, but lookup was not called',
  'gateway.after-lookup-answer': 'lookup has answered, but the customer has no answer',
  'gateway.after-answer': 'the customer has the answer, but it is not in the journal',
  'gateway.after-settle': 'a settlement is acknowledged, but the gateway has not recorded it',
  'gateway.at-lease-close': 'a close is acknowledged, but the journal still has the lease',
  'gateway.at-replay': 'leases of an earlier run are settled, but none is closed',
  'lookup.before-answer': 'the registry has answered, but the gateway has no answer',
  'lease.before-commit': 'credits are reserved for a lease, but the transaction is open',
  'lease.after-commit': 'a lease is granted, but its gateway has no answer',
  'close.before-commit': 'a lease is settled and closed, but the transaction is open',
  'expiry.before-commit': 'due dates are applied to an account, but the transaction is open',
  'settle.before-commit': 'a settlement is booked, but the transaction is open',
  'settle.after-commit': 'a settlement is committed, but the gateway has no answer',
  'reaper.before-close': 'abandoned leases are found, but none is closed',
  'reaper.after-close': 'abandoned leases are closed, but the round is not over',
  'order.after-commit': 'an order is stored, but the processor was not called',
  'checkout.after-call': 'the processor has created the checkout, but its reference is not stored',
  'callback.after-commit': 'a callback is stored, but the processor has no answer',
  'sync.after-fetch': 'an object is fetched, but nothing is written',
  'sync.before-commit':
    'rows and events of a fetched object are written, but the transaction is open',
  'sync.after-commit': 'a fetched object is stored, but it is still in the queue',
  'healing.after-store': 'an event without a callback is stored, but the poll is not finished',
  'plan-change.after-call':
    'the processor has changed, cancelled or resumed a subscription, but our rows are not updated',
  'resume.after-activation':
    'PayPal has resumed a cancelled subscription, but billing has not read whether it is billed',
  'refund.after-commit': 'a refund is stored, but the processor was not called',
  'refund.after-call': 'the processor has refunded, but our rows are not updated',
  'follow.after-mark': 'a cancellation is recorded, but the processor was not called',
  'follow.after-call': 'the processor has cancelled, but our rows are not updated',
  'import.before-commit': 'a part of an import is written, but the transaction is open',
  'import.after-commit': 'a part of an import is committed, but the next one has not begun',
  'job.after-hold': "the credits for a job are reserved, but the job's row is not updated",
  'chunk.after-claim': 'a chunk is claimed, but none of its names was looked up',
  'chunk.after-answers': 'the names of a chunk are answered, but nothing is stored',
  'chunk.after-write': 'the answers of a chunk are in a file, but its row is not updated',
  'chunk.after-commit': 'a chunk is done, but its names are not charged',
  'chunk.after-settle': 'a chunk is charged, but its row is not updated',
  'job.after-release':
    'the remaining credits of a job are released, but its results are not one file',
  'job.after-join': "the results are one file, but the job's row is not updated",
  'job.before-commit': 'a job is ended with its e-mail and webhooks, but the transaction is open',
  'job.after-commit': 'a job has ended, but its e-mail is not sent',
  'check.after-claim': 'watched names are claimed, but none of them was looked up',
  'check.before-commit': 'the result of a check is announced, but the transaction is open',
  'check.after-commit': 'the result of a check is announced, but the next name is not checked yet',
  'charge.after-hold': 'credits for paid checks are reserved, but none is charged',
  'charge.after-settle': 'paid checks are charged, but their hold is open',
  'charge.after-close': 'paid checks are charged, but their row is not updated',
  'match.before-commit': 'found names are announced, but the transaction is open',
  'match.after-tell':
    'the names found in a page of changes are announced, but the cursor has not moved',
  'file.after-rows': 'some rows are in a file, but others are missing',
  'file.after-write': 'a file is complete, but not published',
  'file.before-commit': 'a file is published, but the transaction is open',
  'file.after-commit': 'a file is published, but its webhooks are not notified',
  'collect.before-commit': 'new names are claimed for a lookup, but the transaction is open',
  'collect.after-commit': 'new names wait for their lookup, but the next page is not read',
  'collect.after-answers': 'names are answered, but still wait for their lookup',
  'delivery.after-send': 'a webhook has received an event, but its delivery is not updated',
  'delivery.before-commit': 'a delivery is recorded, but the transaction is open',
  'delivery.after-commit': 'a delivery is recorded, but the next one is not sent',
} as const;

export type CrashPoint = keyof typeof CRASH_POINTS;

interface ArmedPoint {
  point: CrashPoint;
  passesLeft: number;
}

/**
 * Kills this process (with SIGKILL, so without cleanup) at the n-th pass of the point that `CRASH_AT` names at the
 * start. Without `CRASH_AT`, as always outside the fault tests, this is an empty function.
 */
export const crashPoint: (point: CrashPoint) => void = armedBy(process.env.CRASH_AT);

/**
 * Returns the function that kills the process at the point and the pass that `<point>:<n>` names; without a text, a
 * function that does nothing.
 * @throws Error if the text does not name a point and a pass, so that a typing error cannot be mistaken for survival.
 */
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
    const points = Object.keys(CRASH_POINTS).join(', ');
    throw new Error(`CRASH_AT must be <point>:<n>, where <point> is one of ${points}`);
  }
  return { point: point as CrashPoint, passesLeft: Number(passes) };
}
