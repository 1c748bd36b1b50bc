import { GrantsService } from '../../apps/entitlement/src/grants/grants.service.js';
import { Book } from '../../apps/entitlement/src/ledger/book.js';
import type { CreditAccount } from '../../apps/entitlement/src/ledger/grant-book.js';
import type { Grant } from '../../apps/entitlement/src/ledger/grant.js';
import { LeaseBookingsService } from '../../apps/entitlement/src/leases/lease-bookings.service.js';
import { LeaseReaperService } from '../../apps/entitlement/src/leases/lease-reaper.service.js';
import {
  type Lease,
  type NewLease,
  type RefusedLease,
  leaseReference,
} from '../../apps/entitlement/src/leases/lease.js';
import type {
  LeaseName,
  LeasesRepository,
} from '../../apps/entitlement/src/leases/leases.repository.js';
import { LeasesService } from '../../apps/entitlement/src/leases/leases.service.js';
import type { ReservationsService } from '../../apps/entitlement/src/reservations/reservations.service.js';
import type { UsedCreditsService } from '../../apps/entitlement/src/used-credits/used-credits.service.js';
import type { LeaseUse } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Logger, SystemClock } from '#libs/platform';
import { MemoryDatabase, type MemoryTransaction } from './memory-database.js';
import type { Sabotage } from './sabotage.js';
import type { World } from './world.js';

type LeaseRow = Lease & { expiresAtMs: number; isRecalled: boolean };

/** What one process of the service offers gateways, and does by itself. */
export interface LeaseServices {
  leases: LeasesService;
  bookings: LeaseBookingsService;
  reaper: LeaseReaperService;
}

const clock = new SystemClock();

/**
 * Entitlement's real lease service and book of credits over rows in memory: what stands in for its
 * repositories sends one statement each, under the account's lock, as they do.
 */
export class EntitlementInMemory {
  readonly database: MemoryDatabase;

  constructor(
    world: World,
    private readonly sabotage?: Sabotage,
  ) {
    this.database = new MemoryDatabase(world, []);
  }

  /** Credits of an account, before anything happens. */
  grant(accountId: string, granted: number): void {
    const account: CreditAccount = {
      id: accountId,
      state: 'active',
      available: 0,
      allowanceVersion: 0,
      lastGranted: 0,
    };
    const book = new Book(account, [], [], clock.now());
    book.issue({ sourceType: 'package', sourceId: accountId, sourceIndex: 0, granted });
    this.database.table('accounts').set(accountId, account);
    for (const grant of book.all) this.database.table('grants').set(grant.id, grant);
  }

  /** The service as one process has it. */
  services(): LeaseServices {
    const { port } = this.database;
    const ledger = {
      lockAndRead: async (
        transaction: Transaction,
        ids: string[],
        read: () => Promise<unknown>,
      ) => {
        const sorted = [...new Set(ids)].toSorted();
        const [accounts, found] = await Promise.all([
          lockAccounts(transaction, sorted, this.sabotage !== 'no-account-lock'),
          read(),
        ]);
        return { accounts, found };
      },
      listLiveGrants,
      listGrantsById: async () => [],
      booksOf: (accounts: CreditAccount[], grants: Grant[]) =>
        accounts.map((account) => {
          const own = grants.filter(({ accountId }) => accountId === account.id);
          return new Book({ ...account }, own, [], clock.now());
        }),
      save,
      sumUnbooked,
    };
    const grants = new GrantsService(
      port,
      ledger as never,
      {} as never,
      {} as never,
      {} as never,
      clock,
    );
    const reservations = { sumUnusedOfLeases, recallLeases } as unknown as ReservationsService;
    const repository = new LeasesInMemory(
      this.database,
      this.sabotage === 'no-fence',
    ) as unknown as LeasesRepository;
    const books = [port, ledger as never, grants, repository] as const;
    const bookings = new LeaseBookingsService(
      ...books,
      { add: async () => {} } as unknown as UsedCreditsService,
      new Logger('sim', { write: () => {} }),
    );
    return {
      leases: new LeasesService(...books, reservations, clock),
      bookings,
      reaper: new LeaseReaperService(bookings, repository),
    };
  }

  get leases(): LeaseRow[] {
    return [...this.database.table('leases').values()] as LeaseRow[];
  }

  get grants(): Grant[] {
    return [...this.database.table('grants').values()] as Grant[];
  }
}

const inner = (transaction: Transaction) => transaction as unknown as MemoryTransaction;
const nameOf = ({ accountId, leaseId }: LeaseName) => `${accountId} ${leaseId}`;
const lockOf = (name: LeaseName) => `lease ${nameOf(name)}`;
const copyOf = (lease: LeaseRow): LeaseRow => ({
  ...lease,
  slices: lease.slices.map((slice) => ({ ...slice })),
});

/** Locks of the rows that are there, in the order in which everybody takes them. */
function locksOf(transaction: MemoryTransaction, names: LeaseName[]): string[] {
  const known = names.filter((name) => transaction.get('leases', nameOf(name)) !== undefined);
  return [...new Set(known.map(lockOf))].toSorted();
}

async function lockAccounts(
  transaction: Transaction,
  ids: string[],
  isHeld: boolean,
): Promise<CreditAccount[]> {
  return inner(transaction).lockAnd(isHeld ? ids.map((id) => `account ${id}`) : [], () =>
    ids.map((id) => inner(transaction).get<CreditAccount>('accounts', id) as CreditAccount),
  );
}

async function listLiveGrants(transaction: Transaction, accountIds: string[]): Promise<Grant[]> {
  return inner(transaction).send(() =>
    inner(transaction)
      .list<Grant>('grants')
      .filter(({ accountId }) => accountIds.includes(accountId))
      .map((grant) => ({ ...grant })),
  );
}

/** As the ledger's one statement: differences, and the checks of the table. */
async function save(transaction: Transaction, books: Book[]): Promise<void> {
  const written = books.filter((book) => book.isDirty);
  if (written.length === 0) return;
  await inner(transaction).send(() => {
    for (const book of written) {
      for (const { before, after } of book.changed()) {
        const stored = { ...(inner(transaction).get<Grant>('grants', after.id) as Grant) };
        for (const bucket of ['available', 'reserved', 'consumed'] as const) {
          stored[bucket] += after[bucket] - before[bucket];
          if (stored[bucket] < 0) throw new Error(`buckets_not_negative: ${bucket}`);
        }
        inner(transaction).put('grants', after.id, stored);
      }
      inner(transaction).put('accounts', book.account.id, { ...book.account });
    }
  });
}

async function sumUnusedOfLeases(transaction: Transaction, accountId: string): Promise<number> {
  return inner(transaction).send(() =>
    openLeases(transaction, accountId).reduce((sum, l) => sum + l.amount - l.reported, 0),
  );
}

async function recallLeases(transaction: Transaction, accountId: string): Promise<void> {
  const names = () => openLeases(transaction, accountId).map(lockOf).toSorted();
  await inner(transaction).lockAnd(names, () => {
    for (const lease of openLeases(transaction, accountId)) {
      inner(transaction).put('leases', nameOf(lease), { ...lease, isRecalled: true });
    }
  });
}

function openLeases(transaction: Transaction, accountId: string): LeaseRow[] {
  return inner(transaction)
    .list<LeaseRow>('leases')
    .filter((lease) => lease.accountId === accountId && lease.state === 'open');
}

/** Credits that open leases have reported as used and the book still has as reserved. */
function unbookedOf(leases: LeaseRow[], accountId: string): number {
  return leases
    .filter((lease) => lease.accountId === accountId && lease.state === 'open')
    .reduce((sum, { reported, consumed }) => sum + reported - consumed, 0);
}

async function sumUnbooked(transaction: Transaction, accountId: string): Promise<number> {
  return inner(transaction).send(() => unbookedOf(openLeases(transaction, accountId), accountId));
}

class LeasesInMemory {
  /** @param forgets what was booked of a lease: then totals are no totals any more. */
  constructor(
    private readonly database: MemoryDatabase,
    private readonly forgets: boolean,
  ) {}

  async list(transaction: Transaction, names: LeaseName[]): Promise<Lease[]> {
    const locks = () => locksOf(inner(transaction), names);
    return inner(transaction).lockAnd(locks, () =>
      names
        .map((name) => inner(transaction).get<LeaseRow>('leases', nameOf(name)))
        .filter((row) => row !== undefined)
        .map((row) => {
          const remainingMs = Math.max(0, row.expiresAtMs - inner(transaction).nowMs);
          const { consumed } = this.forgets ? { consumed: 0 } : row;
          return { ...copyOf(row), remainingMs, consumed };
        }),
    );
  }

  async findRefused(transaction: Transaction, name: LeaseName): Promise<RefusedLease | undefined> {
    return inner(transaction).send(() => inner(transaction).get('refused', nameOf(name)));
  }

  async insert(transaction: Transaction, lease: NewLease, ttlMs: number): Promise<void> {
    await inner(transaction).send(() => {
      if (inner(transaction).get('leases', nameOf(lease))) throw new Error('duplicate key');
      const expiresAtMs = inner(transaction).nowMs + ttlMs;
      const id = lease.leaseId;
      const names = { id, reference: leaseReference(id), state: 'open' } as const;
      const unused = {
        reported: 0,
        reportedBy: {},
        bookedBy: {},
        consumed: 0,
        late: 0,
        unbilled: 0,
      };
      const row = { ...lease, ...names, ...unused, expiresAtMs, isRecalled: false };
      inner(transaction).put('leases', nameOf(lease), row);
    });
  }

  async insertRefused(transaction: Transaction, refused: RefusedLease[]): Promise<void> {
    if (refused.length === 0) return;
    await inner(transaction).send(() => {
      for (const one of refused) inner(transaction).put('refused', nameOf(one), one);
    });
  }

  async update(transaction: Transaction, leases: Lease[]): Promise<void> {
    if (leases.length === 0) return;
    await inner(transaction).send(() => {
      for (const lease of leases) {
        const { reported } = inner(transaction).get<LeaseRow>('leases', nameOf(lease)) as LeaseRow;
        const row = { ...copyOf(lease as LeaseRow), reported: Math.max(reported, lease.consumed) };
        inner(transaction).put('leases', nameOf(lease), row);
      }
    });
  }

  async report(uses: LeaseUse[]): Promise<void> {
    const locks = [...new Set(uses.map(lockOf))].toSorted();
    await this.database.transaction(async (transaction) =>
      transaction.lockAnd(locks, () => {
        for (const use of uses) {
          const lease = transaction.get<LeaseRow>('leases', nameOf(use));
          if (lease?.state !== 'open') continue;
          const reported = Math.max(lease.reported, Math.min(use.consumed, lease.amount));
          transaction.put('leases', nameOf(use), { ...lease, reported });
        }
      }),
    );
  }

  async listLate(uses: LeaseUse[]): Promise<LeaseUse[]> {
    return this.read((leases) =>
      uses.filter((use) => {
        const lease = leases.find((row) => nameOf(row) === nameOf(use));
        if (lease?.state !== 'closed') return false;
        return this.forgets || Math.min(use.consumed, lease.amount) > lease.consumed;
      }),
    );
  }

  async readAnswer(gatewayId: string, accountIds: string[]) {
    return this.database.transaction(async (transaction) =>
      transaction.send(() => {
        const grants = transaction.list<Grant>('grants');
        const leases = transaction.list<LeaseRow>('leases');
        const balanceOf = (accountId: string) =>
          grants.reduce(
            (sum, g) => sum + (g.accountId === accountId ? g.available + g.reserved : 0),
            -unbookedOf(leases, accountId),
          );
        const recalled = leases
          .filter((row) => row.gatewayId === gatewayId && row.state === 'open' && row.isRecalled)
          .map(({ leaseId }) => leaseId);
        const balances = Object.fromEntries(accountIds.map((id) => [id, balanceOf(id)]));
        return { recalled, balances };
      }),
    );
  }

  async setAside(use: LeaseUse, reason: string): Promise<never> {
    throw new Error(`nothing is damaged here: ${use.leaseId}: ${reason}`);
  }

  async listAbandoned(graceMs: number): Promise<LeaseUse[]> {
    const endedMs = this.database.world.nowMs - graceMs;
    return this.read((leases) =>
      leases
        .filter((row) => row.state === 'open' && row.expiresAtMs < endedMs)
        .map(({ accountId, leaseId, reported: consumed }) => ({ accountId, leaseId, consumed })),
    );
  }

  private async read<T>(select: (leases: LeaseRow[]) => T): Promise<T> {
    const read = async (transaction: MemoryTransaction) =>
      transaction.send(() => select(transaction.list<LeaseRow>('leases').map(copyOf)));
    return this.database.transaction(read);
  }
}
