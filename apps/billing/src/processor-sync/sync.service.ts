import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { Semaphore, crashPoint } from '#libs/platform';
import { CallbackOwnersService } from '../callback-owners/callback-owners.service.js';
import type {
  CallResult,
  ProcessorRef,
  ProcessorSnapshot,
} from '../processors/payment-processor.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { ObjectTurns } from './object-turns.js';
import { ProcessorObjectsRepository } from './processor-objects.repository.js';
import { SnapshotsService } from './snapshots.service.js';
import { type ObjectRef, WantedObjects } from './wanted-objects.js';

/**
 * `unknown`: the processor gave no answer, or other fetches kept overtaking this one. `refused`: the processor has no
 * such object or is no longer configured, or we cannot read the object. `foreign`: the object is not ours, or cannot be
 * stored yet. The queue retries all three with growing delays and keeps them visible in the meantime.
 */
export type SyncResult = 'synced' | 'unknown' | 'refused' | 'foreign';

export interface Synced {
  result: SyncResult;
  /** What the processor answered in place of the object, for the operator. */
  answer?: string;
}

/**
 * Maximum number of fetches in one call of `sync`, each made because another process had overtaken the previous fetch.
 */
const RACES_MAX = 5;
/** The kinds of objects that do not change once they are paid; refunds and disputes are separate objects. */
const SETTLING: readonly ProcessorRef['kind'][] = ['checkout', 'payment', 'bill'];
/**
 * Maximum number of transactions that fetches may use at a time. The other database connections are for callbacks and
 * customers, who wait for an answer.
 */
const TRANSACTIONS_AT_ONCE = 4;

/**
 * Updates our rows to the processor's current state. A fetch has the same result whatever caused it (a callback, a
 * customer's return, or polling), so callbacks may be repeated and arrive in any order (S44, S49).
 */
@Injectable()
export class SyncService {
  private readonly transactions = new Semaphore(TRANSACTIONS_AT_ONCE);
  private readonly turns = new ObjectTurns();

  constructor(
    private readonly database: Database,
    private readonly objects: ProcessorObjectsRepository,
    private readonly wanted: WantedObjects,
    private readonly owners: CallbackOwnersService,
    private readonly processors: PaymentProcessors,
    private readonly snapshots: SnapshotsService,
  ) {}

  /** Schedules the fetch of an object, as soon as possible. */
  async want(transaction: Transaction, ref: ObjectRef): Promise<void> {
    await this.wanted.wantObject(transaction, ref);
  }

  /**
   * Fetches an object and applies the result. Waits while this process is already fetching the object. Fetches nothing
   * if the object's payment is stored by then: both callbacks of a package lead to the same checkout. All processes
   * share the queue of fetches, but a customer's request may fetch an object that another process is fetching. The
   * later of the two then fetches again, which is harmless and cheaper than a lock that holds a connection during the
   * call.
   */
  async sync(ref: ObjectRef): Promise<SyncResult> {
    return (await this.syncTold(ref)).result;
  }

  /** Works like `sync`, and also returns what the processor answered. */
  async syncTold(ref: ObjectRef): Promise<Synced> {
    return this.turns.take(ref, () => this.syncAlone(ref));
  }

  /**
   * @param before the paid bill for which this object is fetched first; storing the object does not schedule the bill
   *   again.
   */
  private async syncAlone(ref: ObjectRef, before?: ObjectRef): Promise<Synced> {
    if (await this.isSettled(ref)) return { result: 'synced' };
    const processor = this.processors.find(ref.processor);
    if (!processor) return { result: 'refused', answer: 'it is not configured here' };
    for (let race = 0; race < RACES_MAX; race += 1) {
      const syncNo = await this.objects.readSyncNo(ref);
      const fetched = await processor.fetch({ kind: ref.kind, id: ref.id });
      if (fetched.outcome !== 'done') {
        return { result: fetched.outcome, answer: answerOf(fetched) };
      }
      crashPoint('sync.after-fetch');
      const needed = await this.prepare(ref, fetched.value);
      // Without its dispute, which may not be stored yet, the money of a refund would count twice.
      if (ref.kind === 'refund' && needed?.result === 'unknown') return needed;
      const result = await this.write(ref, fetched.value, { syncNo, before });
      if (result === 'overtaken') continue;
      crashPoint('sync.after-commit');
      return { result };
    }
    return { result: 'unknown' };
  }

  private async isSettled(ref: ObjectRef): Promise<boolean> {
    if (!SETTLING.includes(ref.kind)) return false;
    return this.inTurn(async (transaction) => {
      const owner = await this.snapshots.ownerOfSettled(transaction, ref.processor, ref);
      await this.noteOwner(transaction, ref, owner);
      return owner !== undefined;
    });
  }

  private async noteOwner(
    transaction: Transaction,
    { processor, id: externalId }: ObjectRef,
    accountId: string | undefined,
  ): Promise<void> {
    if (accountId === undefined) return;
    await this.owners.set(transaction, { processor, externalId }, accountId);
  }

  /** Fetches what must be stored before a snapshot. @returns how that ended; undefined if nothing must be. */
  private async prepare(ref: ObjectRef, snapshot: ProcessorSnapshot): Promise<Synced | undefined> {
    const needed = await this.inTurn((transaction) =>
      this.snapshots.neededBefore(transaction, ref.processor, snapshot),
    );
    if (!needed) return undefined;
    const before = snapshot.kind === 'bill' && snapshot.state === 'paid' ? ref : undefined;
    return this.turns.take(needed, () => this.syncAlone(needed, before));
  }

  /**
   * Stores a snapshot, unless the object was fetched again in the meantime. Rows are locked in the same order
   * everywhere: first the objects whose fetch a snapshot schedules, then the snapshot's object, then our own rows.
   * Otherwise, two objects of one subscription could deadlock.
   */
  private async write(
    ref: ObjectRef,
    snapshot: ProcessorSnapshot,
    { syncNo, before }: { syncNo: string; before?: ObjectRef },
  ): Promise<SyncResult | 'overtaken'> {
    const { processor } = ref;
    return this.inTurn(async (transaction) => {
      const wanted = await this.snapshots.wantedAfter(transaction, processor, snapshot);
      // Otherwise, a bill that cannot be read would be fetched again and again, without a pause.
      const others = wanted.filter(({ kind, id }) => kind !== before?.kind || id !== before.id);
      for (const one of others) await this.want(transaction, { processor, ...one });
      const begun = this.snapshots.begunBy(processor, snapshot);
      if (begun) await this.wanted.wantObjectAt(transaction, { processor, ...begun.ref }, begun.at);
      if (!(await this.objects.advance(transaction, ref, syncNo))) return 'overtaken';
      const { owner, lookAgainAt } = await this.snapshots.apply(transaction, processor, snapshot);
      if (lookAgainAt) await this.wanted.wantObjectAt(transaction, ref, lookAgainAt);
      await this.noteOwner(transaction, ref, owner);
      crashPoint('sync.before-commit');
      return owner === undefined ? 'foreign' : 'synced';
    });
  }

  private inTurn<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.transactions.use(() => this.database.transaction(work));
  }
}

/** Returns the answer in readable form: the processor's code or status, and its words. */
function answerOf(end: Exclude<CallResult<unknown>, { outcome: 'done' }>): string {
  if (end.outcome === 'refused') return `${end.code}: ${end.message}`;
  const { status, statusCode = status, message } = (end.cause ?? {}) as Record<string, unknown>;
  return [statusCode, message ?? end.cause].filter((part) => part !== undefined).join(': ');
}
