import { closeSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LeaseClient } from '../../apps/gateway/src/lease/lease-client.js';
import { Lease } from '../../apps/gateway/src/lease/lease.js';
import { ReaperRounds } from '../../apps/entitlement/src/reaper/reaper-rounds.js';
import {
  type AcquireLease,
  EntitlementClient,
  type LeaseUse,
  type ServiceCall,
  type ServiceHttp,
} from '#libs/contracts';
import { Logger, Problem, ServiceUnavailable, newId } from '#libs/platform';
import { EntitlementInMemory, type LeaseServices } from './entitlement-in-memory.js';
import { type Sabotage, mendLater } from './sabotage.js';
import type { Scenario } from './scenario.js';
import { Actor, type World } from './world.js';

interface Gateway {
  actor: Actor;
  journalPath: string;
  client?: LeaseClient;
  /** Charges whose journal lines may not be written yet. */
  unwritten: number;
  /** Requests that wait for credits or for their answer. */
  underWay: number;
  /** What an earlier run left in its journal is settled. */
  hasReplayed: boolean;
}

const WORK_MS = 3_000;
const CUT_AT_MS = 2_000;
const CUT_MS = 200_000;
/** The usual interval, only not in the longest histories. */
const SETTLE_MS = 100;
const SETTLE_IN_LONG_CUT_MS = 500;
const REQUESTS_PER_SIZE = 4;
const REQUEST_DEADLINE_MS = 10_000;
const CALL_TIMEOUT_MS = 1_500;
const REAP_MS = 2_000;
const SETTLE_DOWN_MS = 30_000;
/** The reaper's patience, the leases' life and its grace, all three after one another. */
const DRAIN_MS = 400_000;
const silent = new Logger('simulation', { write: () => {} }, 'silent');
const journals = mkdtempSync(join(tmpdir(), 'dds-sim-'));
process.on('exit', () => rmSync(journals, { recursive: true, force: true }));

/**
 * Requests at two gateways with journals, against one entitlement. Nobody is charged for what was not
 * answered, nothing is sold twice, and what a kill costs is what it had not written down.
 */
export class CreditsScenario implements Scenario {
  private readonly accounts: { id: string; granted: number }[];
  private readonly store: EntitlementInMemory;
  private readonly entitlement: Actor;
  private readonly gateways: Gateway[];
  private readonly delivered = new Map<string, number>();
  private services!: LeaseServices;
  private lost = 0;
  /** A gateway is cut off from entitlement until its leases are taken from it. */
  private readonly isCutLong: boolean;

  constructor(
    private readonly world: World,
    private readonly size: number,
    private readonly sabotage: Sabotage | undefined,
  ) {
    const { random } = world;
    this.store = new EntitlementInMemory(world, sabotage);
    this.accounts = Array.from({ length: 2 }, () => ({
      id: newId(),
      granted: random.between(20, 900),
    }));
    for (const { id, granted } of this.accounts) this.store.grant(id, granted);
    this.entitlement = new Actor('entitlement', () => this.bootEntitlement());
    this.gateways = ['gateway-1', 'gateway-2'].map((name) => {
      const gateway: Gateway = {
        actor: new Actor(name, () => this.bootGateway(gateway)),
        journalPath: join(journals, name),
        unwritten: 0,
        underWay: 0,
        hasReplayed: false,
      };
      rmSync(gateway.journalPath, { force: true });
      rmSync(`${gateway.journalPath}.earlier`, { force: true });
      return gateway;
    });
    this.isCutLong = world.strikes('partition', 0.06);
    world.whenDead((actor) => this.died(actor));
    if (sabotage === 'no-lease-end') spendPastTheEnd();
  }

  async run(): Promise<void> {
    const { world } = this;
    world.start(this.entitlement);
    for (const { actor } of this.gateways) world.start(actor);
    if (this.isCutLong) {
      world.at(CUT_AT_MS, undefined, () => world.cut('gateway-1', 'entitlement', CUT_MS));
    } else if (world.strikes('partition', 0.5)) {
      const forMs = world.random.between(100, 5_000);
      world.at(WORK_MS / 3, undefined, () => world.cut('gateway-2', 'entitlement', forMs));
    }
    const spanMs = this.isCutLong ? CUT_MS : WORK_MS;
    for (let i = 0; i < this.size * REQUESTS_PER_SIZE; i++) this.planRequest(spanMs);
    await world.run(spanMs);
    world.heal();
    // Whoever died is back, and what is under way has ended.
    await world.run(SETTLE_DOWN_MS, () => this.isQuiet);
    let drained = 0;
    for (const { actor, client } of this.gateways) {
      world.at(0, actor, () => void client?.drain(DRAIN_MS / 2).then(() => drained++));
    }
    const isClosed = await world.run(
      DRAIN_MS,
      () =>
        drained === this.gateways.length &&
        this.store.leases.every(({ state }) => state === 'closed'),
    );
    if (!isClosed) world.violate('a lease stays open');
    for (const gateway of this.gateways) closeJournal(gateway);
    this.judge();
  }

  private get isQuiet(): boolean {
    const { nowMs } = this.world;
    const actors = [this.entitlement, ...this.gateways.map(({ actor }) => actor)];
    const areAwake = actors.every(({ isUp, pausedUntilMs }) => isUp && pausedUntilMs <= nowMs);
    return (
      areAwake && this.gateways.every(({ underWay, hasReplayed }) => underWay === 0 && hasReplayed)
    );
  }

  private bootEntitlement(): void {
    this.services = this.store.services();
    const rounds = new ReaperRounds();
    const { reaper } = this.services;
    setInterval(() => {
      if (rounds.next(performance.now()) === 'may reap') void reaper.reap().catch(() => {});
    }, REAP_MS);
  }

  private bootGateway(gateway: Gateway): void {
    if (this.sabotage === 'no-journal') {
      rmSync(gateway.journalPath, { force: true });
      rmSync(`${gateway.journalPath}.earlier`, { force: true });
    }
    const http = {
      call: async (_method: string, path: string, call: ServiceCall) =>
        this.world.call(this.entitlement, async () => this.answer(path, call), {
          timeoutMs: CALL_TIMEOUT_MS,
          unavailable: () => new ServiceUnavailable('entitlement'),
        }),
    };
    gateway.unwritten = 0;
    gateway.client = new LeaseClient({
      client: new EntitlementClient(http as unknown as ServiceHttp),
      logger: silent,
      journalPath: gateway.journalPath,
      requestDeadlineMs: REQUEST_DEADLINE_MS,
      settleIntervalMs: this.isCutLong ? SETTLE_IN_LONG_CUT_MS : SETTLE_MS,
    });
    gateway.client.start();
    gateway.hasReplayed = false;
    void gateway.client.replayed.then(() => (gateway.hasReplayed = true));
  }

  private died(actor: Actor): void {
    const gateway = this.gateways.find((one) => one.actor === actor);
    if (!gateway) return;
    this.lost += gateway.unwritten;
    gateway.unwritten = 0;
    gateway.underWay = 0;
    closeJournal(gateway);
  }

  /** The internal routes of leases. */
  private async answer(path: string, { accountId = '', body }: ServiceCall): Promise<unknown> {
    const { leases: service, bookings } = this.services;
    const heard = JSON.parse(JSON.stringify(body)) as never;
    switch (path) {
      case '/internal/leases':
        return service.acquire({ accountId, ...(heard as Omit<AcquireLease, 'accountId'>) });
      case '/internal/leases/settle': {
        const { gatewayId, leases } = heard as { gatewayId: string; leases: LeaseUse[] };
        const uses = leases.filter((use) => this.isHeard(use));
        const { answer, late } = await service.settle(gatewayId, uses);
        await bookings.book('settle', late);
        return answer;
      }
      case '/internal/leases/close': {
        const { leases } = heard as { leases: LeaseUse[] };
        const uses = leases.filter((use) => this.isHeard(use));
        return bookings.book('close', uses);
      }
      default:
        throw new Error(`the simulation does not know ${path}`);
    }
  }

  private isHeard({ leaseId }: LeaseUse): boolean {
    if (this.sabotage !== 'no-late-debit') return true;
    return this.store.leases.find((lease) => lease.leaseId === leaseId)?.state !== 'closed';
  }

  private planRequest(spanMs: number): void {
    const { world } = this;
    const { random } = world;
    const gateway = random.pick(this.gateways);
    const { id } = random.pick(this.accounts);
    const cost = random.between(1, 20);
    const charged = random.chance(0.8) ? cost : 0;
    const answerMs = random.chance(0.1) ? random.between(1_000, 9_000) : random.between(1, 200);
    // Half of them when a long cut begins.
    const atMs = random.next() * (random.chance(0.5) ? Math.min(spanMs, 2 * CUT_AT_MS) : spanMs);
    world.at(atMs, undefined, () => {
      if (gateway.actor.isUp) world.at(0, gateway.actor, () => void ask());
    });
    const ask = async () => {
      const { client, actor } = gateway;
      if (!client) return;
      gateway.underWay++;
      const lease = await client.reserve(id, cost, performance.now());
      if (lease instanceof Problem) {
        gateway.underWay--;
        return this.judgeRefusal(lease, id, cost);
      }
      world.at(answerMs, actor, () => {
        client.finish(lease, cost, charged);
        gateway.underWay--;
        this.delivered.set(id, (this.delivered.get(id) ?? 0) + charged);
        this.judgeAnswer(lease);
        gateway.unwritten += charged;
        // Two steps later at the earliest, so certainly after the journal's own.
        world.at(0.01, actor, () => world.at(1, actor, () => (gateway.unwritten -= charged)));
      });
    };
  }

  private judgeRefusal({ status }: Problem, accountId: string, cost: number): void {
    if (status !== 402) return;
    const held = this.grantsOf(accountId).reduce((sum, g) => sum + g.available + g.reserved, 0);
    // What is used but not booked yet is still reserved.
    const unbooked = this.store.leases
      .filter((lease) => lease.accountId === accountId && lease.state === 'open')
      .reduce((sum, { reported, consumed }) => sum + reported - consumed, 0);
    if (held - unbooked >= cost) this.world.violate('402 although there are credits');
  }

  /** An answer is given only while its credits are set aside for it. */
  private judgeAnswer({ id, consumed }: Lease): void {
    const row = this.store.leases.find(({ leaseId }) => leaseId === id);
    if (row?.state !== 'open' || row.amount < consumed) {
      this.world.violate('an answer from credits that are not set aside any more');
    }
  }

  private judge(): void {
    const { world } = this;
    let missing = 0;
    for (const { id, granted } of this.accounts) {
      const grants = this.grantsOf(id);
      const sum = (bucket: 'available' | 'reserved' | 'consumed') =>
        grants.reduce((total, grant) => total + grant[bucket], 0);
      const delivered = this.delivered.get(id) ?? 0;
      if (sum('available') + sum('reserved') + sum('consumed') !== granted) {
        world.violate('credits appeared or vanished');
      }
      if (sum('reserved') !== 0) world.violate('credits are stranded');
      if (sum('consumed') > delivered) world.violate('charged for what was not answered');
      missing += delivered - sum('consumed');
    }
    const unbilled = this.store.leases.reduce((total, lease) => total + lease.unbilled, 0);
    if (unbilled > 0 && !this.isCutLong) world.violate('unbilled without a long cut');
    if (missing > this.lost + unbilled) {
      world.violate(`${missing} credits are missing, kills explain ${this.lost + unbilled}`);
    }
  }

  private grantsOf(accountId: string) {
    return this.store.grants.filter((grant) => grant.accountId === accountId);
  }
}

/** A process that ends lets go of its files; here it is ours to do. */
function closeJournal({ client }: Gateway): void {
  const journal = client?.['journal'];
  if (journal?.['file'] === undefined) return;
  closeSync(journal['file']);
  journal['file'] = undefined;
}

function spendPastTheEnd(): void {
  const { hasRoomFor } = Lease.prototype;
  Lease.prototype.hasRoomFor = function (this: Lease, cost: number) {
    return !this.isClosing && this.amount - this.consumed - this.reserved >= cost;
  };
  const closeExpired = LeaseClient.prototype['closeExpired'];
  LeaseClient.prototype['closeExpired'] = () => {};
  mendLater(() => {
    Lease.prototype.hasRoomFor = hasRoomFor;
    LeaseClient.prototype['closeExpired'] = closeExpired;
  });
}
