import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { HOUR_MS, newId } from '#libs/platform';
import { Happening, type World } from './world.js';

const EPOCH_MS = Date.UTC(2026, 2, 2, 9);

let world: World | undefined;

/** Sets the world that provides clock, timers and randomness to the code of this process from now on. */
export function inhabit(next: World | undefined): void {
  world = next;
  if (world) forgetLastId(world);
}

/** Makes the last id very old. A new id follows the last one, which would tie a history to the previous one. */
function forgetLastId(of: World): void {
  of.nowMs = -HOUR_MS;
  newId();
  of.nowMs = 0;
}

/** From now on, `Date`, `performance.now`, timers and random bytes come from the world. */
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
  Object.assign(globalThis, {
    setTimeout: (work: () => void, delayMs = 1) => later(delayMs, work),
    clearTimeout: cancel,
    setInterval: unknownTimer,
    setImmediate: unknownTimer,
  });
  Object.assign(timers, { setTimeout: sleep });
  Object.assign(crypto, { randomBytes: (size: number) => here().random.bytes(size) });
  syncBuiltinESMExports();
}

function here(): World {
  if (!world) throw new Error('there is no world: time does not advance');
  return world;
}

function later(delayMs: number, work: () => void): Happening {
  return here().at(Math.max(1, delayMs), here().current, work);
}

function cancel(timer: unknown): void {
  if (timer instanceof Happening) timer.isCancelled = true;
}

function unknownTimer(): never {
  throw new Error('virtual time has no such timer');
}

/** Replaces `setTimeout` of `node:timers/promises`, without its value or signal. */
function sleep(delayMs = 1): Promise<void> {
  return new Promise((resolve) => void later(delayMs, resolve));
}
