import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { Semaphore, crashPoint } from '#libs/platform';
import { CallbackOwnersService } from '../callback-owners/callback-owners.service.js';
import type { ProcessorRef, ProcessorSnapshot } from '../processors/payment-processor.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { ObjectTurns } from './object-turns.js';
import { ProcessorObjectsRepository } from './processor-objects.repository.js';
import { SnapshotsService } from './snapshots.service.js';
import { type ObjectRef, WantedObjects } from './wanted-objects.js';

/**
 * `unknown`: the processor gave no answer. `refused`: it knows no such object, or one we cannot read.
 * `foreign`: nothing of ours belongs to it. All are tried again, ever more rarely, and stay visible meanwhile.
 */
export type SyncResult = 'synced' | 'unknown' | 'refused' | 'foreign';

/** Fetches that overtake one another more often than this are left to the next round. */
const RACES_MAX = 5;
/** Kinds of objects that do not change any more once they are paid; what is taken back is objects of its own. */
const SETTLING: readonly ProcessorRef['kind'][] = ['checkout', 'payment', 'bill'];
/** Database connections for fetches; the others are for callbacks and customers, who wait for an answer. */
const TRANSACTIONS_AT_ONCE = 4;

/**
 * Brings our rows to what the processor says now. Whatever the reason (a callback, a return, a look after a
 * silent order), the fetch is the same, so neither order nor repeats of reasons matter (S44, S49).
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

  /** Wants an object fetched, as soon as somebody can. */
  async want(transaction: Transaction, ref: ObjectRef): Promise<void> {
    await this.wanted.wantObject(transaction, ref);
  }

  /**
   * Fetches an object and takes it over. One that is being fetched by this process is waited for: what that fetch settles
   * is not fetched again, such as the checkout of a package that both of its callbacks lead to. Callbacks in several
   * processes share the queue; only a customer's return may fetch what another process is fetching. Then
   * the later of both fetches again: harmless, and cheaper than a lock that holds a connection for the call.
   */
  async sync(ref: ObjectRef): Promise<SyncResult> {
    return this.turns.take(ref, () => this.syncAlone(ref));
  }

  private async syncAlone(ref: ObjectRef): Promise<SyncResult> {
    if (await this.isSettled(ref)) return 'synced';
    const processor = this.processors.get(ref.processor);
    for (let race = 0; race < RACES_MAX; race += 1) {
      const syncNo = await this.objects.readSyncNo(ref);
      const fetched = await processor.fetch({ kind: ref.kind, id: ref.id });
      if (fetched.outcome !== 'done') return fetched.outcome;
      crashPoint('sync.after-fetch');
      await this.prepare(ref, fetched.value);
      const result = await this.write(ref, fetched.value, syncNo);
      if (result === 'overtaken') continue;
      crashPoint('sync.after-commit');
      return result;
    }
    return 'unknown';
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

  private async prepare({ processor }: ObjectRef, snapshot: ProcessorSnapshot): Promise<void> {
    const needed = await this.inTurn((transaction) =>
      this.snapshots.neededBefore(transaction, processor, snapshot),
    );
    if (needed) await this.sync(needed);
  }

  /**
   * Rows are locked in one order everywhere: what is wanted because of an object, the object, then what we
   * own. Two objects of one subscription would lock each other out otherwise.
   */
  private async write(
    ref: ObjectRef,
    snapshot: ProcessorSnapshot,
    syncNo: string,
  ): Promise<SyncResult | 'overtaken'> {
    const { processor } = ref;
    return this.inTurn(async (transaction) => {
      const wanted = await this.snapshots.wantedAfter(transaction, processor, snapshot);
      for (const one of wanted) await this.want(transaction, { processor, ...one });
      if (!(await this.objects.advance(transaction, ref, syncNo))) return 'overtaken';
      const owner = await this.snapshots.apply(transaction, processor, snapshot);
      await this.noteOwner(transaction, ref, owner);
      crashPoint('sync.before-commit');
      return owner === undefined ? 'foreign' : 'synced';
    });
  }

  private inTurn<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.transactions.use(() => this.database.transaction(work));
  }
}
