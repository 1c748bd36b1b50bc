import type { MonitorChange } from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import { type NameState, REGISTERED_PATH, changeTypeOf, isSame, toldValues } from './name-state.js';
import { withSameSources } from './same-sources.js';

/** How often each path has changed without staying the same for a day, and when it last changed. */
export type Restless = Readonly<Record<string, { count: number; at: string }>>;

/** The stored state of one part of a name: its DNS or its registration. */
export interface KnownState {
  /** Null before the first check. */
  state: NameState | null;
  /** The changes that the previous check found and no later check has confirmed. */
  pending: NameState;
  rechecks: number;
  restless: Restless;
}

export interface JudgedCheck extends KnownState {
  changes: MonitorChange[];
  isRecheckWanted: boolean;
}

/**
 * The maximum number of repeated checks to confirm a difference, because some values differ at each
 * check, such as those of a host with many addresses.
 */
const RECHECKS_MAX = 3;
/**
 * Maximum number of changes that are reported per path and day. The last report says that the value changes back and
 * forth.
 */
const TOLD_A_DAY = 2;

/**
 * Compares the result of a check with the known state. A difference counts once a second check confirms it, so that a
 * momentary change is not reported. A path that keeps changing is reported twice, and then only after it has been
 * stable for a day.
 */
export function judgeCheck(known: KnownState, found: NameState, now: Date): JudgedCheck {
  if (known.state === null) {
    const first = { ...known, state: found, pending: {}, rechecks: 0 };
    return { ...first, changes: [], isRecheckWanted: false };
  }
  const { pending: unconfirmed } = known;
  const { state, seen, moving } = withSameSources(
    { state: known.state, pending: unconfirmed },
    found,
    now,
  );
  const differing = Object.keys(seen).filter((path) => isOther(state, seen, path));
  const isConfirmed = (path: string) =>
    path in unconfirmed && isSame(path, unconfirmed[path], seen[path]);
  const confirmed = differing.filter(isConfirmed);
  const pending = differing.filter((path) => !isConfirmed(path));
  const restless: Record<string, { count: number; at: string }> = { ...known.restless };
  const changes = confirmed.flatMap((path) => {
    const count = countOf(restless[path], now) + 1;
    restless[path] = { count, at: now.toISOString() };
    if (count > TOLD_A_DAY) return [];
    const before = toldValues(path, state[path] ?? []);
    const after = toldValues(path, seen[path]);
    const change = { type: changeTypeOf(path, after), path, before, after };
    return [count === TOLD_A_DAY ? { ...change, is_flapping: true } : change];
  });
  const isTurned = confirmed.includes(REGISTERED_PATH);
  // A path that differs at each check must not delay the confirmation of another one. The count stays small enough for
  // its column.
  const isNew = pending.some((path) => !(path in unconfirmed));
  const earlier = known.rechecks > RECHECKS_MAX ? RECHECKS_MAX - Number(isNew) : known.rechecks;
  const rechecks = pending.length > 0 ? earlier + 1 : 0;
  const confirmedState = Object.fromEntries(
    Object.entries(seen).filter(([path]) => !pending.includes(path)),
  );
  return {
    // Earlier data does not apply to a name that is no longer registered, or that was registered again.
    state: isTurned ? found : { ...state, ...confirmedState },
    pending: isTurned
      ? {}
      : { ...Object.fromEntries(pending.map((path) => [path, seen[path]])), ...moving },
    rechecks: isTurned ? 0 : rechecks,
    restless: recent(restless, now),
    changes: isTurned ? changes.filter(({ path }) => path === REGISTERED_PATH) : changes,
    isRecheckWanted: !isTurned && pending.length > 0 && rechecks <= RECHECKS_MAX,
  };
}

/** Whether a path's known values have changed. A path that is seen for the first time has not changed. */
function isOther(state: NameState, seen: NameState, path: string): boolean {
  const before = state[path];
  return before !== undefined && !isSame(path, before, seen[path]);
}

function countOf(restless: { count: number; at: string } | undefined, now: Date): number {
  const isRecent = restless && now.getTime() - Date.parse(restless.at) < DAY_MS;
  return isRecent ? restless.count : 0;
}

const recent = (restless: Restless, now: Date): Restless =>
  Object.fromEntries(Object.entries(restless).filter(([, one]) => countOf(one, now) > 0));
