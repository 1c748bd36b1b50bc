import { STATUS_CODES } from 'node:http';
import { type Clock, type Problem, maskKeys } from '#libs/platform';

export interface ProblemPlace {
  requestId: string;
  /**
   * The requested path. Its origin and its query are removed, keys are masked and the path is shortened here, so any
   * input is safe.
   */
  path: string;
}

const PATH_LENGTH_MAX = 200;
/** The code of the only 402 that a purchase resolves; for other codes, a cap of a key or a request must be raised. */
const ENDED_BY_CREDITS = 'insufficient_credits';
/** The pages of the dashboard that sell credits, and plans with the add-on for more requests a minute. */
const CREDITS_PATH = '/credits';
const PLANS_PATH = '/plans';

/**
 * The only public form of a refusal: the members of RFC 9457, our own (`code`, `request_id`, `retryable`,
 * `credits_charged`), and `timestamp, status, error, message, path` for clients of the older format.
 */
export class ProblemBodies {
  /** The part of a problem that is the same for every request, as JSON. */
  private readonly fixedParts = new WeakMap<Problem, string>();

  private lastPath = '';
  private lastPublicPath = '""';
  private lastMs = -1;
  private lastTimestamp = '';

  /**
   * @param baseUrl public origin of the API, under which `/errors/<code>` explains each code.
   * @param shopUrl public origin of the dashboard, where credits and plans are sold; unset if nothing is sold.
   */
  constructor(
    private readonly baseUrl: string,
    private readonly clock: Clock,
    private readonly shopUrl?: string,
  ) {}

  pageOf(code: string): string {
    return `${this.baseUrl}/errors/${code}`;
  }

  /**
   * Returns the `Link` header of a refusal that a purchase resolves (RFC 8288): the error's page and, if anything is
   * sold, the page for paying: that of credits, or that of plans and the rate-limit add-on.
   */
  linksOf(code: string): string {
    const help = `<${this.pageOf(code)}>; rel="help"`;
    if (this.shopUrl === undefined) return help;
    const page = code === ENDED_BY_CREDITS ? CREDITS_PATH : PLANS_PATH;
    return `${help}, <${this.shopUrl}${page}>; rel="payment"`;
  }

  /**
   * Returns the JSON of a problem in UTF-8, one character per byte: the string is as long as the body, and is sent as
   * Latin-1.
   */
  render(problem: Problem, { requestId, path }: ProblemPlace): string {
    let fixed = this.fixedParts.get(problem);
    if (fixed === undefined) {
      fixed = this.fixedPart(problem);
      this.fixedParts.set(problem, fixed);
    }
    return `${fixed},"request_id":"${requestId}","timestamp":"${this.timestamp()}","path":${this.publicPath(path)}}`;
  }

  /**
   * Returns the time in the format of RFC 3339. It is cached, because a flood causes many refusals in one millisecond.
   */
  private timestamp(): string {
    const now = this.clock.now();
    const ms = now.getTime();
    if (ms !== this.lastMs) {
      this.lastMs = ms;
      this.lastTimestamp = now.toISOString();
    }
    return this.lastTimestamp;
  }

  /**
   * Returns the path as a JSON string, without its query, shortened, and with keys masked. The result for the last path
   * is cached, because a flood requests one path.
   */
  private publicPath(path: string): string {
    if (path !== this.lastPath) {
      this.lastPath = path;
      this.lastPublicPath = publicPath(path);
    }
    return this.lastPublicPath;
  }

  private fixedPart(problem: Problem): string {
    const title = STATUS_CODES[problem.status] ?? 'Error';
    const body = {
      type: this.pageOf(problem.code),
      title,
      status: problem.status,
      detail: problem.message,
      code: problem.code,
      retryable: problem.retryable,
      credits_charged: 0,
      ...(problem.errors && { errors: problem.errors }),
      ...problem.members,
      ...(problem.code === ENDED_BY_CREDITS &&
        this.shopUrl !== undefined && { credits_url: this.shopUrl + CREDITS_PATH }),
      error: title,
      message: problem.message,
    };
    return bytesOf(maskKeys(JSON.stringify(body)).slice(0, -1));
  }
}

/** The origin of a target in absolute form (RFC 9112 §3.2.2). It may contain a password. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i;

function publicPath(path: string): string {
  const query = path.indexOf('?');
  const bare = (query === -1 ? path : path.slice(0, query)).replace(ORIGIN, '');
  return bytesOf(JSON.stringify(maskKeys(bare.slice(0, PATH_LENGTH_MAX))));
}

/** Returns the UTF-8 bytes of a string, one character per byte. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}
