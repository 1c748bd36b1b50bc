import { monotonicMs } from '#libs/platform';
import { JoinedRuns } from '../joined-runs.js';

/** The maximum number of services that are remembered. */
const SERVICES_MAX = 1_024;
/** A base URL without a service is tried again after this time. */
const ABSENCE_MS = 60 * 60_000;

/**
 * The base URLs of RDAP services. An empty 404 is the "no such object" of such a service (RFC 7480 §5.3), but also the
 * answer of a web server for an unknown path.
 */
export class KnownServices {
  /** The time until which each base URL is known to be, or not to be, a service. */
  private readonly known = new Map<string, { isService: boolean; untilMs: number }>();
  private readonly asking = new JoinedRuns<boolean>();

  constructor(private readonly nowMs: () => number = monotonicMs) {}

  /** Records an answer that only an RDAP service gives. */
  note(url: URL): void {
    this.set(baseOf(url), true);
  }

  /**
   * Whether the base URL of an object's URL has given such an answer. If none is known, its help decides, which is
   * queried once for all waiting callers.
   *
   * @param isHelp queries whether a URL is the help of an RDAP service, until its signal aborts; undefined without a
   *   definite answer, which is not remembered.
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

/** The part before the path segments of an object (RFC 9082 §3.1), with a slash at its end. */
function baseOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/(?:domain|ip|autnum)\/.*$/i, '/');
}
