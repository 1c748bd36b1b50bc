import { DAY_MS } from '#libs/platform';
import {
  NAME_SERVERS_PATH,
  type NameState,
  REGISTERED_PATH,
  SOURCES_PATH,
  isSame,
  isOfRegistrar,
} from './name-state.js';

/** After this time without the previous servers, the values of the present ones become the known ones. */
const MOVED_MS = 7 * DAY_MS;

/** A known and a seen state without what cannot be compared. */
export interface Comparable {
  state: NameState;
  seen: NameState;
  /** The other servers, and since when they have answered; kept with what is pending. */
  moving: NameState;
}

/**
 * RDAP and port 43 write the same registration differently, and a registrar's answer has more than its registry's. So
 * values that a name's previous servers did not give are no change: they are left out until those servers answer again.
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
  const isKept = (path: string) => isComparable(path, before, after);
  const [since = now.toISOString()] = pending[SOURCES_PATH] ?? [];
  if (now.getTime() - Date.parse(since) < MOVED_MS) {
    return { state, seen: only(seen, isKept), moving: { [SOURCES_PATH]: [since] } };
  }
  return { state: { ...state, ...only(seen, (path) => !isKept(path)) }, seen, moving: {} };
}

function isComparable(path: string, before: readonly string[], after: readonly string[]): boolean {
  if (path === REGISTERED_PATH) return true;
  if (path === SOURCES_PATH || isOfRegistrar(path)) return false;
  const registries = [before, after].map((all) => all.find((one) => one.startsWith('registry ')));
  if (registries[0] === registries[1]) return true;
  return path === NAME_SERVERS_PATH && registries.every((one) => one?.endsWith(' delivered'));
}

function only(state: NameState, isKept: (path: string) => boolean): NameState {
  return Object.fromEntries(Object.entries(state).filter(([path]) => isKept(path)));
}
