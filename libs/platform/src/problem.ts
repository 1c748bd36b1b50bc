export interface FieldError {
  field: string;
  message: string;
}

export interface ProblemDescription {
  /** Stable snake_case word; `docs/errors/<code>.md` explains it. */
  code: string;
  status: number;
  /** Public text: says what happened and what to do. It is never an internal message. */
  detail: string;
  /** Whether the client may send the same request again. By default, only for 429, 503 and 504. */
  retryable?: boolean;
  retryAfterSeconds?: number;
  errors?: FieldError[];
  /** Further public members of the answer, for example `restorable_until`. */
  members?: Record<string, unknown>;
}

/**
 * A refusal that may be shown: code, public text and, for the log only, a cause (RFC 9457). Features declare their own
 * in `x.errors.ts`; only the public listeners convert a refusal to its public form.
 */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  readonly retryable: boolean;
  readonly retryAfterSeconds?: number;
  readonly errors?: FieldError[];
  readonly members?: Record<string, unknown>;

  constructor(description: ProblemDescription, options?: { cause?: unknown }) {
    super(description.detail, options);
    this.code = description.code;
    this.status = description.status;
    this.retryable = description.retryable ?? [429, 503, 504].includes(description.status);
    this.retryAfterSeconds = description.retryAfterSeconds;
    this.errors = description.errors;
    this.members = description.members;
  }

  /** Whether the error results from load or an outage (503, 504); a flood of requests causes thousands of these. */
  get isOfLoad(): boolean {
    return this.status === 503 || this.status === 504;
  }

  /** Returns the body for other services; the gateway adds the members that only it has. */
  toBody(): ProblemBody {
    return {
      code: this.code,
      status: this.status,
      detail: this.message,
      retryable: this.retryable,
      ...(this.retryAfterSeconds !== undefined && { retry_after: this.retryAfterSeconds }),
      ...(this.errors && { errors: this.errors }),
      ...this.members,
    };
  }
}

export interface ProblemBody {
  code: string;
  status: number;
  detail: string;
  retryable: boolean;
  retry_after?: number;
  errors?: FieldError[];
  [member: string]: unknown;
}
