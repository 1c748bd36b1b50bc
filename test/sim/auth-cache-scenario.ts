import { setTimeout as sleep } from 'node:timers/promises';
import { ChangePollers } from '../../apps/gateway/src/auth-cache/change-pollers.js';
import { AuthCache } from '../../apps/gateway/src/auth-cache/auth-cache.js';
import {
  type AccountClient,
  type Allowance,
  type ChangeCursor,
  type ChangePage,
  type EntitlementClient,
  type KeyRecord,
  generateApiKey,
} from '#libs/contracts';
import { Logger, Problem, ServiceUnavailable, SystemClock, newId } from '#libs/platform';
import { type Sabotage, mendLater } from './sabotage.js';
import type { Scenario } from './scenario.js';
import { Actor, type World } from './world.js';

/** An owner of records: a version of each account, and the order in which they changed. */
interface Owner {
  actor: Actor;
  changedAtMs: number[];
  feed: string[];
}

const WORK_MS = 100_000;
const BURST_MS = 3_000;
const CUT_MS = 80_000;
const CALL_TIMEOUT_MS = 1_500;
const QUESTIONS_PER_SIZE = 8;
/** Records may serve for a minute after the feeds fall silent; what was loaded just now is used once more. */
const STALE_MAX_MS = 65_000;
/** With feeds that answer at once: a poll a second. */
const STALE_IN_CALM_MAX_MS = 1_500;
const PEPPER = 'a pepper of the simulation';
const silent = new Logger('simulation', { write: () => {} }, 'silent');

/**
 * What a gateway caches of one account whose owners change them, told by events that may not come and by
 * change feeds that may be cut off. No answer rests on records that were replaced too long ago.
 */
export class AuthCacheScenario implements Scenario {
  private readonly accountId = newId();
  private readonly apiKey = generateApiKey('live');
  private readonly owners: Record<'account' | 'entitlement', Owner>;
  private readonly gateway: Actor;
  private authCache!: AuthCache;
  private readonly isCalm: boolean;

  constructor(
    private readonly world: World,
    private readonly size: number,
    private readonly sabotage: Sabotage | undefined,
  ) {
    const owner = (name: string): Owner => ({
      actor: new Actor(name, () => {}),
      changedAtMs: [0],
      feed: [],
    });
    this.owners = { account: owner('account'), entitlement: owner('entitlement') };
    this.gateway = new Actor('gateway', () => this.bootGateway());
    const rough = ['crash', 'pause', 'delay', 'lose', 'partition'] as const;
    this.isCalm = !rough.some((fault) => world.has(fault));
    if (sabotage === 'no-overtaking') keepWhatIsOvertaken();
  }

  async run(): Promise<void> {
    const { world } = this;
    const { random } = world;
    for (const { actor } of Object.values(this.owners)) world.start(actor);
    world.start(this.gateway);
    // Close together, so that loads and news meet.
    const burstMs = random.next() * 20_000;
    const inBurst = () => burstMs + random.next() * BURST_MS;
    for (let i = 0; i < this.size; i++) {
      const owner = random.pick(Object.values(this.owners));
      world.at(inBurst(), undefined, () => this.change(owner));
    }
    for (let i = 0; i < this.size * QUESTIONS_PER_SIZE; i++) {
      const atMs = random.chance(0.5) ? inBurst() : random.next() * WORK_MS;
      world.at(atMs, undefined, () => {
        if (this.gateway.isUp) world.at(0, this.gateway, () => void this.ask());
      });
    }
    if (world.strikes('partition', 0.5)) {
      const from = random.pick(['account', 'entitlement']);
      const forMs = random.pick([random.between(100, 10_000), CUT_MS]);
      world.at(inBurst(), undefined, () => world.cut('gateway', from, forMs));
    }
    await world.run(WORK_MS);
  }

  private bootGateway(): void {
    const { account, entitlement } = this.owners;
    this.authCache = new AuthCache({
      account: {
        findKey: async () => this.askOwner(account, () => this.keyRecord()),
      } as unknown as AccountClient,
      entitlement: {
        allowance: async () => this.askOwner(entitlement, () => this.allowance()),
      } as unknown as EntitlementClient,
      clock: new SystemClock(),
      keyPepper: PEPPER,
    });
    if (this.sabotage === 'no-grace') {
      this.authCache.trustUntil(Infinity);
      this.authCache.trustUntil = () => {};
    }
    const sources = Object.entries(this.owners).map(([name, owner]) => ({
      name,
      changes: async (cursor?: ChangeCursor) => this.askOwner(owner, () => pageOf(owner, cursor)),
    }));
    void new ChangePollers({ authCache: this.authCache, sources, logger: silent }).start();
  }

  private async askOwner<T>(owner: Owner, read: () => T): Promise<T> {
    const { world } = this;
    const answer = async () => {
      const known = await world.reach(read);
      // What was read may be old when it leaves.
      if (world.strikes('delay', 0.2)) await sleep(world.random.between(200, 1_200));
      return known;
    };
    return world.call(owner.actor, answer, {
      timeoutMs: CALL_TIMEOUT_MS,
      unavailable: () => new ServiceUnavailable(owner.actor.name),
    });
  }

  /** Commits a change; the event that tells of it may be lost, as the gateway has no inbox. */
  private change(owner: Owner): void {
    const { world, gateway } = this;
    owner.changedAtMs.push(world.nowMs);
    owner.feed.push(this.accountId);
    if (world.random.chance(0.5) || world.isCut('gateway', owner.actor.name)) return;
    world.at(world.travelMs() * 100, gateway, () => this.authCache.drop(this.accountId));
  }

  private async ask(): Promise<void> {
    const entry =
      this.authCache.find(this.apiKey, performance.now()) ??
      (await this.authCache.load(this.apiKey));
    if (entry instanceof Problem) return;
    this.judge('account', entry.rank);
    this.judge('entitlement', entry.account.limits.live);
  }

  /** How long ago the version that was used was replaced. */
  private judge(name: 'account' | 'entitlement', version: number): void {
    const { world, isCalm } = this;
    const replacedAtMs = this.owners[name].changedAtMs.at(version + 1);
    if (replacedAtMs === undefined) return;
    const staleMs = world.nowMs - replacedAtMs;
    if (staleMs > STALE_MAX_MS) world.violate(`records of ${name} were served past their grace`);
    if (isCalm && staleMs > STALE_IN_CALM_MAX_MS) {
      world.violate(`records of ${name} were served stale although its feed answers`);
    }
  }

  private keyRecord(): KeyRecord {
    return {
      keyId: this.accountId,
      accountId: this.accountId,
      accountState: 'active',
      state: 'active',
      environment: 'live',
      scopes: [],
      allowedAddresses: [],
      rank: this.owners.account.changedAtMs.length - 1,
    };
  }

  private allowance(): Allowance {
    const version = this.owners.entitlement.changedAtMs.length - 1;
    return {
      accountId: this.accountId,
      version: String(version),
      limits: { live: version, bulk: 1, heavy: 1, account: 1 },
      keys: 1,
      monitors: { domain: 0, brand: 0, registrant: 0 },
      datasets: [],
      blocks: [],
    };
  }
}

/** What a feed says: whose records changed since the cursor. */
function pageOf({ feed }: Owner, cursor?: ChangeCursor): ChangePage {
  const keys = cursor ? feed.slice(Number(cursor.snapshot)) : [];
  return { token: 'one', cursor: { snapshot: String(feed.length), highestXid: '0' }, keys };
}

function keepWhatIsOvertaken(): void {
  const isOvertaken = AuthCache.prototype['isOvertaken'];
  AuthCache.prototype['isOvertaken'] = () => false;
  mendLater(() => (AuthCache.prototype['isOvertaken'] = isOvertaken));
}
