import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Registries } from '../registries/registries.js';
import {
  UpstreamLimiter,
  type Permit,
  type UpstreamLimiterOptions,
  type Refused,
} from './upstream-limiter.js';
import type { Priority } from './upstream.js';
import { CHOSEN_LIMITS, PUBLISHED_LIMITS } from './upstream-limits.js';

/** A clock that moves only when the test advances it, and runs scheduled functions. */
class ManualTime {
  private nowMs = 0;
  private readonly due = new Set<{ atMs: number; run: () => void }>();

  readonly now = () => this.nowMs;
  readonly random = () => 0.5;
  readonly schedule = (delayMs: number, run: () => void) => {
    const entry = { atMs: this.nowMs + delayMs, run };
    this.due.add(entry);
    return () => void this.due.delete(entry);
  };

  async advance(ms: number): Promise<void> {
    const end = this.nowMs + ms;
    for (;;) {
      const next = [...this.due].toSorted((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined || next.atMs > end) break;
      this.due.delete(next);
      this.nowMs = next.atMs;
      next.run();
      await settled();
    }
    this.nowMs = end;
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}

const host = 'whois.nic.example';

function polite(options: UpstreamLimiterOptions = {}) {
  const time = new ManualTime();
  const limiter = new UpstreamLimiter({ ...time, ...options });
  const log: string[] = [];
  const ask = (name: string, priority: Priority = 'live', signal?: AbortSignal) => {
    const turn = { priority, ...(signal === undefined ? {} : { signal }) };
    const asked = limiter.acquire(host, turn);
    void asked.then((answer) => log.push(`${name} ${answer.granted ? 'goes' : answer.reason}`));
    return asked;
  };
  return { time, limiter, log, ask };
}

function granted(answer: Permit | Refused): Permit {
  if (!answer.granted) throw new Error(`refused: ${answer.reason}`);
  return answer;
}

const slow = { buckets: [{ burst: 1, perSecond: 1 }], connections: 4 };
const wide = { buckets: [{ burst: 1000, perSecond: 1000 }], connections: 4 };

describe('UpstreamLimiter', () => {
  it('background work uses at most half of the rate, even if nothing else runs', async () => {
    const limits = new Map([[host, { buckets: [{ burst: 4, perSecond: 1 }], connections: 50 }]]);
    const { time, log, ask } = polite({ limits });
    for (let second = 0; second < 60; second += 1) {
      for (let turn = 0; turn < 3; turn += 1) {
        const answer = await ask('collector', 'background');
        if (answer.granted) answer.release();
        else expect([answer.reason, answer.retryAfterMs > 0]).toEqual(['not_ready', true]);
      }
      await time.advance(1_000);
    }
    const turns = log.filter((line) => line === 'collector goes').length;
    expect(turns).toBeGreaterThanOrEqual(30);
    expect(turns).toBeLessThanOrEqual(2 + 30);
    expect((await ask('somebody')).granted).toBe(true);
  });

  it('an upstream is queried no more often than its buckets allow, in any period', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 40 }),
        async (gaps) => {
          const buckets = [
            { burst: 3, perSecond: 1 },
            { burst: 8, perSecond: 0.1 },
          ];
          const { time, limiter } = polite({ defaultLimit: { buckets, connections: 4 } });
          const goes: number[] = [];
          for (const gap of gaps) {
            await time.advance(gap);
            void limiter.acquire(host, { priority: 'bulk' }).then((answer) => {
              if (!answer.granted) return;
              goes.push(time.now());
              answer.release();
            });
            await settled();
          }
          await time.advance(1_000_000);
          expect(goes).toHaveLength(gaps.length);
          for (const { burst, perSecond } of buckets) {
            for (const [index, from] of goes.entries()) {
              for (const [further, to] of goes.slice(index).entries()) {
                const allowed = burst + ((to - from) / 1000) * perSecond;
                expect(further + 1).toBeLessThanOrEqual(allowed + 1e-6);
              }
            }
          }
        },
      ),
      { numRuns: 100, seed: 20_261_122 },
    );
  });

  it('no more connections than allowed are open at once, and the end of a connection admits the next query', async () => {
    const { log, ask } = polite({ defaultLimit: wide });
    const first = ['a', 'b', 'c', 'd'].map((name) => ask(name));
    void ask('e');
    void ask('f');
    await settled();
    expect(log).toEqual(['a goes', 'b goes', 'c goes', 'd goes']);
    const permit = granted(await first[0]!);
    permit.release();
    permit.release();
    permit.failed();
    await settled();
    expect(log.slice(4)).toEqual(['e goes']);
  });

  it('an interactive query goes before a monitor, and a monitor before a bulk job', async () => {
    const { time, log, ask } = polite({ defaultLimit: slow });
    void ask('first', 'bulk');
    for (const priority of ['bulk', 'monitor', 'live', 'bulk', 'live'] as const) {
      void ask(priority, priority);
    }
    await time.advance(60_000);
    expect(log.map((line) => line.split(' ')[0])).toEqual(['first', 'live', 'live', 'monitor']);
  });

  it('the queue is limited, and an interactive query takes the place of the newest bulk query', async () => {
    const { log, ask } = polite({ defaultLimit: slow, waitersMax: 2 });
    void ask('asked');
    void ask('bulk 1', 'bulk');
    void ask('bulk 2', 'bulk');
    void ask('bulk 3', 'bulk');
    void ask('live 1');
    void ask('live 2');
    void ask('live 3');
    await settled();
    expect(log).toEqual([
      'asked goes',
      'bulk 3 queue_full',
      'bulk 2 queue_full',
      'bulk 1 queue_full',
      'live 3 queue_full',
    ]);
  });

  it('an interactive query does not take the place of a query with its own deadline, because that would free no place', async () => {
    const { limiter, log, ask } = polite({ defaultLimit: slow, waitersMax: 1 });
    void ask('asked');
    const turn = { priority: 'bulk', asker: 'a job', waitMaxMs: 3_600_000 } as const;
    void limiter.acquire(host, turn);
    void ask('bulk', 'bulk');
    void limiter.acquire(host, turn);
    void ask('live 1');
    void ask('live 2');
    await settled();
    expect(log).toEqual(['asked goes', 'bulk queue_full', 'live 2 queue_full']);
    expect(limiter.waitingFor(host)).toBe(3);
  });

  it('queries with their own deadline always get a place in the queue, and leave at the deadline', async () => {
    const buckets = [{ burst: 5, perSecond: 10 }];
    const { time, limiter, log, ask } = polite({ defaultLimit: { buckets, connections: 1 } });
    const turn = { priority: 'bulk', asker: 'a job', waitMaxMs: 20_000 } as const;
    const first = granted(await limiter.acquire(host, turn));
    const waiting = Array.from({ length: 150 }, async () => limiter.acquire(host, turn));
    const live = ask('a person');
    expect(limiter.waitingFor(host)).toBe(151);
    first.release();
    granted(await live).release();
    const [next, ...others] = waiting;
    granted(await next);
    await time.advance(20_000);
    const refusals = (await Promise.all(others)).map((one) => !one.granted && one.reason);
    expect([new Set(refusals), limiter.waitingFor(host)]).toEqual([new Set(['not_ready']), 0]);
    expect(log).toEqual(['a person goes']);
  });

  it('a query is refused as not ready only if its own turn would come too late, however many queries of another account wait', async () => {
    const buckets = [{ burst: 1, perSecond: 1 }];
    const { limiter } = polite({ defaultLimit: { buckets, connections: 4 } });
    const ofAccount = async (asker: string) =>
      limiter.acquire(host, { priority: 'bulk', asker, waitMaxMs: 20_000 });
    granted(await ofAccount('one'));
    for (let n = 0; n < 20; n += 1) void ofAccount('one');
    expect(await ofAccount('one')).toMatchObject({ reason: 'not_ready', retryAfterMs: 21_000 });
    void ofAccount('other');
    expect(limiter.waitingFor(host)).toBe(21);
  });

  it('an upstream that throttles is paused for as long as it asked for, and waiting queries fail at once', async () => {
    const { time, limiter, log, ask } = polite({ defaultLimit: slow });
    const permit = granted(await ask('a'));
    const waiting = ask('b');
    permit.throttled(120);
    expect(await waiting).toEqual({ granted: false, reason: 'paused', retryAfterMs: 120_000 });
    await time.advance(119_999);
    expect(await ask('c')).toMatchObject({ reason: 'paused', retryAfterMs: 1 });
    await time.advance(1);
    granted(await ask('d'));
    expect(limiter.pausedForMs(host)).toBe(0);
    expect(log).toEqual(['a goes', 'b paused', 'c paused', 'd goes']);
  });

  it('if the upstream names no time, the pause doubles from a minute up to an hour, and an answer resets it to a minute', async () => {
    const { time, limiter, ask } = polite({ defaultLimit: wide });
    const pauses: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      granted(await ask('again')).throttled();
      pauses.push(limiter.pausedForMs(host) / 1000);
      await time.advance(3_600_000);
    }
    expect(pauses).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600]);
    granted(await ask('well')).release();
    granted(await ask('again')).throttled();
    expect(limiter.pausedForMs(host)).toBe(60_000);
  });

  it('jitter changes the length of a pause by up to a fifth in each direction', async () => {
    for (const [random, seconds] of [
      [0, 48],
      [1, 72],
    ] as const) {
      const { limiter, ask } = polite({ random: () => random });
      granted(await ask('a')).throttled();
      expect(limiter.pausedForMs(host)).toBe(seconds * 1000);
    }
  });

  it.each([
    [86_400, 3_600_000],
    [0, 1_000],
    [-5, 1_000],
  ])(
    'a pause of %d s that an upstream asks for is limited to between a second and an hour',
    async (wish, ms) => {
      const { limiter, ask } = polite();
      granted(await ask('a')).throttled(wish);
      expect(limiter.pausedForMs(host)).toBe(ms);
    },
  );

  it('several throttles of simultaneous queries count as one', async () => {
    const { limiter, ask } = polite({ defaultLimit: wide });
    const permits = await Promise.all(['a', 'b', 'c'].map((name) => ask(name)));
    for (const permit of permits) granted(permit).throttled();
    expect(limiter.pausedForMs(host)).toBe(60_000);
  });

  it('an answer to a query from before a pause does not reset the length of the next one', async () => {
    const { time, limiter, ask } = polite({ defaultLimit: wide });
    const permits = await Promise.all(['a', 'b'].map((name) => ask(name)));
    granted(permits[0]).throttled();
    granted(permits[1]).release();
    await time.advance(60_000);
    granted(await ask('c')).throttled();
    expect(limiter.pausedForMs(host)).toBe(120_000);
  });

  it('a query that stops waiting leaves the queue and takes no token', async () => {
    const { time, log, ask } = polite({ defaultLimit: slow });
    const controller = new AbortController();
    granted(await ask('a'));
    void ask('b', 'live', controller.signal);
    void ask('c');
    controller.abort();
    await time.advance(1_000);
    expect(log).toEqual(['a goes', 'b cancelled', 'c goes']);
    expect(await ask('d', 'live', controller.signal)).toMatchObject({ reason: 'cancelled' });
  });

  it('hosts named by outsiders do not fill the memory, and hosts that are in use or paused are not forgotten', async () => {
    const { limiter } = polite({ upstreamsMax: 3 });
    const turn = { priority: 'live' } as const;
    granted(await limiter.acquire('busy.example', turn));
    granted(await limiter.acquire('paused.example', turn)).throttled(60);
    for (let index = 0; index < 20; index += 1) {
      granted(await limiter.acquire(`host${index}.example`, turn)).release();
    }
    expect(limiter.pausedForMs('paused.example')).toBe(60_000);
    granted(await limiter.acquire('last.example', turn));
    expect(await limiter.acquire('more.example', turn)).toMatchObject({ reason: 'queue_full' });
  });

  it('large registries get the rates chosen for them, unless one rate is set for all hosts', async () => {
    const goes = async (options: UpstreamLimiterOptions, at: string) => {
      const { time, limiter } = polite(options);
      let count = 0;
      for (let index = 0; index < 90; index += 1) {
        void limiter.acquire(at, { priority: 'live' }).then((turn) => {
          if (turn.granted) turn.release();
          count += Number(turn.granted);
        });
      }
      for (let turn = 0; turn < 30; turn += 1) await settled();
      await time.advance(1_000);
      return count;
    };
    expect(await goes({}, 'rdap.verisign.com')).toBe(30);
    expect(await goes({}, 'rdap.registrar.example')).toBe(6);
    expect(await goes({ defaultLimit: slow }, 'rdap.verisign.com')).toBeLessThan(6);
  });

  it('every host with a chosen rate is in the registry tables and publishes no limit', () => {
    const hosts = new Set(
      Registries.vendored()
        .routes()
        .flatMap(({ rdapBaseUrl: url }) => (url === undefined ? [] : [new URL(url).hostname])),
    );
    for (const host of CHOSEN_LIMITS.keys()) {
      expect([host, hosts.has(host), PUBLISHED_LIMITS.has(host)]).toEqual([host, true, false]);
    }
  });

  it('limits stay within the published figures', () => {
    const worst = (name: string, seconds: number) =>
      Math.min(
        ...(PUBLISHED_LIMITS.get(name)?.buckets ?? []).map(
          ({ burst, perSecond }) => burst + perSecond * seconds,
        ),
      );
    expect(worst('whois.centralnic.com', 900)).toBeLessThanOrEqual(1_800);
    expect(worst('whois.nic.uk', 1)).toBeLessThanOrEqual(5);
    expect(worst('whois.nic.uk', 86_400)).toBeLessThanOrEqual(1_000);
    expect(worst('whois.weare.ie', 86_400)).toBeLessThanOrEqual(100);
    expect(worst('rdap.lacnic.net', 60)).toBeLessThanOrEqual(10);
  });
});
