import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { HOUR_MS, newId } from '#libs/platform';
import type { Ticket, World } from './world.js';

/** The start of virtual time. */
const EPOCH_MS = Date.UTC(2026, 2, 2, 9);

let world: World | undefined;

/** Sets the world whose clock, timers and randomness the code of this process uses from now on. */
export function inhabit(next: World | undefined): void {
  world = next;
  if (world) forgetLastId(world);
}

/**
 * An id always follows the last one of its process. A very old last id keeps a history independent of the one before
 * it.
 */
function forgetLastId(of: World): void {
  of.nowMs = -HOUR_MS;
  newId();
  of.nowMs = 0;
}

/** A timer that code under test may pass around, unref and clear. */
class VirtualTimer {
  constructor(public ticket: Ticket) {}

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/**
 * Gives this process virtual time: `Date`, `performance.now`, timers and random bytes come from the world. The code
 * under test needs no extra interface for the simulation.
 */
export function installVirtualTime(): void {
  const RealDate = Date;
  const present = () => EPOCH_MS + Math.floor(world?.nowMs ?? 0);
  globalThis.Date = class extends RealDate {
    constructor(...parts: unknown[]) {
      super(...((parts.length === 0 ? [present()] : parts) as [number]));
    }

    static override now(): number {
      return present();
    }
  } as DateConstructor;
  performance.now = () => world?.nowMs ?? 0;
  const later = (work: () => void, delayMs: number) => here().at(delayMs, here().current, work);
  const replaced = {
    setTimeout: (work: () => void, delayMs = 1) => new VirtualTimer(later(work, atLeast1(delayMs))),
    setImmediate: (work: () => void) => new VirtualTimer(later(work, 0)),
    setInterval: (work: () => void, delayMs = 1) => {
      const tick = () => {
        timer.ticket.cancel();
        timer.ticket = later(tick, atLeast1(delayMs));
        work();
      };
      const timer = new VirtualTimer(later(tick, atLeast1(delayMs)));
      return timer;
    },
    clearTimeout: cancel,
    clearInterval: cancel,
    clearImmediate: cancel,
  };
  Object.assign(globalThis, replaced);
  Object.assign(timers, { setTimeout: sleep });
  Object.assign(crypto, { randomBytes: (size: number) => here().random.bytes(size) });
  syncBuiltinESMExports();
}

/** Shared by all sleeps, because creating a DOMException with its stack is expensive. */
const ended = Object.assign(new Error('the sleep was ended'), { name: 'AbortError' });

function here(): World {
  if (!world) throw new Error('there is no world: time does not advance');
  return world;
}

/** Rejects as Node.js does. */
function atLeast1(delayMs: number): number {
  return Math.max(1, delayMs);
}

function cancel(timer: unknown): void {
  if (timer instanceof VirtualTimer) timer.ticket.cancel();
}

/** `setTimeout` of `node:timers/promises`. */
async function sleep<T>(
  delayMs = 1,
  value?: T,
  { signal }: { signal?: AbortSignal } = {},
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const ticket = here().at(atLeast1(delayMs), here().current, () => resolve(value));
    signal?.addEventListener('abort', () => {
      ticket.cancel();
      reject(ended);
    });
  });
}
