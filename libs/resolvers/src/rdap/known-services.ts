import { monotonicMs } from '#libs/platform';
import { JoinedRuns } from '../joined-runs.js';

const SERVICES_MAX = 1_024;
/** A base URL without a service is checked again after this time. */
const ABSENCE_MS = 60 * 60_000;

/**
 * Remembers the base URLs of RDAP services. From such a service, an empty 404 means "no such object" (RFC 7480 §5.3); a
 * web server gives the same answer for an unknown path.
 */
export class KnownServices {
  /** Whether each base URL is an RDAP service, and until when that is remembered. */
  private readonly known = new Map<string, { isService: boolean; untilMs: number }>();
  private readonly asking = new JoinedRuns<boolean>();

  constructor(private readonly nowMs: () => number = monotonicMs) {}

  /** Records an answer that only an RDAP service gives. */
  note(url: URL): void {
    this.set(baseOf(url), true);
  }

  /**
   * Returns whether the base URL of an object's URL is an RDAP service: by an earlier answer or, if there was none, by
   * its help, which is queried once for all waiting callers.
   *
   * @param isHelp queries whether a URL is the help of an RDAP service, until its signal aborts; undefined without a
   *   definite answer, which counts as no and is not remembered.
   * @throws the errors of `isHelp`; the reason of `signal`.
   */
  async isKnown(
    url: URL,
    isHelp: (help: URL, signal: AbortSignal) => Promise<boolean | undefined>,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const base = baseOf(url);
    const known = this.known.get(base);
    if (known !== undefined && this.nowMs() < known.untilMs) return known.isService;
    return this.asking.join(base, signal, async (abandon) => {
      const isService = await isHelp(new URL('help', base), abandon.signal);
      if (isService !== undefined) this.set(base, isService);
      return isService ?? false;
    });
  }

  private set(base: string, isService: boolean): void {
    this.known.delete(base);
    this.known.set(base, { isService, untilMs: isService ? Infinity : this.nowMs() + ABSENCE_MS });
    const [oldest] = this.known.keys();
    if (this.known.size > SERVICES_MAX) this.known.delete(oldest);
  }
}

/** Returns the part before the path segments of an object (RFC 9082 §3.1), with a slash at the end. */
function baseOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/(?:domain|ip|autnum)\/.*$/i, '/');
}
