import { isComparable } from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import { type NameState, SOURCES_PATH, isSame } from './name-state.js';

/**
 * After this time without answers from the previous servers, the values of the present servers become the known values.
 */
const MOVED_MS = 7 * DAY_MS;

/** The known and the new state, without the values that cannot be compared. */
export interface Comparable {
  state: NameState;
  seen: NameState;
  /** Since when other servers have answered, stored with the unconfirmed changes. */
  moving: NameState;
}

/**
 * Leaves out values that only the previous servers of a name can confirm or refute, until those servers answer again or
 * `MOVED_MS` is over. Such values are not changes.
 */
export function withSameSources(
  { state, pending }: { state: NameState; pending: NameState },
  seen: NameState,
  now: Date,
): Comparable {
  const [before, after] = [state[SOURCES_PATH], seen[SOURCES_PATH]];
  if (before === undefined || after === undefined || isSame(SOURCES_PATH, before, after)) {
    return { state, seen, moving: {} };
  }
  const isKept = (path: string) => path !== SOURCES_PATH && isComparable(path, before, after);
  const [since = now.toISOString()] = pending[SOURCES_PATH] ?? [];
  if (now.getTime() - Date.parse(since) < MOVED_MS) {
    return { state, seen: only(seen, isKept), moving: { [SOURCES_PATH]: [since] } };
  }
  return { state: { ...state, ...only(seen, (path) => !isKept(path)) }, seen, moving: {} };
}

function only(state: NameState, isKept: (path: string) => boolean): NameState {
  return Object.fromEntries(Object.entries(state).filter(([path]) => isKept(path)));
}
